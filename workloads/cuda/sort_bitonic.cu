// Bitonic sort of key-value pairs: small strides in shared memory, large strides by one launch each. Exercises: shared
// memory with many barriers, XOR addressing, predicated swaps, a long sequence of dependent launches.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kThreads = 128;
constexpr int kTile = 2 * kThreads;

struct Pair {
  uint32_t key, value;
};

__device__ void order(Pair& a, Pair& b, bool ascending) {
  const bool greater = a.key > b.key || (a.key == b.key && a.value > b.value);
  if (greater != ascending) return;
  const Pair kept = a;
  a = b;
  b = kept;
}

// All steps of stages [first, last] whose stride fits into a tile.
__global__ void sort_in_tile(Pair* pairs, int first, int last) {
  __shared__ Pair tile[kTile];
  const int base = blockIdx.x * kTile;
  tile[threadIdx.x] = pairs[base + threadIdx.x];
  tile[threadIdx.x + kThreads] = pairs[base + threadIdx.x + kThreads];
  for (int stage = first; stage <= last; stage *= 2) {
    for (int stride = min(stage, kTile) / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      const bool ascending = ((base + low) & stage) == 0;
      order(tile[low], tile[low + stride], ascending);
    }
  }
  __syncthreads();
  pairs[base + threadIdx.x] = tile[threadIdx.x];
  pairs[base + threadIdx.x + kThreads] = tile[threadIdx.x + kThreads];
}

__global__ void exchange(Pair* pairs, int stage, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int low = 2 * i - (i & (stride - 1));
  order(pairs[low], pairs[low + stride], (low & stage) == 0);
}

}  // namespace

int main(int argc, char** argv) {
  const int log_n = size_argument(argc, argv, 1, 13, 9, 24);
  const int n = 1 << log_n;
  Random random(5);
  std::vector<Pair> pairs(n);
  for (int i = 0; i < n; ++i) pairs[i] = {random.below(n / 2), static_cast<uint32_t>(i)};  // some keys are equal
  std::vector<Pair> want = pairs;
  std::stable_sort(want.begin(), want.end(), [](const Pair& a, const Pair& b) { return a.key < b.key; });

  DeviceArray<Pair> device_pairs(pairs);
  sort_in_tile<<<n / kTile, kThreads>>>(device_pairs, 2, kTile);
  for (int stage = 2 * kTile; stage <= n; stage *= 2) {
    for (int stride = stage / 2; stride >= kTile; stride /= 2)
      exchange<<<n / kTile, kThreads>>>(device_pairs, stage, stride);
    sort_in_tile<<<n / kTile, kThreads>>>(device_pairs, stage, stage);
  }
  FINISH_KERNEL();
  const std::vector<Pair> got = device_pairs.download();
  for (int i = 0; i < n; ++i) {
    EXPECT(want[i].key == got[i].key && want[i].value == got[i].value, "pair %d should be (%u, %u), is (%u, %u)", i,
           want[i].key, want[i].value, got[i].key, got[i].value);
  }
  return PASS("n=%d", n);
}
