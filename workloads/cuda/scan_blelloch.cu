// Exclusive prefix sum in the work-efficient way: an up-sweep and a down-sweep in padded dynamic shared memory, block
// sums scanned by recursion on the host side. Exercises: dynamic shared memory, __syncthreads, several launch levels.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kThreads = 128;
constexpr int kTile = 2 * kThreads;

// One hole after every 32 words keeps the strided accesses of the tree off one bank.
__device__ int padded(int i) {
  return i + (i >> 5);
}

__global__ void scan_tiles(const uint32_t* in, uint32_t* out, uint32_t* tile_sums, int n) {
  extern __shared__ uint32_t tree[];
  const int base = blockIdx.x * kTile;
  const int a = threadIdx.x, b = threadIdx.x + kThreads;
  tree[padded(a)] = base + a < n ? in[base + a] : 0;
  tree[padded(b)] = base + b < n ? in[base + b] : 0;

  int distance = 1;
  for (int active = kThreads; active > 0; active >>= 1, distance <<= 1) {
    __syncthreads();
    if (threadIdx.x < active) {
      const int left = padded(distance * (2 * threadIdx.x + 1) - 1);
      const int right = padded(distance * (2 * threadIdx.x + 2) - 1);
      tree[right] += tree[left];
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    tile_sums[blockIdx.x] = tree[padded(kTile - 1)];
    tree[padded(kTile - 1)] = 0;
  }
  for (int active = 1; active <= kThreads; active <<= 1) {
    distance >>= 1;
    __syncthreads();
    if (threadIdx.x < active) {
      const int left = padded(distance * (2 * threadIdx.x + 1) - 1);
      const int right = padded(distance * (2 * threadIdx.x + 2) - 1);
      const uint32_t sum = tree[left];
      tree[left] = tree[right];
      tree[right] += sum;
    }
  }
  __syncthreads();
  if (base + a < n) out[base + a] = tree[padded(a)];
  if (base + b < n) out[base + b] = tree[padded(b)];
}

__global__ void add_tile_offsets(uint32_t* out, const uint32_t* offsets, int n) {
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) {
    const int at = blockIdx.x * kTile + i;
    if (at < n) out[at] += offsets[blockIdx.x];
  }
}

void exclusive_scan(const uint32_t* in, uint32_t* out, int n) {
  const int tiles = (n + kTile - 1) / kTile;
  DeviceArray<uint32_t> sums(tiles), offsets(tiles);
  scan_tiles<<<tiles, kThreads, (kTile + kTile / 32) * sizeof(uint32_t)>>>(in, out, sums, n);
  FINISH_KERNEL();
  if (tiles == 1) return;
  exclusive_scan(sums, offsets, tiles);
  add_tile_offsets<<<tiles, kThreads>>>(out, offsets, n);
  FINISH_KERNEL();
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 70001, 1, 1 << 26);
  Random random(1);
  std::vector<uint32_t> in(n), want(n);
  for (auto& x : in) x = random.below(1000);
  uint32_t sum = 0;
  for (int i = 0; i < n; ++i) want[i] = sum, sum += in[i];

  DeviceArray<uint32_t> device_in(in), device_out(n);
  exclusive_scan(device_in, device_out, n);
  EXPECT_SAME(want, device_out.download(), "scan");
  return PASS("n=%d total=%u", n, sum);
}
