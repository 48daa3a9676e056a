// How the functions of cuda_fp16.h and cuda_bf16.h are declared: for host and device, in clang's CUDA mode and in g++.
#pragma once

#if defined(__CUDA__)
#include "../device_function.cuh"
#endif

#if defined(__CUDA__)
#define EW_BOTH static __inline__ __attribute__((host, device, always_inline, nodebug))
#define EW_BOTH_MEMBER __inline__ __attribute__((host, device, always_inline, nodebug))
#else
#define EW_BOTH static inline __attribute__((unused))
#define EW_BOTH_MEMBER inline
#endif

namespace everwarp_detail {
#if defined(__CUDA__)
// Whether a float lies within one unit of a value that half or bfloat16 has, or of the middle between two.
EW_DEVICE bool undecided(float y) { return ((__builtin_bit_cast(unsigned int, y) + 1) & 0xfff) <= 2; }
// A float that every narrower type rounds as it would round d: toward zero, the last bit set when that was inexact.
EW_DEVICE float sticky(double d) {
  const float f = __nvvm_d2f_rz(d);
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, f) | ((double)f != d ? 1u : 0u));
}
#endif
// a b + c for the host, where the product is exact in double: the sum with its last bit set when it was inexact, so that
// rounding to half or bfloat16 happens once.
EW_BOTH double fused_sticky(float a, float b, float c) {
  const double product = (double)a * (double)b, sum = product + (double)c, added = sum - product;
  const double rest = (product - (sum - added)) + ((double)c - added);
  unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
  if (rest == 0 || rest != rest || (bits & 1)) return sum;
  bits += (rest > 0) == (sum > 0) ? 1 : -1;
  return __builtin_bit_cast(double, bits);
}
}  // namespace everwarp_detail
