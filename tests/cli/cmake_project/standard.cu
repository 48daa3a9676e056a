#include <cstdio>

__global__ void standard() {
  printf("%ld\n", __cplusplus);
}

int main() {
  standard<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
