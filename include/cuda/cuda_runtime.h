// The CUDA runtime for C++: the C API, its templates, vector constructors, and in CUDA mode the device side.
#pragma once
#define __CUDA_RUNTIME_H__  // CUDA's include guard: programs and libraries test it

#include "host_defines.h"
#include "builtin_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#include "everwarp/api/templates.hpp"
#endif
#if defined(__CUDA__)
#include "everwarp/prelude.cuh"
#endif
