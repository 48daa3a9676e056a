// architectures: sm_70 sm_80
// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

// -> bar.sync 0
__global__ void block_sync(int *p) {
  cg::thread_block block = cg::this_thread_block();
  p[block.thread_rank()] = 1;
  cg::sync(block);
  p[0] = p[1];
}
// -> call.uni
// -> synchronize_grid
__global__ void grid_sync(int *p) {
  cg::grid_group grid = cg::this_grid();
  p[grid.thread_rank()] = 1;
  grid.sync();
  p[0] = p[1];
}
// -> shfl.sync.bfly.b32
__global__ void tile_reduce(float *p) {
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  *p = cg::reduce(tile, *p, cg::plus<float>());
}
// sm_80 -> redux.sync.add.s32
// sm_70 -> shfl.sync.bfly.b32
__global__ void warp_reduce(int *p) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  *p = cg::reduce(warp, *p, cg::plus<int>());
}
// -> shfl.sync.up.b32
__global__ void scan(int *p) {
  *p = cg::exclusive_scan(cg::tiled_partition<32>(cg::this_thread_block()), *p);
}
// -> activemask.b32
// -> %lanemask_lt
__global__ void aggregated(int *p) {
  cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) first = atomicAdd(p, active.size());
  p[1] = active.shfl(first, 0) + active.thread_rank();
}
// -> match.any.sync.b32
__global__ void labelled(int *p) {
  p[1] = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), *p).size();
}
