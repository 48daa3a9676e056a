// The CUDA driver API (cu…): the part that programs call, in CUDA 11.8's signatures. Answered by libeverwarp.
#pragma once
#define __cuda_cuda_h__  // CUDA's include guard: programs and libraries test it

#ifndef CUDA_VERSION
#define CUDA_VERSION 11080
#endif
#define __CUDA_API_VERSION 11080
#ifndef CUDAAPI
#define CUDAAPI
#endif

#include "everwarp/driver/types.h"

// The runtime API's header may have declared it already, under the same name.
#ifndef EW_CUUUID
#define EW_CUUUID
typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;
#endif

#include "everwarp/driver/functions.h"
#include "everwarp/driver/launches.h"
#include "everwarp/driver/pools.h"
#include "everwarp/driver/graphs.h"
