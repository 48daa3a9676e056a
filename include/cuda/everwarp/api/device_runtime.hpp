// Launches from device code are refused. CUB and Thrust still compile branches for them, with these names.
#pragma once

// In host code the first is the ordinary synchronisation.
inline __host__ __device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance() {
#if defined(__CUDA_ARCH__)
  return cudaErrorNotSupported;
#else
  return ::cudaDeviceSynchronize();
#endif
}
inline __host__ __device__ void *cudaGetParameterBuffer(size_t, size_t) { return 0; }
inline __host__ __device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned int, cudaStream_t) {
  return cudaErrorNotSupported;
}
