// What programs of the driver API share.
#pragma once

#include <cuda.h>

#include "check.h"

inline void require(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "?";
  cuGetErrorName(result, &name);
  EXPECT(false, "%s should succeed, but returned %s", call, name);
}
#define DRIVER(call) require(call, #call)
