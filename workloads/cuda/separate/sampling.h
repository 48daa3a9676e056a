// The host's way into sampling.cu and reference.cpp.
#pragma once
#include <cuda_runtime.h>

cudaError_t sample_on_device(int* out, int n);
int reference(int i, int n);  // what sample i of n must be
cudaError_t evaluations_so_far(int* count);
