// Reads and writes through surface objects. x counts bytes, as in CUDA.
#pragma once

#include "../../surface_types.h"
#include "../device_function.cuh"

namespace everwarp_detail {
template <int bytes>
struct Surface;

#define EW_SURFACE_READ(dimension, form, results, targets, address, parameters, ...)                                  \
  static EW_TEXEL_MEMBER void read_##dimension(Word *w, cudaSurfaceObject_t s, EW_UNPACK parameters,                  \
                                               cudaSurfaceBoundaryMode mode) {                                        \
    if (mode == cudaBoundaryModeZero)                                                                                 \
      asm volatile("suld.b." form ".zero " results ", [" address "];" : EW_UNPACK targets : "l"(s), __VA_ARGS__ : "memory"); \
    else if (mode == cudaBoundaryModeClamp)                                                                           \
      asm volatile("suld.b." form ".clamp " results ", [" address "];" : EW_UNPACK targets : "l"(s), __VA_ARGS__ : "memory"); \
    else                                                                                                              \
      asm volatile("suld.b." form ".trap " results ", [" address "];" : EW_UNPACK targets : "l"(s), __VA_ARGS__ : "memory"); \
  }
#define EW_SURFACE_WRITE(dimension, form, values, sources, address, parameters, ...)                                  \
  static EW_TEXEL_MEMBER void write_##dimension(const Word *w, cudaSurfaceObject_t s, EW_UNPACK parameters,           \
                                                cudaSurfaceBoundaryMode mode) {                                       \
    if (mode == cudaBoundaryModeZero)                                                                                 \
      asm volatile("sust.b." form ".zero [" address "], " values ";" ::"l"(s), __VA_ARGS__, EW_UNPACK sources : "memory"); \
    else if (mode == cudaBoundaryModeClamp)                                                                           \
      asm volatile("sust.b." form ".clamp [" address "], " values ";" ::"l"(s), __VA_ARGS__, EW_UNPACK sources : "memory"); \
    else                                                                                                              \
      asm volatile("sust.b." form ".trap [" address "], " values ";" ::"l"(s), __VA_ARGS__, EW_UNPACK sources : "memory"); \
  }
// One word (8 to 64 bits) and four words. Operands: results first, then the object, then the coordinates.
#define EW_SURFACE_1(bytes, ptx, word, constraint)                                                                    \
  template <>                                                                                                         \
  struct Surface<bytes> {                                                                                             \
    typedef word Word;                                                                                                \
    EW_SURFACE_READ(1d, "1d." ptx, "{%0}", ("=" constraint(*w)), "%1, {%2}", (int x), "r"(x))                         \
    EW_SURFACE_READ(2d, "2d." ptx, "{%0}", ("=" constraint(*w)), "%1, {%2, %3}", (int x, int y), "r"(x), "r"(y))      \
    EW_SURFACE_READ(3d, "3d." ptx, "{%0}", ("=" constraint(*w)), "%1, {%2, %3, %4, %4}", (int x, int y, int z),       \
                    "r"(x), "r"(y), "r"(z))                                                                           \
    EW_SURFACE_READ(a1d, "a1d." ptx, "{%0}", ("=" constraint(*w)), "%1, {%2, %3}", (int x, int layer), "r"(layer), "r"(x)) \
    EW_SURFACE_READ(a2d, "a2d." ptx, "{%0}", ("=" constraint(*w)), "%1, {%2, %3, %4, %4}",                            \
                    (int x, int y, int layer), "r"(layer), "r"(x), "r"(y))                                            \
    EW_SURFACE_WRITE(a1d, "a1d." ptx, "{%3}", (constraint(*w)), "%0, {%1, %2}", (int x, int layer), "r"(layer), "r"(x)) \
    EW_SURFACE_WRITE(a2d, "a2d." ptx, "{%4}", (constraint(*w)), "%0, {%1, %2, %3, %3}", (int x, int y, int layer),    \
                     "r"(layer), "r"(x), "r"(y))                                                                      \
    EW_SURFACE_WRITE(1d, "1d." ptx, "{%2}", (constraint(*w)), "%0, {%1}", (int x), "r"(x))                            \
    EW_SURFACE_WRITE(2d, "2d." ptx, "{%3}", (constraint(*w)), "%0, {%1, %2}", (int x, int y), "r"(x), "r"(y))         \
    EW_SURFACE_WRITE(3d, "3d." ptx, "{%4}", (constraint(*w)), "%0, {%1, %2, %3, %3}", (int x, int y, int z), "r"(x),  \
                     "r"(y), "r"(z))                                                                                  \
  };
EW_SURFACE_1(1, "b8", unsigned short, "h")
EW_SURFACE_1(2, "b16", unsigned short, "h")
EW_SURFACE_1(4, "b32", unsigned int, "r")
EW_SURFACE_1(8, "b64", unsigned long long, "l")
#undef EW_SURFACE_1

#define EW_FOUR_IN ("=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]))
#define EW_FOUR_OUT ("r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]))
template <>
struct Surface<16> {
  typedef unsigned int Word;
  EW_SURFACE_READ(1d, "1d.v4.b32", "{%0, %1, %2, %3}", EW_FOUR_IN, "%4, {%5}", (int x), "r"(x))
  EW_SURFACE_READ(2d, "2d.v4.b32", "{%0, %1, %2, %3}", EW_FOUR_IN, "%4, {%5, %6}", (int x, int y), "r"(x), "r"(y))
  EW_SURFACE_READ(3d, "3d.v4.b32", "{%0, %1, %2, %3}", EW_FOUR_IN, "%4, {%5, %6, %7, %7}", (int x, int y, int z),
                  "r"(x), "r"(y), "r"(z))
  EW_SURFACE_READ(a1d, "a1d.v4.b32", "{%0, %1, %2, %3}", EW_FOUR_IN, "%4, {%5, %6}", (int x, int layer), "r"(layer),
                  "r"(x))
  EW_SURFACE_READ(a2d, "a2d.v4.b32", "{%0, %1, %2, %3}", EW_FOUR_IN, "%4, {%5, %6, %7, %7}",
                  (int x, int y, int layer), "r"(layer), "r"(x), "r"(y))
  EW_SURFACE_WRITE(a1d, "a1d.v4.b32", "{%3, %4, %5, %6}", EW_FOUR_OUT, "%0, {%1, %2}", (int x, int layer), "r"(layer),
                   "r"(x))
  EW_SURFACE_WRITE(a2d, "a2d.v4.b32", "{%4, %5, %6, %7}", EW_FOUR_OUT, "%0, {%1, %2, %3, %3}",
                   (int x, int y, int layer), "r"(layer), "r"(x), "r"(y))
  EW_SURFACE_WRITE(1d, "1d.v4.b32", "{%2, %3, %4, %5}", EW_FOUR_OUT, "%0, {%1}", (int x), "r"(x))
  EW_SURFACE_WRITE(2d, "2d.v4.b32", "{%3, %4, %5, %6}", EW_FOUR_OUT, "%0, {%1, %2}", (int x, int y), "r"(x), "r"(y))
  EW_SURFACE_WRITE(3d, "3d.v4.b32", "{%4, %5, %6, %7}", EW_FOUR_OUT, "%0, {%1, %2, %3, %3}", (int x, int y, int z),
                   "r"(x), "r"(y), "r"(z))
};
#undef EW_FOUR_OUT
#undef EW_FOUR_IN
#undef EW_SURFACE_WRITE
#undef EW_SURFACE_READ
}  // namespace everwarp_detail

#define EW_SURFACE_FUNCTION(dimension, number, parameters, arguments)                                           \
  template <class T>                                                                                            \
  EW_DEVICE T surf##dimension##read(cudaSurfaceObject_t s, EW_UNPACK parameters,                                \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                      \
    typedef everwarp_detail::Surface<sizeof(T)> Access;                                                         \
    typename Access::Word words[sizeof(T) <= sizeof(typename Access::Word) ? 1 : 4];                            \
    Access::read_##number(words, s, EW_UNPACK arguments, mode);                                                 \
    T v;                                                                                                        \
    __builtin_memcpy(&v, words, sizeof(T));                                                                     \
    return v;                                                                                                   \
  }                                                                                                             \
  template <class T>                                                                                            \
  EW_DEVICE void surf##dimension##read(T *v, cudaSurfaceObject_t s, EW_UNPACK parameters,                       \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                   \
    *v = surf##dimension##read<T>(s, EW_UNPACK arguments, mode);                                                \
  }                                                                                                             \
  template <class T>                                                                                            \
  EW_DEVICE void surf##dimension##write(T v, cudaSurfaceObject_t s, EW_UNPACK parameters,                       \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    typedef everwarp_detail::Surface<sizeof(T)> Access;                                                         \
    typename Access::Word words[sizeof(T) <= sizeof(typename Access::Word) ? 1 : 4] = {};                       \
    __builtin_memcpy(words, &v, sizeof(T));                                                                     \
    Access::write_##number(words, s, EW_UNPACK arguments, mode);                                                \
  }
EW_SURFACE_FUNCTION(1D, 1d, (int x), (x))
EW_SURFACE_FUNCTION(2D, 2d, (int x, int y), (x, y))
EW_SURFACE_FUNCTION(3D, 3d, (int x, int y, int z), (x, y, z))
EW_SURFACE_FUNCTION(1DLayered, a1d, (int x, int layer), (x, layer))
EW_SURFACE_FUNCTION(2DLayered, a2d, (int x, int y, int layer), (x, y, layer))
// A face is a layer. In a layered cube map it has number 6 * layer + face.
EW_SURFACE_FUNCTION(Cubemap, a2d, (int x, int y, int face), (x, y, face))
EW_SURFACE_FUNCTION(CubemapLayered, a2d, (int x, int y, int layer_face), (x, y, layer_face))
#undef EW_SURFACE_FUNCTION
