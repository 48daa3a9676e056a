// The memory of a launch of a million threads of a small kernel: the process stays below 150 MB.
#include <sys/resource.h>

#include "expect.h"

namespace {

__global__ void add(const int* a, const int* b, int* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

int main() {
  constexpr int kCount = 1 << 20;
  DeviceArray<int> a(kCount, 1), b(kCount, 2), c(kCount);
  add<<<kCount / 256, 256>>>(a, b, c, kCount);
  FINISH_KERNEL();
  int last = 0;
  CUDA(cudaMemcpy(&last, c + (kCount - 1), sizeof last, cudaMemcpyDeviceToHost));
  SAME(0x03030303, last);
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  EXPECT(usage.ru_maxrss < 150'000, "at most 150 MB should be resident, %ld kB were", usage.ru_maxrss);
  return PASS("resident=%ld kB", usage.ru_maxrss);
}
