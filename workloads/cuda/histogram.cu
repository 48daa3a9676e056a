// A 256-bin histogram of bytes three ways: global atomics, one shared histogram a block, one a warp. Exercises:
// atomicAdd on global and shared memory under contention, reinterpretation of words as uchar4, reduction with red-like
// atomics.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kBins = 256;
constexpr int kThreads = 128;

__global__ void count_global(const unsigned char* data, int n, unsigned* bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[data[i]], 1u);
}

__global__ void count_shared(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned mine[kBins];
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += blockDim.x)
    if (mine[b] != 0) atomicAdd(&bins[b], mine[b]);
}

// REQUIRES: n is a multiple of 4.
__global__ void count_by_warp(const uchar4* data, int words, unsigned* bins) {
  __shared__ unsigned of_warp[kThreads / 32][kBins];
  unsigned* mine = of_warp[threadIdx.x / 32];
  for (int b = threadIdx.x % 32; b < kBins; b += 32) mine[b] = 0;
  __syncwarp();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    const uchar4 bytes = data[i];
    atomicAdd(&mine[bytes.x], 1u);
    atomicAdd(&mine[bytes.y], 1u);
    atomicAdd(&mine[bytes.z], 1u);
    atomicAdd(&mine[bytes.w], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < kThreads / 32; ++w) sum += of_warp[w][b];
    atomicAdd(&bins[b], sum);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = 4 * size_argument(argc, argv, 1, 10000, 1, 1 << 26);
  Random random(13);
  std::vector<unsigned char> data(n);
  for (auto& x : data) x = static_cast<unsigned char>(random.below(256) & random.below(256));  // skewed to few bins
  std::vector<unsigned> want(kBins);
  for (unsigned char x : data) ++want[x];

  DeviceArray<unsigned char> device_data(data);
  DeviceArray<unsigned> global(kBins, 0), shared(kBins, 0), by_warp(kBins, 0);
  count_global<<<6, kThreads>>>(device_data, n, global);
  count_shared<<<6, kThreads>>>(device_data, n, shared);
  count_by_warp<<<6, kThreads>>>(reinterpret_cast<const uchar4*>(device_data.get()), n / 4, by_warp);
  FINISH_KERNEL();
  EXPECT_SAME(want, global.download(), "global histogram");
  EXPECT_SAME(want, shared.download(), "shared histogram");
  EXPECT_SAME(want, by_warp.download(), "histogram by warps");
  return PASS("n=%d bin 0 has %u", n, want[0]);
}
