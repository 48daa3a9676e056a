// Everything in include/everwarp as a program for a real GPU uses it.
#include <everwarp/gpm.cuh>
#include <everwarp/persist.cuh>

#include <cstdio>

__global__ void every_operation(int *pool, unsigned *flag, unsigned long long *wide, float *real) {
  __shared__ unsigned local;
  pool[threadIdx.x] = 1;
  ofence();
  pool[threadIdx.x + 32] = 2;
  dfence();
  pRel_block(&local, 1);
  pRel_dev(flag, 2u);
  pRel_sys(wide, 3);
  pRel_dev(real, 1.5f);
  pool[0] = pAcq_block(&local) + pAcq_dev(flag) + static_cast<int>(pAcq_sys(wide)) + static_cast<int>(pAcq_dev(real));
}

int main() {
  int *pool = static_cast<int *>(gpm_map("pool", 4096, true));
  every_operation<<<1, 32>>>(pool, nullptr, nullptr, nullptr);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
