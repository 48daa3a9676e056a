// What public CUDA programs take for granted: `register`, narrowing in braces, launch bounds with three arguments,
// atomics on vectors, prefetches by cudaMemLocation as in CUDA 12 and 13, and CUDA's own words for errors.
#include <cstring>

#include "check.h"

struct Sums {
  float2 two;
  float4 four;
};

__global__ void __launch_bounds__(64, 2, 1) add(Sums* sums, float scale) {
  register int i = threadIdx.x;
  const int whole[2] = {scale, 2.0f};  // 3 and 2
  atomicAdd(&sums->two, make_float2(1, whole[0]));
  const float4 old = atomicAdd(&sums->four, make_float4(i, 1, whole[1], 4));
  if (old.y < 0) atomicAdd_block(&sums->two, make_float2(1000, 1000));  // never
}

static const char* wrong_word() {
  const struct {
    cudaError_t error;
    const char* text;
  } words[] = {{cudaSuccess, "no error"},
               {cudaErrorInvalidValue, "invalid argument"},
               {cudaErrorMemoryAllocation, "out of memory"},
               {cudaErrorInvalidConfiguration, "invalid configuration argument"},
               {cudaErrorNoDevice, "no CUDA-capable device is detected"},
               {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
               {cudaErrorLaunchFailure, "unspecified launch failure"},
               {cudaErrorAssert, "device-side assert triggered"},
               {cudaErrorProfilerNotInitialized, "profiler not initialized: call cudaProfilerInitialize()"},
               {cudaErrorProfilerAlreadyStarted, "profiler already started"},
               {cudaErrorInvalidTextureBinding, "texture is not bound to a pointer"},
               {cudaErrorAddressOfConstant, "invalid address of constant"},
               {cudaErrorTextureFetchFailed, "fetch from texture failed"},
               {cudaErrorTextureNotBound, "cannot fetch from a texture that is not bound"},
               {cudaErrorSynchronizationError, "incorrect use of __syncthreads()"},
               {cudaErrorInvalidFilterSetting, "linear filtering not supported for non-float type"},
               {cudaErrorInvalidNormSetting, "read as normalized float not supported for 32-bit non float type"},
               {cudaErrorMixedDeviceExecution, "device emulation mode and device execution mode cannot be mixed"},
               {cudaErrorNotYetImplemented, "feature not yet implemented"},
               {cudaErrorMemoryValueTooLarge, "memory size or pointer value too large to fit in 32 bit"},
               {cudaErrorCallRequiresNewerDriver, "API call is not supported in the installed CUDA driver"},
               {cudaErrorSoftwareValidityNotEstablished, "integrity checks failed"}};
  for (const auto& word : words)
    if (strcmp(cudaGetErrorString(word.error), word.text)) return word.text;
  return nullptr;
}

int main() {
  register const int threads = 64;
  Sums* sums;
  cudaMallocManaged(&sums, sizeof *sums);
  cudaMemset(sums, 0, sizeof *sums);
  cudaMemLocation device{}, host{};
  device.type = cudaMemLocationTypeDevice;
  host.type = cudaMemLocationTypeHost;
  const bool placed = cudaMemAdvise(sums, sizeof *sums, cudaMemAdviseSetPreferredLocation, device) == cudaSuccess &&
                      cudaMemPrefetchAsync(sums, sizeof *sums, device, 0, 0) == cudaSuccess;
  const bool named =  // CUDA 12's names of the same
      cudaMemAdvise_v2(sums, sizeof *sums, cudaMemAdviseSetAccessedBy, device) == cudaSuccess &&
      cudaMemAdvise_v2(sums, sizeof *sums, cudaMemAdviseSetReadMostly, cudaMemLocation{}) == cudaSuccess &&
      cudaMemAdvise_v2(sums, sizeof *sums, cudaMemAdviseUnsetReadMostly, cudaMemLocation{}) == cudaSuccess &&
      cudaMemAdvise_v2(sums, sizeof *sums, cudaMemAdviseSetAccessedBy, cudaMemLocation{}) == cudaErrorInvalidDevice &&
      cudaMemPrefetchAsync_v2(sums, sizeof *sums, host, 0, 0) == cudaSuccess &&
      cudaMemPrefetchAsync_v2(sums, sizeof *sums, device, 0) == cudaSuccess &&
      cudaMemPrefetchAsync_v2(sums, sizeof *sums, device, 1) == cudaErrorInvalidValue &&
      cudaMemPrefetchAsync_v2(sums, sizeof *sums, cudaMemLocation{}, 0) == cudaErrorInvalidValue;
  int last = -1;
  cudaMemRangeGetAttribute(&last, sizeof last, cudaMemRangeAttributeLastPrefetchLocation, sums, sizeof *sums);
  if (!named || last != 0) return printf("FAIL public_habits: the calls of CUDA 12 that name places\n"), 1;
  add<<<1, threads>>>(sums, 3.7f);
  const bool back = cudaMemPrefetchAsync(sums, sizeof *sums, host, 0, 0) == cudaSuccess;
  const bool refused = cudaMemPrefetchAsync(sums, sizeof *sums, host, 1, 0) == cudaErrorInvalidValue;  // flags are 0
  cudaDeviceSynchronize();
  const char* const word = wrong_word();
  const float expected[6] = {64, 192, 2016, 64, 128, 256};
  const float* const found = &sums->two.x;
  for (int i = 0; i < 2; ++i)
    if (found[i] != expected[i])
      return printf("FAIL public_habits: two[%d] should be %g, is %g\n", i, expected[i], found[i]), 1;
  for (int i = 0; i < 4; ++i)
    if ((&sums->four.x)[i] != expected[2 + i])
      return printf("FAIL public_habits: four[%d] should be %g, is %g\n", i, expected[2 + i], (&sums->four.x)[i]), 1;
  if (!placed || !back || !refused)
    return printf("FAIL public_habits: prefetches %d %d %d\n", placed, back, refused), 1;
  if (word) return printf("FAIL public_habits: no error is \"%s\"\n", word), 1;
  printf("PASS public_habits threads=%d\n", threads);
}
