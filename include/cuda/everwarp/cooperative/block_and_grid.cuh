// thread_block and grid_group.
#pragma once

#include "group.cuh"

namespace cooperative_groups {

class thread_block : public thread_group {
  EW_MEMBER thread_block() : thread_group(detail::Extent::block, 0) {}
  friend __device__ thread_block this_thread_block();

 public:
  static EW_MEMBER void sync() { __syncthreads(); }
  static EW_MEMBER unsigned int size() { return detail::threads_of_block(); }
  static EW_MEMBER unsigned int num_threads() { return detail::threads_of_block(); }
  static EW_MEMBER unsigned int thread_rank() { return detail::block_rank_of_thread(); }
  static EW_MEMBER dim3 group_index() { return blockIdx; }
  static EW_MEMBER dim3 thread_index() { return threadIdx; }
  static EW_MEMBER dim3 group_dim() { return blockDim; }
  static EW_MEMBER dim3 dim_threads() { return blockDim; }
  static EW_MEMBER bool is_valid() { return true; }
  // Arrival does nothing, and the wait is the whole barrier. That is stronger than CUDA asks, never weaker.
  struct arrival_token {};
  static EW_MEMBER arrival_token barrier_arrive() { return arrival_token(); }
  static EW_MEMBER void barrier_wait(arrival_token &&) { __syncthreads(); }
};
EW_MEMBER thread_block this_thread_block() { return thread_block(); }

// CUDA keeps the barriers of tiles of several warps here. Tiles of one warp need no memory.
template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory {};
template <unsigned int MaxBlockSize>
EW_MEMBER thread_block this_thread_block(block_tile_memory<MaxBlockSize> &) {
  return this_thread_block();
}

class grid_group : public thread_group {
  EW_MEMBER grid_group() : thread_group(detail::Extent::grid, 0) {}
  friend __device__ grid_group this_grid();

 public:
  EW_MEMBER void sync() const { detail::synchronize_grid(); }
  // As in a thread_block: the wait is the whole barrier.
  struct arrival_token {};
  EW_MEMBER arrival_token barrier_arrive() const { return arrival_token(); }
  EW_MEMBER void barrier_wait(arrival_token &&) const { sync(); }
  EW_MEMBER bool is_valid() const { return detail::grid_barrier() != nullptr; }
  static EW_MEMBER unsigned long long size() { return detail::blocks_of_grid() * detail::threads_of_block(); }
  static EW_MEMBER unsigned long long num_threads() { return size(); }
  static EW_MEMBER unsigned long long thread_rank() {
    return detail::block_rank() * detail::threads_of_block() + detail::block_rank_of_thread();
  }
  static EW_MEMBER dim3 group_dim() { return gridDim; }
  static EW_MEMBER dim3 dim_blocks() { return gridDim; }
  static EW_MEMBER unsigned long long num_blocks() { return detail::blocks_of_grid(); }
  static EW_MEMBER dim3 block_index() { return blockIdx; }
  static EW_MEMBER unsigned long long block_rank() { return detail::block_rank(); }
};
EW_MEMBER grid_group this_grid() { return grid_group(); }

class multi_grid_group;
class cluster_group;
__device__ __attribute__((unavailable("a launch over several devices has no simulated counterpart"))) multi_grid_group
this_multi_grid();
__device__ __attribute__((unavailable("thread block clusters are not simulated"))) cluster_group this_cluster();

}  // namespace cooperative_groups
