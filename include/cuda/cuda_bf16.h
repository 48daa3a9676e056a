// bfloat16: __nv_bfloat16, __nv_bfloat162 and CUDA's functions on them. Also for host code.
#pragma once
#define __CUDA_BF16_H__  // CUDA's include guard: programs and libraries test it

#if defined(__cplusplus)
#if defined(__CUDA__)
#include "cuda_runtime.h"
#endif
#include "everwarp/narrow/bfloat16_type.h"
#include "everwarp/narrow/bfloat16_conversions.h"
#define EW_T __nv_bfloat16
#define EW_T2 __nv_bfloat162
#include "everwarp/narrow/arithmetic.inc"
#undef EW_T
#undef EW_T2

#if defined(__CUDA__)
#include "everwarp/narrow/atomics.cuh"
#if __CUDA_ARCH__ >= 900
EW_NARROW_ATOMIC(__nv_bfloat162, unsigned int, "r", "bf16x2")
EW_NARROW_ATOMIC(__nv_bfloat16, unsigned short, "h", "bf16")
#else
EW_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 v) {
  return everwarp_detail::atomic_add_by_cas((unsigned int *)address, v);
}
EW_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 v) {
  return everwarp_detail::atomic_add_in_word(address, v);
}
#endif
#endif
#endif
