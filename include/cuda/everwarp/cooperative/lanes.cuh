// Shuffles of any trivially copyable value, word by word; and coalesced_group: some lanes of a warp, in the order of lanes.
#pragma once

#include "group.cuh"

namespace cooperative_groups {

namespace detail {
template <class T>
struct Words {
  static_assert(__is_trivially_copyable(T), "a value that is shuffled must be trivially copyable");
  static constexpr int count = (sizeof(T) + 3) / 4;
  unsigned int word[count];
};
template <class T>
EW_DEVICE Words<T> words_of(const T &v) {
  Words<T> w{};
  __builtin_memcpy(w.word, &v, sizeof(T));
  return w;
}
// A union keeps T uninitialised until its bytes arrive, so T needs no default constructor.
template <class T>
EW_DEVICE T value_of(const Words<T> &w) {
  union Storage {
    char bytes[sizeof(T)];
    T value;
    EW_MEMBER Storage() {}
    EW_MEMBER ~Storage() {}
  } s;
  __builtin_memcpy((void *)&s.value, w.word, sizeof(T));
  return s.value;
}
#define EW_SHUFFLE_WORDS(name, intrinsic, operand)                                                      \
  template <class T>                                                                                    \
  EW_DEVICE T name(unsigned int mask, const T &v, operand which, int width) {                           \
    Words<T> w = words_of(v);                                                                           \
    for (int i = 0; i < Words<T>::count; ++i) w.word[i] = intrinsic(mask, w.word[i], which, width);     \
    return value_of<T>(w);                                                                              \
  }
EW_SHUFFLE_WORDS(shuffle, __shfl_sync, int)
EW_SHUFFLE_WORDS(shuffle_up, __shfl_up_sync, unsigned int)
EW_SHUFFLE_WORDS(shuffle_down, __shfl_down_sync, unsigned int)
EW_SHUFFLE_WORDS(shuffle_xor, __shfl_xor_sync, int)
#undef EW_SHUFFLE_WORDS

// Bits of `ballot` at the lanes of `mask`, packed so that bit i belongs to rank i.
EW_DEVICE unsigned int pack(unsigned int mask, unsigned int ballot) {
  if (mask == 0xffffffffu) return ballot;
  unsigned int packed = 0, rank = 0;
  for (unsigned int rest = mask; rest; rest &= rest - 1, ++rank)
    packed |= (ballot >> (__ffs((int)rest) - 1) & 1u) << rank;
  return packed;
}
}  // namespace detail

class coalesced_group : public thread_group {
  unsigned int meta_rank_ = 0, meta_size_ = 1;

 public:
  EW_MEMBER explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0, unsigned int meta_size = 1)
      : thread_group(detail::Extent::lanes, mask), meta_rank_(meta_rank), meta_size_(meta_size) {}

  EW_MEMBER void sync() const { __syncwarp(mask_); }
  EW_MEMBER unsigned int size() const { return __popc(mask_); }
  EW_MEMBER unsigned int num_threads() const { return size(); }
  EW_MEMBER unsigned int thread_rank() const { return __popc(mask_ & detail::lanes_below()); }
  EW_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
  EW_MEMBER unsigned int meta_group_size() const { return meta_size_; }

  template <class T>
  EW_MEMBER T shfl(T v, int source_rank) const {
    return detail::shuffle(mask_, v, (int)detail::lane_of_rank(mask_, (unsigned int)source_rank % size()), 32);
  }
  template <class T>
  EW_MEMBER T shfl_up(T v, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    const unsigned int from = rank >= delta ? detail::lane_of_rank(mask_, rank - delta) : detail::lane();
    return detail::shuffle(mask_, v, (int)from, 32);
  }
  template <class T>
  EW_MEMBER T shfl_down(T v, unsigned int delta) const {
    const unsigned int rank = thread_rank() + delta;
    const unsigned int from = rank < size() ? detail::lane_of_rank(mask_, rank) : detail::lane();
    return detail::shuffle(mask_, v, (int)from, 32);
  }
  EW_MEMBER int any(int predicate) const { return __any_sync(mask_, predicate); }
  EW_MEMBER int all(int predicate) const { return __all_sync(mask_, predicate); }
  EW_MEMBER unsigned int ballot(int predicate) const {
    return detail::pack(mask_, __ballot_sync(mask_, predicate));
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  template <class T>
  EW_MEMBER unsigned int match_any(T v) const {
    return detail::pack(mask_, __match_any_sync(mask_, v));
  }
  template <class T>
  EW_MEMBER unsigned int match_all(T v, int &predicate) const {
    return detail::pack(mask_, __match_all_sync(mask_, v, &predicate));
  }
#endif
};
EW_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

}  // namespace cooperative_groups
