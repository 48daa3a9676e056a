// Every group of cooperative_groups.h against results computed from thread numbers alone: blocks of three dimensions,
// tiles of 1 .. 32, run-time tiles, coalesced lanes under divergence, labelled and binary partitions, reductions and scans
// of several types and operations, one chosen thread, memcpy_async, and the grid.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "test.h"

namespace cg = cooperative_groups;

namespace {

struct Pair {
  long long key;
  short place;
};

template <unsigned Size>
__device__ void tile_of(const cg::thread_block& block) {
  const auto tile = cg::tiled_partition<Size>(block);
  const unsigned rank = tile.thread_rank(), first = block.thread_rank() - rank;
  EXPECT(tile.size() == Size && tile.num_threads() == Size && rank == block.thread_rank() % Size);
  EXPECT(tile.meta_group_rank() == block.thread_rank() / Size && tile.meta_group_size() == block.size() / Size);
  const int v = 10 * block.thread_rank();
  EXPECT(tile.shfl(v, Size - 1) == int(10 * (first + Size - 1)));
  EXPECT(tile.shfl_up(v, 1) == (rank ? v - 10 : v));
  EXPECT(tile.shfl_down(v, 1) == (rank + 1 < Size ? v + 10 : v));
  if (Size > 1) EXPECT(tile.shfl_xor(v, 1) == int(10 * (block.thread_rank() ^ 1)));
  const unsigned ones = Size == 32 ? ~0u : (1u << Size) - 1;
  EXPECT(tile.ballot(rank % 3 == 0) == (0x49249249u & ones));
  EXPECT(tile.any(rank == 0) && tile.all(rank < Size) && !tile.any(rank == Size));
  EXPECT(tile.match_any(rank / 2) == (3u << rank / 2 * 2 & ones));
  int same = 0;
  EXPECT(tile.match_all(5.5, same) == ones && same);
  if (Size > 1) EXPECT(tile.match_all(rank, same) == 0 && !same);
  const Pair p = tile.shfl(Pair{1ll << 40 | rank, short(-rank)}, 0);
  EXPECT(p.key == 1ll << 40 && p.place == 0);

  EXPECT(cg::reduce(tile, int(rank), cg::plus<int>()) == int(Size * (Size - 1) / 2));
  EXPECT(cg::reduce(tile, 1ull << rank, cg::plus<unsigned long long>()) == (1ull << Size) - 1);
  EXPECT(cg::reduce(tile, -double(rank), cg::less<double>()) == -double(Size - 1));
  EXPECT(cg::reduce(tile, float(rank), cg::greater<float>()) == float(Size - 1));
  EXPECT(cg::reduce(tile, 1u << rank, cg::bit_or<unsigned>()) == ones);
  EXPECT(cg::reduce(tile, ~(1u << rank), cg::bit_and<unsigned>()) == ~ones);
  EXPECT(cg::reduce(tile, 3u << rank, cg::bit_xor<unsigned>()) == (Size == 32 ? 1u : 1u | 1u << Size));
  EXPECT(cg::reduce(tile, int(rank) + 1, [](int a, int b) { return a * b % 1009; }) ==
         [] {
           int product = 1;
           for (int i = 1; i <= int(Size); ++i) product = product * i % 1009;
           return product;
         }());
  EXPECT(cg::inclusive_scan(tile, 1) == int(rank + 1));
  EXPECT(cg::exclusive_scan(tile, rank) == rank * (rank - 1) / 2);
  EXPECT(cg::inclusive_scan(tile, int(7 * rank % 11), cg::greater<int>()) ==
         [rank] {
           int most = 0;
           for (unsigned i = 0; i <= rank; ++i) most = max(most, int(7 * i % 11));
           return most;
         }());
  tile.sync();
}

__global__ void tiles() {
  const cg::thread_block block = cg::this_thread_block();
  tile_of<1>(block);
  tile_of<2>(block);
  tile_of<4>(block);
  tile_of<8>(block);
  tile_of<16>(block);
  tile_of<32>(block);
  const auto warp = cg::tiled_partition<32>(block);
  const auto quarter = cg::tiled_partition<8>(warp);
  EXPECT(quarter.meta_group_size() == 4 && quarter.meta_group_rank() == block.thread_rank() % 32 / 8);
  const cg::thread_block_tile<8> erased = quarter;
  EXPECT(erased.shfl(block.thread_rank(), 0) == block.thread_rank() / 8 * 8);
  EXPECT(cg::this_thread().size() == 1);
}

__global__ void run_time_tiles() {
  const cg::thread_group block = cg::this_thread_block();
  for (unsigned size = 1; size <= 32; size *= 2) {
    const cg::thread_group tile = cg::tiled_partition(block, size);
    EXPECT(tile.size() == size && tile.thread_rank() == block.thread_rank() % size);
    tile.sync();
    EXPECT(cg::group_size(tile) == size && cg::thread_rank(tile) == tile.thread_rank());
  }
  cg::sync(block);
}

__global__ void coalesced() {
  const unsigned lane = threadIdx.x % 32;
  if (lane % 3 == 1) {
    const cg::coalesced_group g = cg::coalesced_threads();
    EXPECT(g.size() == 11 && g.thread_rank() == lane / 3 && g.meta_group_size() == 1);
    EXPECT(g.shfl(lane, 2) == 7 && g.shfl_down(lane, 1) == (lane < 31 ? lane + 3 : 31) && g.shfl_up(lane, 2) == (lane < 7 ? lane : lane - 6));
    EXPECT(g.ballot(lane > 15) == 0x7e0 && g.any(lane == 1) && !g.all(lane == 1));
    EXPECT(cg::reduce(g, lane, cg::plus<unsigned>()) == 176);
    EXPECT(cg::reduce(g, double(lane), cg::greater<double>()) == 31);
    EXPECT(cg::reduce(g, int(lane), [](int a, int b) { return a > b ? a : b; }) == 31);
    EXPECT(cg::inclusive_scan(g, 2) == int(2 * g.thread_rank() + 2) && cg::exclusive_scan(g, 2) == int(2 * g.thread_rank()));
    EXPECT(g.match_any(lane % 2) == (lane % 2 ? 0x555u : 0x2aau));
    const cg::coalesced_group half = cg::tiled_partition(g, 4);
    EXPECT(half.size() == (g.thread_rank() < 8 ? 4 : 3) && half.meta_group_size() == 3 && half.meta_group_rank() == g.thread_rank() / 4);
    const auto odd = cg::binary_partition(g, lane % 2 == 1);
    EXPECT(odd.size() == (lane % 2 ? 6 : 5) && odd.meta_group_rank() == lane % 2);
    g.sync();
  }
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto labelled = cg::labeled_partition(warp, lane % 5);
  EXPECT(labelled.size() == (lane % 5 < 2 ? 7 : 6) && labelled.thread_rank() == lane / 5);
  EXPECT(cg::reduce(labelled, 1, cg::plus<int>()) == int(labelled.size()));
}

__global__ void blocks_of_three_dimensions() {
  __shared__ cg::block_tile_memory<64> memory;
  const cg::thread_block b = cg::this_thread_block(memory);
  EXPECT(b.size() == 4 * 3 * 2 && b.thread_rank() == (threadIdx.z * 3 + threadIdx.y) * 4 + threadIdx.x);
  EXPECT(b.group_index().y == blockIdx.y && b.thread_index().z == threadIdx.z && b.dim_threads().x == 4);
  __shared__ int seen;
  cg::invoke_one(b, [&] { seen = 41; });
  b.sync();
  EXPECT(seen == 41);
  auto token = b.barrier_arrive();
  b.barrier_wait(std::move(token));
  const auto tile = cg::tiled_partition<8>(b);
  EXPECT(cg::invoke_one_broadcast(tile, [&] { return tile.meta_group_rank() + 1; }) == b.thread_rank() / 8 + 1);
}

__global__ void copies(const int* in) {
  __shared__ alignas(16) int whole[256];
  __shared__ alignas(16) char odd[48];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  cg::memcpy_async(block, whole, in, sizeof whole);
  cg::wait(block);
  for (int i = block.thread_rank(); i < 256; i += block.size()) EXPECT(whole[i] == i * i);
  block.sync();
  if (warp.meta_group_rank() == 0) {
    cg::memcpy_async(warp, odd, reinterpret_cast<const char*>(in) + 1, 47);
    cg::memcpy_async(warp, whole, 100, in + 3, 100);
    cg::wait_prior<1>(warp);
    EXPECT(odd[7] == 4 && odd[3] == 1);
    cg::wait(warp);
    EXPECT(whole[warp.thread_rank()] == int((warp.thread_rank() + 3) * (warp.thread_rank() + 3)));
  }
}

__global__ void grid(int* sums, int rounds) {
  const cg::grid_group g = cg::this_grid();
  EXPECT(g.is_valid() && g.size() == gridDim.x * blockDim.x && g.thread_rank() == blockIdx.x * blockDim.x + threadIdx.x);
  EXPECT(g.num_blocks() == gridDim.x && g.block_rank() == blockIdx.x);
  for (int round = 0; round < rounds; ++round) {
    atomicAdd(&sums[round], 1);
    if (round % 2) {
      g.sync();
    } else {
      auto token = g.barrier_arrive();
      g.barrier_wait(std::move(token));
    }
    EXPECT(*static_cast<volatile int*>(&sums[round]) == int(g.size()));
  }
}

__global__ void not_cooperative() { EXPECT(!cg::this_grid().is_valid()); }

}  // namespace

int main() {
  tiles<<<2, 128>>>();
  run_time_tiles<<<1, 64>>>();
  coalesced<<<1, 64>>>();
  blocks_of_three_dimensions<<<dim3(2, 2), dim3(4, 3, 2)>>>();
  not_cooperative<<<1, 1>>>();
  int *squares, *sums, blocks = 6, rounds = 5;
  CUDA(cudaMallocManaged(&squares, 256 * sizeof(int)));
  CUDA(cudaMallocManaged(&sums, rounds * sizeof(int)));
  for (int i = 0; i < 256; ++i) squares[i] = i * i;
  for (int i = 0; i < rounds; ++i) sums[i] = 0;
  copies<<<1, 64>>>(squares);
  void* arguments[] = {&sums, &rounds};
  CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid), blocks, 96, arguments));
  return finish();
}
