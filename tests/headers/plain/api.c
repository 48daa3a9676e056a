/* The C face of both APIs. */
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <driver_functions.h>
#include <nvToolsExt.h>
#include <vector_functions.h>

int allocate(float **p, struct cudaDeviceProp *properties) {
  struct cudaExtent extent = make_cudaExtent(1, 2, 3);
  struct cudaMemcpy3DParms copy = {0};
  float4 v = make_float4(1, 2, 3, 4);
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  nvtxRangePushA("allocate");
  if (cudaGetDeviceProperties(properties, 0) != cudaSuccess) return 1;
  if (cudaMemcpy3D(&copy) != cudaSuccess || cuInit(0) != CUDA_SUCCESS) return 2;
  nvtxRangePop();
  return cudaMalloc((void **)p, sizeof v) == cudaErrorMemoryAllocation;
}
