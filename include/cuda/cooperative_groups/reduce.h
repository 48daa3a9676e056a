// cooperative_groups::reduce over tiles and coalesced groups.
#pragma once

#include "../cooperative_groups.h"

#if defined(__CUDA__)
namespace cooperative_groups {

#define EW_OPERATION(name, expression)                       \
  template <class T = void>                                  \
  struct name {                                              \
    EW_MEMBER T operator()(const T &a, const T &b) const { return expression; } \
  };                                                         \
  template <>                                                \
  struct name<void> {                                        \
    template <class T>                                       \
    EW_MEMBER T operator()(const T &a, const T &b) const { return expression; } \
  };
EW_OPERATION(plus, a + b)
EW_OPERATION(less, b < a ? b : a)
EW_OPERATION(greater, a < b ? b : a)
EW_OPERATION(bit_and, a & b)
EW_OPERATION(bit_or, a | b)
EW_OPERATION(bit_xor, a ^ b)
#undef EW_OPERATION

namespace detail {
template <unsigned int Size, class Parent, class T, class Operation>
EW_DEVICE T reduce_lanes(const thread_block_tile<Size, Parent> &g, T v, Operation &&op) {
  for (unsigned int lanes = Size / 2; lanes > 0; lanes /= 2) v = op(v, g.shfl_xor(v, lanes));
  return v;
}
template <class T, class Operation>
EW_DEVICE T reduce_lanes(const coalesced_group &g, T v, Operation &&op) {
  const unsigned int rank = g.thread_rank(), size = g.size();
  for (unsigned int step = 1; step < size; step *= 2) {
    const T other = g.shfl_down(v, step);
    if (rank + step < size && rank % (2 * step) == 0) v = op(v, other);
  }
  return g.shfl(v, 0);
}
}  // namespace detail

template <class Group, class T, class Operation>
EW_DEVICE T reduce(const Group &g, T v, Operation &&op) {
  return detail::reduce_lanes(g, v, op);
}

// One instruction on sm_80 and later.
#if __CUDA_ARCH__ >= 800
#define EW_REDUCE(operation, type, intrinsic)                                   \
  template <class Group>                                                        \
  EW_DEVICE type reduce(const Group &g, type v, const operation<type> &) {      \
    return intrinsic(g.everwarp_mask(), v);                                     \
  }                                                                             \
  template <class Group>                                                        \
  EW_DEVICE type reduce(const Group &g, type v, operation<type> &&) {           \
    return intrinsic(g.everwarp_mask(), v);                                     \
  }
EW_REDUCE(plus, int, __reduce_add_sync)
EW_REDUCE(plus, unsigned int, __reduce_add_sync)
EW_REDUCE(less, int, __reduce_min_sync)
EW_REDUCE(less, unsigned int, __reduce_min_sync)
EW_REDUCE(greater, int, __reduce_max_sync)
EW_REDUCE(greater, unsigned int, __reduce_max_sync)
EW_REDUCE(bit_and, unsigned int, __reduce_and_sync)
EW_REDUCE(bit_or, unsigned int, __reduce_or_sync)
EW_REDUCE(bit_xor, unsigned int, __reduce_xor_sync)
#undef EW_REDUCE
#endif

template <class Group, class T, class Operation>
EW_DEVICE void reduce_store_async(const Group &g, T *to, T v, Operation &&op) {
  const T result = reduce(g, v, op);
  if (g.thread_rank() == 0) *to = result;
}

}  // namespace cooperative_groups
#endif
