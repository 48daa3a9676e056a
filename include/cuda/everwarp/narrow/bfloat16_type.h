// __nv_bfloat16 and __nv_bfloat162: the upper half of a float.
#pragma once

#include "../../vector_types.h"
#include "words.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __align__(4) __nv_bfloat162_raw {
  unsigned short x, y;
};

namespace everwarp_detail {
EW_BOTH float bfloat16_to_float(unsigned short b) { return __builtin_bit_cast(float, (unsigned int)b << 16); }
EW_BOTH unsigned short float_to_bfloat16(float f) {
#if __CUDA_ARCH__ >= 800
  unsigned short r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(f));
  return r;
#else
  const unsigned int u = __builtin_bit_cast(unsigned int, f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((u + 0x7fffu + (u >> 16 & 1)) >> 16);  // to nearest, ties to even
#endif
}
// Goes through float with rounding to odd. So only the second rounding counts.
EW_BOTH unsigned short double_to_bfloat16(double d) {
  float f = (float)d;
  if ((double)f != d && d == d && f - f == 0.0f) {
    unsigned int u = __builtin_bit_cast(unsigned int, f);
    if ((f > d) == (d > 0)) u -= 1;
    f = __builtin_bit_cast(float, u | 1);
  }
  return float_to_bfloat16(f);
}
}  // namespace everwarp_detail

struct __nv_bfloat16 {
 protected:
  unsigned short __x;

 public:
  __nv_bfloat16() = default;
  EW_BOTH_MEMBER __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {}
  EW_BOTH_MEMBER __nv_bfloat16(float f) : __x(everwarp_detail::float_to_bfloat16(f)) {}
  EW_BOTH_MEMBER __nv_bfloat16(double d) : __x(everwarp_detail::double_to_bfloat16(d)) {}
  EW_BOTH_MEMBER __nv_bfloat16(short v) : __x(everwarp_detail::float_to_bfloat16(v)) {}
  EW_BOTH_MEMBER __nv_bfloat16(unsigned short v) : __x(everwarp_detail::float_to_bfloat16(v)) {}
  EW_BOTH_MEMBER __nv_bfloat16(int v) : __x(everwarp_detail::double_to_bfloat16(v)) {}
  EW_BOTH_MEMBER __nv_bfloat16(unsigned int v) : __x(everwarp_detail::double_to_bfloat16(v)) {}
  EW_BOTH_MEMBER __nv_bfloat16(long v) : __x(everwarp_detail::double_to_bfloat16((double)v)) {}
  EW_BOTH_MEMBER __nv_bfloat16(unsigned long v) : __x(everwarp_detail::double_to_bfloat16((double)v)) {}
  EW_BOTH_MEMBER __nv_bfloat16(long long v) : __x(everwarp_detail::double_to_bfloat16((double)v)) {}
  EW_BOTH_MEMBER __nv_bfloat16(unsigned long long v) : __x(everwarp_detail::double_to_bfloat16((double)v)) {}

  EW_BOTH_MEMBER operator __nv_bfloat16_raw() const {
    __nv_bfloat16_raw r;
    r.x = __x;
    return r;
  }
  EW_BOTH_MEMBER operator float() const { return everwarp_detail::bfloat16_to_float(__x); }
  EW_BOTH_MEMBER __nv_bfloat16 &operator=(const __nv_bfloat16_raw &r) {
    __x = r.x;
    return *this;
  }
};

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  EW_BOTH_MEMBER __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
  EW_BOTH_MEMBER __nv_bfloat162(const __nv_bfloat162_raw &r)
      : x(__nv_bfloat16_raw{r.x}), y(__nv_bfloat16_raw{r.y}) {}
  EW_BOTH_MEMBER operator __nv_bfloat162_raw() const {
    __nv_bfloat162_raw r;
    r.x = ((__nv_bfloat16_raw)x).x;
    r.y = ((__nv_bfloat16_raw)y).x;
    return r;
  }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

namespace everwarp_detail {
EW_BOTH float wide(__nv_bfloat16 h) { return h; }
EW_BOTH __nv_bfloat16 narrow(float f, __nv_bfloat16) { return __nv_bfloat16(f); }
EW_BOTH unsigned short bits(__nv_bfloat16 h) { return ((__nv_bfloat16_raw)h).x; }
EW_BOTH __nv_bfloat16 with_bits(unsigned short b, __nv_bfloat16) { return __nv_bfloat16(__nv_bfloat16_raw{b}); }
EW_BOTH unsigned short infinity_bits(__nv_bfloat16) { return 0x7f80; }
EW_BOTH unsigned short nan_bits(__nv_bfloat16) { return 0x7fff; }

// A float has more than twice a bfloat16's bits, so a sum or product rounded twice is rounded right.
#define EW_BFLOAT_OPERATION(name, op)                                                                              \
  EW_BOTH __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a op(float) b); }     \
  EW_BOTH __nv_bfloat162 name(__nv_bfloat162 a, __nv_bfloat162 b) {                                                \
    return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                                                         \
  }
EW_BFLOAT_OPERATION(add, +)
EW_BFLOAT_OPERATION(subtract, -)
EW_BFLOAT_OPERATION(multiply, *)
#undef EW_BFLOAT_OPERATION

EW_BOTH __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if __CUDA_ARCH__ >= 800
  unsigned short r;
  asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(bits(a)), "h"(bits(b)), "h"(bits(c)));
  return with_bits(r, a);
#else
  return __nv_bfloat16(fused_sticky(a, b, c));
#endif
}
EW_BOTH __nv_bfloat162 fused(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
#if __CUDA_ARCH__ >= 800
  unsigned int r;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;"
      : "=r"(r)
      : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)),
        "r"(__builtin_bit_cast(unsigned int, c)));
  return __builtin_bit_cast(__nv_bfloat162, r);
#else
  return __nv_bfloat162(fused(a.x, b.x, c.x), fused(a.y, b.y, c.y));
#endif
}
}  // namespace everwarp_detail
