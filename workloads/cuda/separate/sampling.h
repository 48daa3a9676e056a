// The host's way into sampling.cu, for a file that the host compiler alone compiles.
#pragma once
#include <cuda_runtime.h>

cudaError_t sample_on_device(int* out, int n);
cudaError_t evaluations_so_far(int* count);
