#include <cuda_runtime.h>

#include <cstdio>

void launch_fill(int* p);

int main() {
  int* p = nullptr;
  int host[32] = {};
  cudaMalloc(reinterpret_cast<void**>(&p), sizeof host);
  launch_fill(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[31]);
}
