// __half and __half2: storage, conversions from and to C++'s arithmetic types.
#pragma once

#include "../../vector_types.h"
#include "words.h"

struct __half_raw {
  unsigned short x;
};
struct __align__(4) __half2_raw {
  unsigned short x, y;
};

namespace everwarp_detail {
EW_BOTH float half_to_float(unsigned short bits) { return (float)__builtin_bit_cast(_Float16, bits); }
EW_BOTH unsigned short float_to_half(float f) { return __builtin_bit_cast(unsigned short, (_Float16)f); }
EW_BOTH unsigned short double_to_half(double d) { return __builtin_bit_cast(unsigned short, (_Float16)d); }
}  // namespace everwarp_detail

struct __half {
 protected:
  unsigned short __x;

 public:
  __half() = default;
  EW_BOTH_MEMBER __half(const __half_raw &r) : __x(r.x) {}
  EW_BOTH_MEMBER __half(float f) : __x(everwarp_detail::float_to_half(f)) {}
  EW_BOTH_MEMBER __half(double d) : __x(everwarp_detail::double_to_half(d)) {}
  EW_BOTH_MEMBER __half(short v) : __x(everwarp_detail::float_to_half(v)) {}
  EW_BOTH_MEMBER __half(unsigned short v) : __x(everwarp_detail::float_to_half(v)) {}
  EW_BOTH_MEMBER __half(int v) : __x(everwarp_detail::double_to_half(v)) {}
  EW_BOTH_MEMBER __half(unsigned int v) : __x(everwarp_detail::double_to_half(v)) {}
  EW_BOTH_MEMBER __half(long v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
  EW_BOTH_MEMBER __half(unsigned long v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
  EW_BOTH_MEMBER __half(long long v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}
  EW_BOTH_MEMBER __half(unsigned long long v) : __x(__builtin_bit_cast(unsigned short, (_Float16)v)) {}

  EW_BOTH_MEMBER operator __half_raw() const {
    __half_raw r;
    r.x = __x;
    return r;
  }
  EW_BOTH_MEMBER operator float() const { return everwarp_detail::half_to_float(__x); }
  EW_BOTH_MEMBER __half &operator=(const __half_raw &r) {
    __x = r.x;
    return *this;
  }
};

struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  EW_BOTH_MEMBER __half2(const __half &a, const __half &b) : x(a), y(b) {}
  EW_BOTH_MEMBER __half2(const __half2_raw &r) : x(__half_raw{r.x}), y(__half_raw{r.y}) {}
  EW_BOTH_MEMBER operator __half2_raw() const {
    __half2_raw r;
    r.x = ((__half_raw)x).x;
    r.y = ((__half_raw)y).x;
    return r;
  }
};
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

namespace everwarp_detail {
// The operations that everwarp/narrow/arithmetic.inc uses.
EW_BOTH float wide(__half h) { return h; }
EW_BOTH __half narrow(float f, __half) { return __half(f); }
EW_BOTH unsigned short bits(__half h) { return ((__half_raw)h).x; }
EW_BOTH __half with_bits(unsigned short b, __half) { return __half(__half_raw{b}); }
EW_BOTH unsigned short infinity_bits(__half) { return 0x7c00; }
EW_BOTH unsigned short nan_bits(__half) { return 0x7fff; }

#if defined(__CUDA_ARCH__)
#define EW_HALF_OPERATION(name, op)                                                                        \
  EW_BOTH __half name(__half a, __half b) {                                                                \
    return __builtin_bit_cast(__half, (_Float16)(__builtin_bit_cast(_Float16, a) op __builtin_bit_cast(_Float16, b))); \
  }                                                                                                        \
  EW_BOTH __half2 name(__half2 a, __half2 b) {                                                             \
    typedef _Float16 Pair __attribute__((ext_vector_type(2)));                                             \
    return __builtin_bit_cast(__half2, __builtin_bit_cast(Pair, a) op __builtin_bit_cast(Pair, b));        \
  }
EW_HALF_OPERATION(add, +)
EW_HALF_OPERATION(subtract, -)
EW_HALF_OPERATION(multiply, *)
#undef EW_HALF_OPERATION
EW_BOTH __half fused(__half a, __half b, __half c) {
  unsigned short r;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(bits(a)), "h"(bits(b)), "h"(bits(c)));
  return with_bits(r, a);
}
EW_BOTH __half2 fused(__half2 a, __half2 b, __half2 c) {
  unsigned int r;
  asm("fma.rn.f16x2 %0, %1, %2, %3;"
      : "=r"(r)
      : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)),
        "r"(__builtin_bit_cast(unsigned int, c)));
  return __builtin_bit_cast(__half2, r);
}
#else
#define EW_HALF_OPERATION(name, op)                                                     \
  EW_BOTH __half name(__half a, __half b) { return __half((float)a op(float) b); }      \
  EW_BOTH __half2 name(__half2 a, __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); }
EW_HALF_OPERATION(add, +)
EW_HALF_OPERATION(subtract, -)
EW_HALF_OPERATION(multiply, *)
#undef EW_HALF_OPERATION
EW_BOTH __half fused(__half a, __half b, __half c) { return __half(fused_sticky(a, b, c)); }
EW_BOTH __half2 fused(__half2 a, __half2 b, __half2 c) {
  return __half2(fused(a.x, b.x, c.x), fused(a.y, b.y, c.y));
}
#endif
}  // namespace everwarp_detail
