// How the functions of cuda_fp16.h and cuda_bf16.h are declared: for host and device, in clang's CUDA mode and in g++.
#pragma once

#if defined(__CUDA__)
#define EW_BOTH static __inline__ __attribute__((host, device, always_inline, nodebug))
#define EW_BOTH_MEMBER __inline__ __attribute__((host, device, always_inline, nodebug))
#else
#define EW_BOTH static inline __attribute__((unused))
#define EW_BOTH_MEMBER inline
#endif
