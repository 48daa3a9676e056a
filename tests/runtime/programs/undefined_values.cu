// Code that C++ calls undefined, and that nvcc compiles as it is written: a value that only one lane has set and a
// shuffle gives to the others; a function that ends without its return.
#include "expect.h"

#pragma clang diagnostic ignored "-Wreturn-type"

namespace {

__global__ void leader_counts(int* count, int* places) {
  int place;
  if (threadIdx.x % 32 == 0) place = atomicAdd(count, 32);
  place = __shfl_sync(0xffffffffu, place, 0);
  places[blockIdx.x * blockDim.x + threadIdx.x] = place + static_cast<int>(threadIdx.x % 32);
}

__device__ int counts(int* count) {
  atomicAdd(count, 1);
}
__device__ __noinline__ float stores(float* values, int i) {
  if (i < 1000) values[i] = static_cast<float>(i);
}
__global__ void end_without_return(int* count, float* values) {
  counts(count);
  stores(values, static_cast<int>(threadIdx.x));
  count[1] = 5;
}

}  // namespace

int main() {
  DeviceArray<int> count(2, 0), places(256, -1);
  leader_counts<<<4, 64>>>(count, places);
  FINISH_KERNEL();
  SAME(256, count.download()[0]);
  std::vector<bool> taken(256, false);
  for (const int place : places.download()) {
    EXPECT(place >= 0 && place < 256 && !taken[place], "each place should be taken once, %d is not", place);
    taken[place] = true;
  }

  count.upload({0, 0});
  DeviceArray<float> values(64, -1);
  end_without_return<<<1, 64>>>(count, values);
  FINISH_KERNEL();
  SAME(64, count.download()[0]);
  SAME(5, count.download()[1]);
  SAME(63, values.download()[63]);
  return PASS("%d places", 256);
}
