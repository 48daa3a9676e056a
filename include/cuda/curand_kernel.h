// cuRAND's device API: XORWOW, Philox4x32-10, MRG32k3a and Sobol' generators and the distributions on them.
#pragma once

#if !defined(__cplusplus)
#error "curand_kernel.h is C++"
#endif

#include "everwarp/curand/distributions.cuh"

// The Mersenne Twister that shares a state among the threads of a block.
struct __attribute__((unavailable("cuRAND's MTGP32 generator is not simulated"))) curandStateMtgp32;
struct __attribute__((unavailable("cuRAND's MTGP32 generator is not simulated"))) curandStateMtgp32_t;
