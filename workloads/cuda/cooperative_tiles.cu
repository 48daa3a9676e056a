// Cooperative groups below the block: tiles of 4 to 32 lanes, groups of the lanes that are active, partitions by label.
// Exercises: tiled_partition, shuffles and votes within tiles, coalesced_threads, labeled_partition, cg::reduce,
// thread_block.
//
// deterministic: yes
// copies: what comes to the host depends on who came first
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

namespace {

template <class Tile>
__device__ int tile_scan(const Tile& tile, int value) {
  for (int step = 1; step < tile.size(); step *= 2) {
    const int other = tile.shfl_up(value, step);
    if (tile.thread_rank() >= step) value += other;
  }
  return value;
}

template <int kSize>
__global__ void scan_in_tiles(const int* in, int* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<kSize> tile = cg::tiled_partition<kSize>(block);
  const int i = static_cast<int>(block.group_index().x * block.size() + block.thread_rank());
  const int prefix = tile_scan(tile, in[i]);
  const int last = tile.shfl(prefix, kSize - 1);
  const bool any_negative = tile.any(in[i] < 0), all_small = tile.all(in[i] < 90);
  const unsigned odd = tile.ballot(in[i] & 1);
  const int greatest = cg::reduce(tile, in[i], cg::greater<int>());
  tile.sync();
  out[i] = prefix + 3 * last + 5 * any_negative + 7 * all_small + 11 * __popc(odd) + 13 * tile.shfl_xor(in[i], 1) +
           17 * tile.shfl_down(in[i], 1) * (tile.thread_rank() + 1 < kSize) + 19 * greatest +
           23 * static_cast<int>(tile.meta_group_rank());
}

__global__ void filter(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 3 != 0) return;
  cg::coalesced_group active = cg::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0) base = atomicAdd(count, static_cast<int>(active.size()));
  out[active.shfl(base, 0) + active.thread_rank()] = in[i];
}

__global__ void sum_by_label(const int* in, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int label = ((in[i] % 5) + 5) % 5;
  auto same = cg::labeled_partition(cg::coalesced_threads(), label);
  const int sum = cg::reduce(same, in[i], cg::plus<int>());
  if (same.thread_rank() == 0) atomicAdd(&sums[label], sum);
}

template <int kSize>
void check_size(const std::vector<int>& in, const DeviceArray<int>& device_in) {
  const int n = static_cast<int>(in.size());
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) {
    const int first = i / kSize * kSize, rank = i - first;
    int prefix = 0, last = 0, odd = 0, greatest = in[first];
    bool any_negative = false, all_small = true;
    for (int k = 0; k < kSize; ++k) {
      const int x = in[first + k];
      last += x;
      if (k <= rank) prefix += x;
      any_negative |= x < 0, all_small &= x < 90, odd += x & 1, greatest = std::max(greatest, x);
    }
    const int next = rank + 1 < kSize ? in[i + 1] : 0;
    want[i] = prefix + 3 * last + 5 * any_negative + 7 * all_small + 11 * odd + 13 * in[first + (rank ^ 1)] +
              17 * next + 19 * greatest + 23 * (i % 96 / kSize);
  }
  DeviceArray<int> out(n);
  scan_in_tiles<kSize><<<n / 96, 96>>>(device_in, out);
  FINISH_KERNEL();
  EXPECT_SAME(want, out.download(), "tile");
}

}  // namespace

int main(int argc, char** argv) {
  const int n = 96 * size_argument(argc, argv, 1, 4, 1, 10000);
  Random random(54);
  std::vector<int> in(n);
  for (auto& x : in) x = static_cast<int>(random.below(105)) - 5;
  DeviceArray<int> device_in(in), out(n), count(1, 0), sums(5, 0);
  check_size<4>(in, device_in);
  check_size<8>(in, device_in);
  check_size<16>(in, device_in);
  check_size<32>(in, device_in);

  filter<<<n / 96, 96>>>(device_in, out, count, n);
  sum_by_label<<<n / 96, 96>>>(device_in, sums);
  FINISH_KERNEL();
  std::vector<int> want, want_sums(5), got = out.download();
  for (int x : in) {
    if (x % 3 == 0) want.push_back(x);
    want_sums[(x % 5 + 5) % 5] += x;
  }
  got.resize(count.download()[0]);
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  EXPECT_SAME(want, got, "filtered");
  EXPECT_SAME(want_sums, sums.download(), "sum of label");
  return PASS("n=%d kept=%zu", n, want.size());
}
