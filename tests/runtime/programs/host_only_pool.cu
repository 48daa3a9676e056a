// A pool that only the host has mapped (host_map): a kernel that uses it faults, as on a GPU. cudaHostRegister gives it
// to kernels, cudaHostUnregister takes it back.
#include <everwarp/gpm.cuh>
#include <everwarp/host.cuh>

#include "expect.h"

namespace {

__global__ void write(int* word, int value) {
  *word = value;
}

cudaError_t write_to(void* pool, int value) {
  write<<<1, 1>>>(static_cast<int*>(pool), value);
  return cudaDeviceSynchronize();
}

}  // namespace

int main() {
  void* const pool = host_map("host_only.pool", 4096, true);
  EXPECT(pool != nullptr, "the pool should have been mapped");
  int* const words = static_cast<int*>(pool);
  CUDA(cudaHostRegister(pool, 4096, cudaHostRegisterMapped));
  CUDA(write_to(pool, 1));
  SAME(1, words[0]);
  CUDA(cudaHostUnregister(pool));
  const int source = 2;
  CUDA(cudaMemcpy(words + 1, &source, sizeof source, cudaMemcpyDefault));
  EXPECT(host_copy(words + 2, &source, sizeof source, 1) == 0 && host_persist(pool, 64, 1) == 0, "the host may use it");
  CUDA(cudaDeviceSynchronize());
  SAME(2, words[1]);
  SAME(2, words[2]);
  const cudaError_t error = write_to(pool, 3);
  EXPECT(error == cudaErrorIllegalAddress, "the kernel should fault, got %s", cudaGetErrorName(error));
  SAME(1, words[0]);
  std::remove("host_only.pool");
  return PASS("%d", words[0]);
}
