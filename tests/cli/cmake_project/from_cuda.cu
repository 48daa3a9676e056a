#include <cstdio>

void launch_seven(int* p);

__global__ void increment(int* p) {
  *p += 1;
}

int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, sizeof *p);
  launch_seven(p);
  increment<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  std::printf("%d\n", *p);
}
