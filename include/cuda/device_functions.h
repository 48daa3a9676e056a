// Device intrinsics come with cuda_runtime.h.
#pragma once
#define __DEVICE_FUNCTIONS_H__  // CUDA's include guard: programs and libraries test it
#include "cuda_runtime.h"
