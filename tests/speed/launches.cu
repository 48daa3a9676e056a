// launches LAUNCHES STREAMS: tiny kernels, one after the other, in these streams in turn. tests/speed/check-launches
// counts the instructions of the host that each takes.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void tiny(int* x) {
  if (threadIdx.x == 0) x[blockIdx.x] = 1;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int launches = std::atoi(argv[1]);
  std::vector<cudaStream_t> streams(std::atoi(argv[2]));
  int *x = nullptr, found = 0;
  cudaMalloc(&x, sizeof *x);
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  for (int i = 0; i < launches; ++i) tiny<<<1, 32, 0, streams[i % streams.size()]>>>(x);
  cudaDeviceSynchronize();
  cudaMemcpy(&found, x, sizeof found, cudaMemcpyDeviceToHost);
  std::printf(found == 1 ? "PASS launches\n" : "FAIL launches: expected 1, found %d\n", found);
  return found != 1;
}
