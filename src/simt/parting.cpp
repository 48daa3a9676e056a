#include "simt/parting.hpp"

#include <algorithm>
#include <utility>

#include "simt/block.hpp"
#include "simt/operation.hpp"

namespace ew::simt {

bool another(Warp& warp) {
  if (warp.pick()) return true;
  // Lanes that wait for others of their own warp can only be met if those do not wait elsewhere.
  bool waits_for_own = false, at_performer = false;
  for (u32 i = 0; i < warp.split_count; ++i) {
    waits_for_own |= warp.splits[i].state == SplitState::at_warp_sync;
    at_performer |= warp.splits[i].state == SplitState::at_performer;
  }
  return waits_for_own && !at_performer && warp.release_waiting() && warp.pick();
}

void keep_only(Warp& warp, LaneMask mask) {
  Split& split = warp.split();
  if (split.mask == mask) return;
  if (warp.block->grid->branches.separates(split.pc) && warp.stop() != split.pc + 1)
    warp.part(split.mask & ~mask, split.pc + 1, split.reconvergence);
  else
    warp.leave_waiting(split.mask & ~mask, warp.meet_at(split.pc + 1));
}

u32 meeting_of(Warp& warp, ptx::Pc branch) {
  const Grid& grid = *warp.block->grid;
  const u32& where = warp.split().reconvergence;
  while (where != nothing && grid.branches.separates(warp.reconvergences[where].branch)) warp.leave_meeting();
  return grid.branches.separates(branch) ? where : warp.meet_at(grid.kernel->reconverge[branch]);
}

bool park(Warp& warp, LaneMask mask) {
  keep_only(warp, mask);
  warp.split().state = SplitState::at_performer;
  return false;
}

bool wait_for(MemoryOp& op, LaneMask mask) {
  ++op.warp->under_way;
  return !std::exchange(op.parks, true) || park(*op.warp, mask);
}

Split& parked(Warp& warp, ptx::Pc pc, LaneMask lanes) {
  return *std::find_if(warp.splits.begin(), warp.splits.begin() + warp.split_count, [&](const Split& split) {
    return split.state == SplitState::at_performer && split.pc == pc && (split.mask & lanes);
  });
}

void wake(Warp& warp) {
  if (warp.live) warp.block->ready |= u64{1} << warp.index;
}

}  // namespace ew::simt
