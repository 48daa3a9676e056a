// What wrong calls return: too many threads, a null launch, too much shared memory, bad copies, double frees, an
// illegal address (sticky), and that cudaGetLastError clears what may be cleared. Exercises: CUDA's error codes and
// their rules.
//
// deterministic: yes
#include "check.h"

namespace {

__global__ void nothing() {}
__global__ void add_one(int* cell) {
  ++*cell;
}
__global__ void write_to(int* where) {
  *where = 1;
}

#define EXPECT_ERROR(want, call)                                                                   \
  do {                                                                                             \
    const cudaError_t got_error = (call);                                                          \
    EXPECT(got_error == (want), "%s should return %s, returned %s", #call, cudaGetErrorName(want), \
           cudaGetErrorName(got_error));                                                           \
  } while (0)

cudaError_t after_launch() {
  return cudaGetLastError();
}

}  // namespace

int main() {
  int count = 0;
  CUDA(cudaGetDeviceCount(&count));
  EXPECT(count >= 1, "there should be a device, the count is %d", count);
  EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(count + 5));
  EXPECT_ERROR(cudaErrorInvalidDevice, cudaGetLastError());
  EXPECT_ERROR(cudaSuccess, cudaGetLastError());

  // Launches that cannot be: the error is seen by cudaPeekAtLastError, then cleared by cudaGetLastError.
  nothing<<<1, 4096>>>();
  EXPECT_ERROR(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
  EXPECT_ERROR(cudaErrorInvalidConfiguration, after_launch());
  EXPECT_ERROR(cudaSuccess, after_launch());
  nothing<<<0, 32>>>();
  EXPECT_ERROR(cudaErrorInvalidConfiguration, after_launch());
  nothing<<<dim3(1, 70000), 32>>>();
  EXPECT_ERROR(cudaErrorInvalidConfiguration, after_launch());
  nothing<<<1, dim3(1, 1, 65)>>>();
  EXPECT_ERROR(cudaErrorInvalidConfiguration, after_launch());
  nothing<<<1, 32, 1 << 20>>>();
  EXPECT_ERROR(cudaErrorInvalidValue, after_launch());
  nothing<<<1, 1024>>>();
  EXPECT_ERROR(cudaSuccess, cudaDeviceSynchronize());

  // Memory calls.
  int* cell = nullptr;
  int value = 41;
  EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&cell, size_t(1) << 50));
  EXPECT_ERROR(cudaErrorMemoryAllocation, cudaGetLastError());
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMalloc(static_cast<int**>(nullptr), 4));
  CUDA(cudaMalloc(&cell, sizeof(int)));
  EXPECT_ERROR(cudaErrorInvalidMemcpyDirection, cudaMemcpy(cell, &value, 4, static_cast<cudaMemcpyKind>(77)));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset2D(cell, 2, 0, 4, 1));
  EXPECT_ERROR(cudaSuccess, cudaFree(nullptr));
  CUDA(cudaMemcpy(cell, &value, sizeof(int), cudaMemcpyHostToDevice));
  cudaGetLastError();
  add_one<<<1, 1>>>(cell);
  CUDA(cudaMemcpy(&value, cell, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(value == 42, "after all these errors a kernel should still work: 42 expected, is %d", value);
  CUDA(cudaFree(cell));
  EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(cell));
  cudaGetLastError();

  // Events and streams.
  cudaEvent_t event, untimed;
  CUDA(cudaEventCreate(&event));
  CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  float time = 0;
  EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&time, event, untimed));
  cudaGetLastError();
  EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0,
         "the name of error 1 should be cudaErrorInvalidValue, is %s", cudaGetErrorName(cudaErrorInvalidValue));
  EXPECT(strlen(cudaGetErrorString(cudaErrorMemoryAllocation)) > 5, "error 2 should have a description");

  // An illegal address: reported at the next synchronisation, and from then on by every call.
  write_to<<<1, 1>>>(reinterpret_cast<int*>(0x10));
  EXPECT_ERROR(cudaSuccess, after_launch());
  EXPECT_ERROR(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  EXPECT_ERROR(cudaErrorIllegalAddress, cudaGetLastError());
  EXPECT_ERROR(cudaErrorIllegalAddress, cudaMalloc(&cell, 4));
  nothing<<<1, 1>>>();
  EXPECT_ERROR(cudaErrorIllegalAddress, after_launch());
  return PASS("errors checked");
}
