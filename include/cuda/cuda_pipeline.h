// __pipeline_memcpy_async, __pipeline_commit, __pipeline_wait_prior.
#pragma once

#if defined(__CUDA__)
#include "cuda_runtime.h"
#include "everwarp/asynchronous_copy.cuh"
#include "everwarp/mbarrier.cuh"
#endif
