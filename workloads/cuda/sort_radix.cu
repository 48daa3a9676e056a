// Least-significant-digit radix sort, four bits a pass: digit counts per block, a scan of the counts, a stable scatter.
// Exercises: __match_any_sync and lane masks for stable ranks, shared atomics, three kernels a pass, ping-pong buffers.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr int kRounds = 4;  // elements a thread
constexpr int kTile = kThreads * kRounds;
constexpr int kDigits = 16;

__device__ unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

// counts[digit * blocks + block], so that one linear scan gives every block its place.
__global__ void count_digits(const uint32_t* keys, int* counts, int n, int shift) {
  __shared__ int bins[kDigits];
  if (threadIdx.x < kDigits) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < kTile; i += kThreads) {
    const int at = blockIdx.x * kTile + i;
    if (at < n) atomicAdd(&bins[keys[at] >> shift & (kDigits - 1)], 1);
  }
  __syncthreads();
  if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

// One block scans all counts, exclusively and in place.
__global__ void scan_counts(int* counts, int length) {
  __shared__ int totals[kThreads];
  const int each = (length + kThreads - 1) / kThreads;
  const int begin = min(length, static_cast<int>(threadIdx.x) * each), end = min(length, begin + each);
  int sum = 0;
  for (int i = begin; i < end; ++i) sum += counts[i];
  totals[threadIdx.x] = sum;
  __syncthreads();
  int before = 0;
  for (int t = 0; t < threadIdx.x; ++t) before += totals[t];
  for (int i = begin; i < end; ++i) {
    const int count = counts[i];
    counts[i] = before;
    before += count;
  }
}

__global__ void scatter(const uint32_t* keys, uint32_t* sorted, const int* places, int n, int shift) {
  __shared__ int next[kDigits];
  __shared__ int warp_counts[kWarps][kDigits];
  if (threadIdx.x < kDigits) next[threadIdx.x] = places[threadIdx.x * gridDim.x + blockIdx.x];
  const int warp = threadIdx.x / 32;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = threadIdx.x; i < kWarps * kDigits; i += kThreads) (&warp_counts[0][0])[i] = 0;
    __syncthreads();
    const int at = blockIdx.x * kTile + round * kThreads + threadIdx.x;
    const bool valid = at < n;
    const uint32_t key = valid ? keys[at] : 0;
    const int digit = valid ? static_cast<int>(key >> shift & (kDigits - 1)) : kDigits;
    const unsigned peers = __match_any_sync(~0u, digit);
    const int rank = __popc(peers & lanes_below());
    if (valid && rank == 0) warp_counts[warp][digit] = __popc(peers);
    __syncthreads();
    if (valid) {
      int place = next[digit] + rank;
      for (int w = 0; w < warp; ++w) place += warp_counts[w][digit];
      sorted[place] = key;
    }
    __syncthreads();
    if (threadIdx.x < kDigits)
      for (int w = 0; w < kWarps; ++w) next[threadIdx.x] += warp_counts[w][threadIdx.x];
    __syncthreads();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 20000, 1, 1 << 24);
  Random random(6);
  std::vector<uint32_t> keys(n);
  for (auto& key : keys) key = static_cast<uint32_t>(random.next());
  std::vector<uint32_t> want = keys;
  std::sort(want.begin(), want.end());

  const int blocks = (n + kTile - 1) / kTile;
  DeviceArray<uint32_t> front(keys), back(n);
  DeviceArray<int> counts(kDigits * blocks);
  uint32_t *from = front, *to = back;
  for (int shift = 0; shift < 32; shift += 4) {
    count_digits<<<blocks, kThreads>>>(from, counts, n, shift);
    scan_counts<<<1, kThreads>>>(counts, kDigits * blocks);
    scatter<<<blocks, kThreads>>>(from, to, counts, n, shift);
    std::swap(from, to);
  }
  FINISH_KERNEL();
  EXPECT_SAME(want, front.download(), "sorted keys");  // eight passes: the result is back in the first buffer
  return PASS("n=%d smallest=%u largest=%u", n, want.front(), want.back());
}
