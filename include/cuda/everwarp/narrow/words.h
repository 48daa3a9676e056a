// The attributes of the functions of cuda_fp16.h and cuda_bf16.h, for host and device, in clang's CUDA mode and in g++.
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
// True if a float lies within one unit of a value of half or bfloat16, or of the middle between two such values.
EW_DEVICE bool undecided(float y) { return ((__builtin_bit_cast(unsigned int, y) + 1) & 0xfff) <= 2; }
// A float that every narrower type rounds as it would round d: d rounded toward zero, with the last bit set if that was
// inexact.
EW_DEVICE float sticky(double d) {
  const float f = __nvvm_d2f_rz(d);
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, f) | ((double)f != d ? 1u : 0u));
}
#endif
// a b + c for the host. The product is exact in double. The sum has its last bit set if it was inexact. So there is only
// one rounding, that to half or bfloat16.
EW_BOTH double fused_sticky(float a, float b, float c) {
  const double product = (double)a * (double)b, sum = product + (double)c, added = sum - product;
  const double rest = (product - (sum - added)) + ((double)c - added);
  unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
  if (rest == 0 || rest != rest || (bits & 1)) return sum;
  bits += (rest > 0) == (sum > 0) ? 1 : -1;
  return __builtin_bit_cast(double, bits);
}
}  // namespace everwarp_detail
