// cooperative_groups::inclusive_scan and exclusive_scan over tiles and coalesced groups.
#pragma once

#include "reduce.h"

#if defined(__CUDA__)
namespace cooperative_groups {

template <class Group, class T, class Operation>
EW_DEVICE T inclusive_scan(const Group &g, T v, Operation &&op) {
  const unsigned int rank = g.thread_rank(), size = g.size();
  for (unsigned int step = 1; step < size; step *= 2) {
    const T below = g.shfl_up(v, step);
    if (rank >= step) v = op(below, v);
  }
  return v;
}
template <class Group, class T>
EW_DEVICE T inclusive_scan(const Group &g, T v) {
  return inclusive_scan(g, v, plus<T>());
}
// Rank 0 gets T{}. For plus that is the identity. For other operations CUDA leaves it undefined.
template <class Group, class T, class Operation>
EW_DEVICE T exclusive_scan(const Group &g, T v, Operation &&op) {
  const T below = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() == 0 ? T{} : below;
}
template <class Group, class T>
EW_DEVICE T exclusive_scan(const Group &g, T v) {
  return exclusive_scan(g, v, plus<T>());
}

}  // namespace cooperative_groups
#endif
