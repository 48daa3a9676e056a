// thread_group, which stands for a group of any type, and functions that all groups share.
#pragma once

#include "../device_function.cuh"

#define EW_MEMBER __inline__ __attribute__((device, always_inline, nodebug))

namespace cooperative_groups {

namespace detail {
enum class Extent : unsigned int { lanes, block, grid };

EW_DEVICE unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
EW_DEVICE unsigned int lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
EW_DEVICE unsigned int block_rank_of_thread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
EW_DEVICE unsigned int threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
EW_DEVICE unsigned long long blocks_of_grid() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
EW_DEVICE unsigned long long block_rank() {
  return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
// The lane that has rank `rank` among the lanes of `mask`.
EW_DEVICE unsigned int lane_of_rank(unsigned int mask, unsigned int rank) {
  return mask == 0xffffffffu ? rank : __fns(mask, 0, (int)rank + 1);
}

// The host launches a cooperative kernel with the address of 16 zero bytes in %envreg1 (low half) and %envreg2.
// One word. When all blocks have arrived, its top bit changes and the other bits are 0. So a barrier needs no other word,
// and nobody must reset it.
struct GridBarrier {
  unsigned int word;
};
EW_DEVICE GridBarrier *grid_barrier() {
  unsigned int low, high;
  asm("mov.u32 %0, %%envreg1;" : "=r"(low));
  asm("mov.u32 %0, %%envreg2;" : "=r"(high));
  return (GridBarrier *)((unsigned long long)high << 32 | low);
}
// Not inlined: every grid.sync() of a program is this one piece of code.
inline __attribute__((device, noinline)) void synchronize_grid() {
  GridBarrier *const barrier = grid_barrier();
  if (!barrier) __trap();  // not a cooperative launch
  __syncthreads();
  if (block_rank_of_thread() == 0) {
    constexpr unsigned int top = 0x80000000u;
    // All blocks together add the top bit: each but the first adds one, the first the rest.
    const unsigned int others = (unsigned int)blocks_of_grid() - 1;
    __threadfence();
    const unsigned int before = atomicAdd(&barrier->word, block_rank() == 0 ? top - others : 1u);
    volatile unsigned int *const word = &barrier->word;
    while (((*word ^ before) & top) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}
}  // namespace detail

class thread_group {
 protected:
  detail::Extent extent_;
  unsigned int mask_;
  EW_MEMBER thread_group(detail::Extent extent, unsigned int mask) : extent_(extent), mask_(mask) {}

 public:
  EW_MEMBER void sync() const {
    if (extent_ == detail::Extent::lanes)
      __syncwarp(mask_);
    else if (extent_ == detail::Extent::block)
      __syncthreads();
    else
      detail::synchronize_grid();
  }
  EW_MEMBER unsigned long long size() const {
    if (extent_ == detail::Extent::lanes) return __popc(mask_);
    const unsigned long long block = detail::threads_of_block();
    return extent_ == detail::Extent::block ? block : block * detail::blocks_of_grid();
  }
  EW_MEMBER unsigned long long num_threads() const { return size(); }
  EW_MEMBER unsigned long long thread_rank() const {
    if (extent_ == detail::Extent::lanes) return __popc(mask_ & detail::lanes_below());
    const unsigned long long in_block = detail::block_rank_of_thread();
    return extent_ == detail::Extent::block ? in_block
                                            : detail::block_rank() * detail::threads_of_block() + in_block;
  }
  EW_MEMBER bool is_valid() const {
    return extent_ != detail::Extent::grid || detail::grid_barrier() != nullptr;
  }
  EW_MEMBER unsigned int get_type() const { return (unsigned int)extent_; }
  EW_MEMBER detail::Extent everwarp_extent() const { return extent_; }
  EW_MEMBER unsigned int everwarp_mask() const { return mask_; }
};

template <class Group>
EW_DEVICE void sync(const Group &g) {
  g.sync();
}
template <class Group>
EW_DEVICE auto thread_rank(const Group &g) -> decltype(g.thread_rank()) {
  return g.thread_rank();
}
template <class Group>
EW_DEVICE auto group_size(const Group &g) -> decltype(g.size()) {
  return g.size();
}
template <class Group>
EW_DEVICE bool is_valid(const Group &g) {
  return g.is_valid();
}

}  // namespace cooperative_groups
