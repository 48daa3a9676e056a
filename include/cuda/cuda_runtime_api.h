// The CUDA runtime API with C linkage, in CUDA 11.8's signatures: declarations only, answered by libeverwarp.
// Compiles in C, in C++ (g++) and in both passes of clang's CUDA mode.
#pragma once
#define __CUDA_RUNTIME_API_H__  // CUDA's include guard: programs and libraries test it

#define CUDART_VERSION 11080
#define __CUDART_API_VERSION CUDART_VERSION
#define CUDART_DEVICE __device__
#define __CUDA_DEPRECATED

#include "driver_types.h"
#include "everwarp/api/linkage.h"

#include "everwarp/api/device.h"
#include "everwarp/api/memory.h"
#include "everwarp/api/copy.h"
#include "everwarp/api/execution.h"
#include "everwarp/api/graph.h"
#include "everwarp/api/texture.h"
