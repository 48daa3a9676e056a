// thread_block_tile<N>: N consecutive lanes of a warp, N a power of two up to 32.
#pragma once

#include "lanes.cuh"

namespace cooperative_groups {

template <unsigned int Size, class Parent = void>
class thread_block_tile;

namespace detail {
template <unsigned int Size>
class Tile : public thread_group {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "thread_block_tile: a size of 1, 2, 4, 8, 16 or 32 is supported; tiles of several warps are not simulated");
  static constexpr unsigned int ones = Size == 32 ? 0xffffffffu : (1u << (Size % 32)) - 1;
  unsigned int meta_rank_, meta_size_;

  static EW_MEMBER unsigned int first_lane() { return lane() & ~(Size - 1); }

 protected:
  EW_MEMBER Tile(unsigned int meta_rank, unsigned int meta_size)
      : thread_group(Extent::lanes, ones << first_lane()), meta_rank_(meta_rank), meta_size_(meta_size) {}

 public:
  EW_MEMBER void sync() const { __syncwarp(mask()); }
  static EW_MEMBER unsigned int mask() { return Size == 32 ? 0xffffffffu : ones << first_lane(); }
  static constexpr EW_MEMBER unsigned int size() { return Size; }
  static constexpr EW_MEMBER unsigned int num_threads() { return Size; }
  static EW_MEMBER unsigned int thread_rank() { return lane() & (Size - 1); }
  EW_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
  EW_MEMBER unsigned int meta_group_size() const { return meta_size_; }

  template <class T>
  EW_MEMBER T shfl(T v, int source_rank) const {
    return shuffle(mask(), v, source_rank, Size);
  }
  template <class T>
  EW_MEMBER T shfl_up(T v, unsigned int delta) const {
    return shuffle_up(mask(), v, delta, Size);
  }
  template <class T>
  EW_MEMBER T shfl_down(T v, unsigned int delta) const {
    return shuffle_down(mask(), v, delta, Size);
  }
  template <class T>
  EW_MEMBER T shfl_xor(T v, unsigned int lanes) const {
    return shuffle_xor(mask(), v, (int)lanes, Size);
  }
  EW_MEMBER int any(int predicate) const { return __any_sync(mask(), predicate); }
  EW_MEMBER int all(int predicate) const { return __all_sync(mask(), predicate); }
  EW_MEMBER unsigned int ballot(int predicate) const { return relative(__ballot_sync(mask(), predicate)); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  template <class T>
  EW_MEMBER unsigned int match_any(T v) const {
    return relative(__match_any_sync(mask(), v));
  }
  template <class T>
  EW_MEMBER unsigned int match_all(T v, int &predicate) const {
    return relative(__match_all_sync(mask(), v, &predicate));
  }
#endif

 private:
  static EW_MEMBER unsigned int relative(unsigned int lanes) { return Size == 32 ? lanes : lanes >> first_lane() & ones; }
};
}  // namespace detail

template <unsigned int Size>
class thread_block_tile<Size, void> : public detail::Tile<Size> {
 public:
  EW_MEMBER thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
      : detail::Tile<Size>(meta_rank, meta_size) {}
  template <class Parent>
  EW_MEMBER thread_block_tile(const thread_block_tile<Size, Parent> &t)
      : detail::Tile<Size>(t.meta_group_rank(), t.meta_group_size()) {}
  EW_MEMBER operator coalesced_group() const {
    return coalesced_group(this->mask(), this->meta_group_rank(), this->meta_group_size());
  }
};
template <unsigned int Size, class Parent>
class thread_block_tile : public thread_block_tile<Size, void> {
 public:
  using thread_block_tile<Size, void>::thread_block_tile;
};

// A group of the calling thread alone.
EW_DEVICE thread_block_tile<1> this_thread() { return thread_block_tile<1>(0, 1); }

}  // namespace cooperative_groups
