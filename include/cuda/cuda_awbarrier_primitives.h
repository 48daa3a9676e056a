// __mbarrier_init, __mbarrier_arrive, …: the C interface of PTX's mbarrier.
#pragma once
#if defined(__CUDA__)
#include "cuda_runtime.h"
#include "everwarp/mbarrier.cuh"
#endif
