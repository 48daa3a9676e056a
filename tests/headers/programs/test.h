// What the CUDA programs of this folder share: expectations in host and device code, and the verdict at the end.
#pragma once
#include <cstdio>
#include <cstdlib>

__device__ unsigned device_expectations, device_misses;
static unsigned host_expectations, host_misses;

static __host__ __device__ void expect(bool holds, const char* text, const char* file, int line) {
#if defined(__CUDA_ARCH__)
  atomicAdd(&device_expectations, 1u);
  if (holds || atomicAdd(&device_misses, 1u) > 20) return;
  printf("%s:%d: FAIL in block %u, thread (%u, %u, %u): %s\n", file, line, blockIdx.x, threadIdx.x, threadIdx.y,
         threadIdx.z, text);
#else
  ++host_expectations;
  if (holds || host_misses++ > 20) return;
  printf("%s:%d: FAIL: %s\n", file, line, text);
#endif
}
#define EXPECT(...) expect(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

static void require(cudaError_t error, const char* call, int line) {
  if (error == cudaSuccess) return;
  printf("line %d: %s: %s\n", line, call, cudaGetErrorString(error));
  exit(1);
}
#define CUDA(call) require(call, #call, __LINE__)

// The status of main: 0 when every launch succeeded and every expectation held, and there were some.
static int finish() {
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
  unsigned made, missed;
  CUDA(cudaMemcpyFromSymbol(&made, device_expectations, sizeof made));
  CUDA(cudaMemcpyFromSymbol(&missed, device_misses, sizeof missed));
  printf("%u expectations on the device, %u on the host; %u + %u missed\n", made, host_expectations, missed, host_misses);
  return made + host_expectations == 0 || missed || host_misses;
}
