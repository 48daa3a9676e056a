// tiled_partition, labeled_partition, binary_partition, invoke_one.
#pragma once

#include "block_and_grid.cuh"
#include "tile.cuh"

namespace cooperative_groups {

namespace detail {
// The members of `mask` whose rank, divided by `size`, equals the caller's.
EW_DEVICE unsigned int ranks_beside(unsigned int mask, unsigned int size) {
  const unsigned int first = __popc(mask & lanes_below()) / size * size;
  unsigned int members = 0, rank = 0;
  for (unsigned int rest = mask; rest; rest &= rest - 1, ++rank)
    if (rank - first < size) members |= rest & (0u - rest);
  return members;
}
}  // namespace detail

template <unsigned int Size>
EW_DEVICE thread_block_tile<Size, thread_block> tiled_partition(const thread_block &) {
  return thread_block_tile<Size, thread_block>(detail::block_rank_of_thread() / Size,
                                               (detail::threads_of_block() + Size - 1) / Size);
}
template <unsigned int Size, unsigned int ParentSize, class Parent>
EW_DEVICE thread_block_tile<Size, thread_block_tile<ParentSize, Parent>> tiled_partition(
    const thread_block_tile<ParentSize, Parent> &parent) {
  static_assert(Size <= ParentSize, "a tile is no larger than the group that it divides");
  return thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>(parent.thread_rank() / Size,
                                                                        ParentSize / Size);
}
EW_DEVICE coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size) {
  return coalesced_group(detail::ranks_beside(parent.everwarp_mask(), size), parent.thread_rank() / size,
                         (parent.size() + size - 1) / size);
}
EW_DEVICE coalesced_group tiled_partition(const thread_block &parent, unsigned int size) {
  const unsigned int count = parent.size(), rank = parent.thread_rank();
  const unsigned int warp_members = count - rank / 32 * 32 < 32 ? (1u << (count & 31)) - 1 : 0xffffffffu;
  return coalesced_group(detail::ranks_beside(warp_members, size), rank / size, (count + size - 1) / size);
}
EW_DEVICE thread_group tiled_partition(const thread_group &parent, unsigned int size) {
  if (parent.everwarp_extent() == detail::Extent::lanes)
    return tiled_partition(coalesced_group(parent.everwarp_mask()), size);
  if (parent.everwarp_extent() == detail::Extent::grid) __trap();  // a grid has no tiles
  return tiled_partition(this_thread_block(), size);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
template <class Group, class Label>
EW_DEVICE coalesced_group labeled_partition(const Group &g, Label label) {
  const unsigned int all = g.everwarp_mask(), mine = __match_any_sync(all, label);
  // A partition's number: how many partitions have a lower first lane.
  const unsigned int leaders = __ballot_sync(all, (mine & detail::lanes_below()) == 0);
  return coalesced_group(mine, __popc(leaders & (mine & (0u - mine)) - 1), __popc(leaders));
}
#endif
template <class Group>
EW_DEVICE coalesced_group binary_partition(const Group &g, bool predicate) {
  const unsigned int all = g.everwarp_mask(), yes = __ballot_sync(all, predicate);
  return coalesced_group(predicate ? yes : all & ~yes, predicate ? 1 : 0, 2);
}

template <class Group, class Function, class... Arguments>
EW_DEVICE void invoke_one(const Group &g, Function &&f, Arguments &&...arguments) {
  if (g.thread_rank() == 0) f(static_cast<Arguments &&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
EW_DEVICE auto invoke_one_broadcast(const Group &g, Function &&f, Arguments &&...arguments)
    -> decltype(f(static_cast<Arguments &&>(arguments)...)) {
  decltype(f(static_cast<Arguments &&>(arguments)...)) result{};
  if (g.thread_rank() == 0) result = f(static_cast<Arguments &&>(arguments)...);
  return g.shfl(result, 0);
}

}  // namespace cooperative_groups
