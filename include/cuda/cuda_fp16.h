// Half precision: __half, __half2 and CUDA's functions on them. Types, conversions and arithmetic are also for host code.
#pragma once
#define __CUDA_FP16_H__  // CUDA's include guard: programs and libraries test it

#if defined(__cplusplus)
#if defined(__CUDA__)
#include "cuda_runtime.h"
#endif
#include "everwarp/narrow/half_type.h"
#include "everwarp/narrow/half_conversions.h"
#define EW_T __half
#define EW_T2 __half2
#include "everwarp/narrow/arithmetic.inc"
#undef EW_T
#undef EW_T2

#if defined(__CUDA__)
#include "everwarp/narrow/atomics.cuh"
EW_NARROW_ATOMIC(__half2, unsigned int, "r", "f16x2")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
EW_NARROW_ATOMIC(__half, unsigned short, "h", "f16")
#else
EW_DEVICE __half atomicAdd(__half *address, __half v) { return everwarp_detail::atomic_add_in_word(address, v); }
#endif
#endif
#endif
