// The result of a fetch. PTX returns four 32-bit lanes. A texel type takes as many of them as it has.
#pragma once

#include "../device_function.cuh"

namespace everwarp_detail {
struct FloatLanes {
  float x, y, z, w;
};
struct SignedLanes {
  int x, y, z, w;
};
struct UnsignedLanes {
  unsigned int x, y, z, w;
};

#define EW_TEXEL_MEMBER __inline__ __attribute__((device, always_inline, nodebug))
template <class T>
struct Texel;
#define EW_TEXEL_1(type, lanes, normalized)                                      \
  template <>                                                                    \
  struct Texel<type> {                                                           \
    typedef lanes Lanes;                                                         \
    typedef normalized Normalized;                                               \
    static EW_TEXEL_MEMBER type take(const Lanes &v) { return (type)v.x; }       \
  };
#define EW_TEXEL_2(type, element, lanes)                                         \
  template <>                                                                    \
  struct Texel<type> {                                                           \
    typedef lanes Lanes;                                                         \
    typedef float2 Normalized;                                                   \
    static EW_TEXEL_MEMBER type take(const Lanes &v) { return type{(element)v.x, (element)v.y}; } \
  };
#define EW_TEXEL_4(type, element, lanes)                                         \
  template <>                                                                    \
  struct Texel<type> {                                                           \
    typedef lanes Lanes;                                                         \
    typedef float4 Normalized;                                                   \
    static EW_TEXEL_MEMBER type take(const Lanes &v) {                           \
      return type{(element)v.x, (element)v.y, (element)v.z, (element)v.w};       \
    }                                                                            \
  };
#define EW_TEXELS(name, element, lanes) \
  EW_TEXEL_1(element, lanes, float)     \
  template <>                           \
  struct Texel<name##1> {               \
    typedef lanes Lanes;                \
    typedef float1 Normalized;          \
    static EW_TEXEL_MEMBER name##1 take(const Lanes &v) { return name##1{(element)v.x}; } \
  };                                    \
  EW_TEXEL_2(name##2, element, lanes)   \
  EW_TEXEL_4(name##4, element, lanes)
EW_TEXELS(char, signed char, SignedLanes)
EW_TEXELS(short, short, SignedLanes)
EW_TEXELS(int, int, SignedLanes)
EW_TEXELS(uchar, unsigned char, UnsignedLanes)
EW_TEXELS(ushort, unsigned short, UnsignedLanes)
EW_TEXELS(uint, unsigned int, UnsignedLanes)
EW_TEXELS(float, float, FloatLanes)
EW_TEXEL_1(char, SignedLanes, float)
#undef EW_TEXELS
#undef EW_TEXEL_4
#undef EW_TEXEL_2
#undef EW_TEXEL_1

// One PTX fetch, in the three lane types. `form` is everything between `tex.` and the lane type; `address` names the
// operands after the four results (%4 is the texture object).
#define EW_FETCH_1(function, lanes, ptx, constraint, instruction, coordinate_type, address, arguments, ...)       \
  EW_DEVICE void function(lanes &v, cudaTextureObject_t t, EW_UNPACK arguments) {                                 \
    asm(instruction ".v4." ptx "." coordinate_type " {%0, %1, %2, %3}, [%4, " address ";"                         \
        : "=" constraint(v.x), "=" constraint(v.y), "=" constraint(v.z), "=" constraint(v.w)                      \
        : "l"(t), __VA_ARGS__);                                                                                   \
  }
#define EW_UNPACK(...) __VA_ARGS__
#define EW_FETCH(function, instruction, coordinate_type, address, arguments, ...)                                   \
  EW_FETCH_1(function, FloatLanes, "f32", "f", instruction, coordinate_type, address, arguments, __VA_ARGS__)       \
  EW_FETCH_1(function, SignedLanes, "s32", "r", instruction, coordinate_type, address, arguments, __VA_ARGS__)      \
  EW_FETCH_1(function, UnsignedLanes, "u32", "r", instruction, coordinate_type, address, arguments, __VA_ARGS__)

EW_FETCH(fetch_1d_linear, "tex.1d", "s32", "{%5}]", (int x), "r"(x))
EW_FETCH(fetch_1d, "tex.1d", "f32", "{%5}]", (float x), "f"(x))
EW_FETCH(fetch_1d_lod, "tex.level.1d", "f32", "{%5}], %6", (float x, float level), "f"(x), "f"(level))
EW_FETCH(fetch_1d_grad, "tex.grad.1d", "f32", "{%5}], {%6}, {%7}", (float x, float dx, float dy), "f"(x), "f"(dx),
         "f"(dy))
EW_FETCH(fetch_2d, "tex.2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
EW_FETCH(fetch_2d_lod, "tex.level.2d", "f32", "{%5, %6}], %7", (float x, float y, float level), "f"(x), "f"(y),
         "f"(level))
EW_FETCH(fetch_2d_grad, "tex.grad.2d", "f32", "{%5, %6}], {%7, %8}, {%9, %10}",
         (float x, float y, float2 dx, float2 dy), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
EW_FETCH(fetch_3d, "tex.3d", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
EW_FETCH(fetch_3d_lod, "tex.level.3d", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, float z, float level),
         "f"(x), "f"(y), "f"(z), "f"(level))
EW_FETCH(fetch_1d_layered, "tex.a1d", "f32", "{%5, %6}]", (float x, int layer), "r"(layer), "f"(x))
EW_FETCH(fetch_2d_layered, "tex.a2d", "f32", "{%5, %6, %7, %7}]", (float x, float y, int layer), "r"(layer), "f"(x),
         "f"(y))
EW_FETCH(fetch_1d_layered_lod, "tex.level.a1d", "f32", "{%5, %6}], %7", (float x, int layer, float level), "r"(layer),
         "f"(x), "f"(level))
EW_FETCH(fetch_2d_layered_lod, "tex.level.a2d", "f32", "{%5, %6, %7, %7}], %8",
         (float x, float y, int layer, float level), "r"(layer), "f"(x), "f"(y), "f"(level))
EW_FETCH(fetch_cube, "tex.cube", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z), "f"(x), "f"(y), "f"(z))
EW_FETCH(fetch_cube_lod, "tex.level.cube", "f32", "{%5, %6, %7, %7}], %8", (float x, float y, float z, float level),
         "f"(x), "f"(y), "f"(z), "f"(level))
EW_FETCH(fetch_cube_layered, "tex.acube", "f32", "{%5, %6, %7, %8}]", (float x, float y, float z, int layer),
         "r"(layer), "f"(x), "f"(y), "f"(z))
EW_FETCH(fetch_3d_grad, "tex.grad.3d", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
         (float x, float y, float z, float4 dx, float4 dy), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z),
         "f"(dy.x), "f"(dy.y), "f"(dy.z))
EW_FETCH(fetch_1d_layered_grad, "tex.grad.a1d", "f32", "{%5, %6}], {%7}, {%8}", (float x, int layer, float dx, float dy),
         "r"(layer), "f"(x), "f"(dx), "f"(dy))
EW_FETCH(fetch_2d_layered_grad, "tex.grad.a2d", "f32", "{%5, %6, %7, %7}], {%8, %9}, {%10, %11}",
         (float x, float y, int layer, float2 dx, float2 dy), "r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y),
         "f"(dy.x), "f"(dy.y))
EW_FETCH(fetch_cube_grad, "tex.grad.cube", "f32", "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
         (float x, float y, float z, float4 dx, float4 dy), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z),
         "f"(dy.x), "f"(dy.y), "f"(dy.z))
EW_FETCH(fetch_cube_layered_lod, "tex.level.acube", "f32", "{%5, %6, %7, %8}], %9",
         (float x, float y, float z, int layer, float level), "r"(layer), "f"(x), "f"(y), "f"(z), "f"(level))
EW_FETCH(fetch_cube_layered_grad, "tex.grad.acube", "f32", "{%5, %6, %7, %8}], {%9, %10, %11, %11}, {%12, %13, %14, %14}",
         (float x, float y, float z, int layer, float4 dx, float4 dy), "r"(layer), "f"(x), "f"(y), "f"(z), "f"(dx.x),
         "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
EW_FETCH(gather_2d_r, "tld4.r.2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
EW_FETCH(gather_2d_g, "tld4.g.2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
EW_FETCH(gather_2d_b, "tld4.b.2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
EW_FETCH(gather_2d_a, "tld4.a.2d", "f32", "{%5, %6}]", (float x, float y), "f"(x), "f"(y))
#undef EW_FETCH
#undef EW_FETCH_1
}  // namespace everwarp_detail
