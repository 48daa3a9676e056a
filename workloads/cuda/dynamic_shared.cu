// Dynamic shared memory: several arrays of different types carved from one block, beyond the default 48 KiB by opting
// in, and kernels of one file that see the same extern array as different types. Exercises: cudaFuncSetAttribute,
// occupancy.
//
// deterministic: yes
#include "check.h"

namespace {

extern __shared__ __align__(16) unsigned char room[];

__global__ void carve(const int* in, double* out, int n) {
  auto* totals = reinterpret_cast<double*>(room);
  auto* cells = reinterpret_cast<int*>(totals + blockDim.x);
  auto* marks = reinterpret_cast<unsigned char*>(cells + n);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    cells[i] = in[blockIdx.x * n + i];
    marks[i] = cells[i] % 3 == 0;
  }
  __syncthreads();
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += marks[n - 1 - i] ? cells[n - 1 - i] * 0.5 : 1;
  totals[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < blockDim.x; ++t) sum += totals[t];
    out[blockIdx.x] = sum;
  }
}

// Fills all of a large block of shared memory and reads it from the other end.
__global__ void turn_round(unsigned* out, int words) {
  auto* cells = reinterpret_cast<unsigned*>(room);
  for (int i = threadIdx.x; i < words; i += blockDim.x) cells[i] = i * 2654435761u + blockIdx.x;
  __syncthreads();
  unsigned digest = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) digest = digest * 31 + cells[words - 1 - i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = digest;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 999, 1, 8192);
  constexpr int kBlocks = 3, kThreads = 64;
  Random random(64);
  std::vector<int> in(kBlocks * n);
  std::vector<double> want(kBlocks);
  for (int i = 0; i < kBlocks * n; ++i) {
    in[i] = static_cast<int>(random.below(10000));
    want[i / n] += in[i] % 3 == 0 ? in[i] * 0.5 : 1;
  }
  DeviceArray<int> device_in(in);
  DeviceArray<double> out(kBlocks);
  const size_t bytes = kThreads * sizeof(double) + n * (sizeof(int) + 1);
  carve<<<kBlocks, kThreads, bytes>>>(device_in, out, n);
  FINISH_KERNEL();
  EXPECT_SAME(want, out.download(), "total");

  int most = 0, by_default = 0;
  CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  CUDA(cudaDeviceGetAttribute(&by_default, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  EXPECT(most >= by_default && by_default >= 48 << 10, "a block should have 48 KiB of shared memory, has %d",
         by_default);
  if (most > by_default) {
    turn_round<<<1, kThreads, most>>>(nullptr, 0);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue, "%d bytes should need opting in", most);
  }
  CUDA(cudaFuncSetAttribute(turn_round, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  cudaFuncAttributes attributes;
  CUDA(cudaFuncGetAttributes(&attributes, turn_round));
  EXPECT(attributes.maxDynamicSharedSizeBytes >= most, "the kernel should be allowed %d bytes, is allowed %d", most,
         attributes.maxDynamicSharedSizeBytes);
  int few = 0, many = 0;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, turn_round, kThreads, most));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, turn_round, kThreads, 1024));
  EXPECT(few >= 1 && many > few, "less shared memory should let more blocks run at once, %d and %d do", few, many);
  DeviceArray<unsigned> digests(2 * kThreads);
  turn_round<<<2, kThreads, most>>>(digests, most / 4);
  FINISH_KERNEL();
  std::vector<unsigned> want_digests(2 * kThreads);
  for (int t = 0; t < 2 * kThreads; ++t)
    for (int i = t % kThreads; i < most / 4; i += kThreads)
      want_digests[t] = want_digests[t] * 31 + (most / 4 - 1 - i) * 2654435761u + t / kThreads;
  EXPECT_SAME(want_digests, digests.download(), "digest");
  return PASS("n=%d", n);
}
