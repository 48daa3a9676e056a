// Inclusive prefix sum in a single pass: blocks take tiles from a counter, publish an aggregate, and look back over
// their predecessors until one has its full prefix. Exercises: blocks that wait for other blocks, 64-bit loads of flag
// and value together, __ballot_sync, a dynamic tile order that guarantees progress.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kThreads = 128;
constexpr int kItems = 4;
constexpr int kTile = kThreads * kItems;
enum Flag : uint32_t { kEmpty = 0, kAggregate = 1, kPrefix = 2 };

__device__ void publish(unsigned long long* status, int tile, Flag flag, uint32_t value) {
  const unsigned long long word = static_cast<unsigned long long>(flag) << 32 | value;
  atomicExch(&status[tile], word);  // flag and value in one word: no fence is needed between them
}

__device__ unsigned long long read_status(const unsigned long long* status, int tile) {
  return *const_cast<const volatile unsigned long long*>(&status[tile]);
}

// Called by warp 0: each lane watches one predecessor; the window moves back until a prefix is seen.
__device__ uint32_t look_back(const unsigned long long* status, int tile) {
  const int lane = threadIdx.x;
  uint32_t exclusive = 0;
  for (int newest = tile - 1;; newest -= 32) {
    const int mine = newest - lane;
    unsigned long long word = static_cast<unsigned long long>(kPrefix) << 32;  // before the first tile: prefix 0
    if (mine >= 0) {
      do word = read_status(status, mine);
      while (word >> 32 == kEmpty);
    }
    __syncwarp();
    const unsigned with_prefix = __ballot_sync(~0u, word >> 32 == kPrefix);
    const int last = with_prefix ? __ffs(with_prefix) - 1 : 31;
    uint32_t part = lane <= last ? static_cast<uint32_t>(word) : 0;
    for (int step = 16; step > 0; step >>= 1) part += __shfl_xor_sync(~0u, part, step);
    exclusive += part;
    if (with_prefix) return exclusive;
  }
}

__device__ uint32_t warp_inclusive(uint32_t value) {
  const int lane = threadIdx.x & 31;
  for (int step = 1; step < 32; step <<= 1) {
    const uint32_t other = __shfl_up_sync(~0u, value, step);
    if (lane >= step) value += other;
  }
  return value;
}

__global__ void scan(const uint32_t* in, uint32_t* out, unsigned long long* status, int* next_tile, int n) {
  __shared__ int shared_tile;
  __shared__ uint32_t warp_totals[kThreads / 32];
  __shared__ uint32_t tile_prefix;
  if (threadIdx.x == 0) shared_tile = atomicAdd(next_tile, 1);
  __syncthreads();
  const int tile = shared_tile;

  const int first = tile * kTile + threadIdx.x * kItems;
  uint32_t items[kItems], sum = 0;
  for (int i = 0; i < kItems; ++i) {
    sum += first + i < n ? in[first + i] : 0;
    items[i] = sum;
  }
  const uint32_t inclusive = warp_inclusive(sum);
  if ((threadIdx.x & 31) == 31) warp_totals[threadIdx.x / 32] = inclusive;
  __syncthreads();
  uint32_t before = inclusive - sum, total = 0;
  for (int w = 0; w < kThreads / 32; ++w) {
    if (w < threadIdx.x / 32) before += warp_totals[w];
    total += warp_totals[w];
  }

  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) publish(status, tile, tile == 0 ? kPrefix : kAggregate, total);
    const uint32_t prefix = tile == 0 ? 0 : look_back(status, tile);
    if (threadIdx.x == 0) {
      if (tile != 0) publish(status, tile, kPrefix, prefix + total);
      tile_prefix = prefix;
    }
  }
  __syncthreads();
  for (int i = 0; i < kItems; ++i)
    if (first + i < n) out[first + i] = tile_prefix + before + items[i];
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 100003, 1, 1 << 26);
  Random random(2);
  std::vector<uint32_t> in(n), want(n);
  for (auto& x : in) x = random.below(50);
  uint32_t sum = 0;
  for (int i = 0; i < n; ++i) want[i] = sum += in[i];

  const int tiles = (n + kTile - 1) / kTile;
  DeviceArray<uint32_t> device_in(in), device_out(n);
  DeviceArray<unsigned long long> status(tiles, 0);
  DeviceArray<int> next_tile(1, 0);
  scan<<<tiles, kThreads>>>(device_in, device_out, status, next_tile, n);
  FINISH_KERNEL();
  EXPECT_SAME(want, device_out.download(), "scan");
  return PASS("n=%d tiles=%d total=%u", n, tiles, sum);
}
