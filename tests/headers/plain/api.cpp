// The C++ face of the runtime API, half precision in host code, and the driver API beside it.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

__host__ __device__ inline float twice(float x) { return 2 * x; }

cudaError_t use(float **p, cudaStream_t stream) {
  dim3 grid(4), block(32, 2);
  const uint3 corner = grid;
  cudaError_t e = cudaMalloc(p, 100);
  if (e == cudaSuccess) e = cudaMallocManaged(p, 100);
  if (e == cudaSuccess) e = cudaMemcpyAsync(*p, *p, 8, cudaMemcpyDeviceToDevice, stream);
  if (e == cudaSuccess) e = cudaLaunchKernel((const void *)nullptr, grid, block, nullptr, 0, stream);
  const __half h = __float2half(twice(float(corner.x)));
  const __nv_bfloat16 b = __float2bfloat16(1.5f);
  return float(h) + float(b * b) > 0 ? e : cudaErrorUnknown;
}
