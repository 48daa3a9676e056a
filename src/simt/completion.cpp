// Operations that a performer kept pending: where their lanes stand meanwhile, and what happens to the warp when they
// are performed. What an operation does to its warp is said once, for those that are performed at once, too.
#include <algorithm>
#include <utility>

#include "simt/executor.hpp"
#include "simt/texture_access.hpp"

namespace ew::simt {

/// Lanes `mask` of the current split stand at the performer. Answers false, as the split cannot go on.
bool Executor::park(Warp& warp, LaneMask mask) {
  only(warp, mask);
  warp.split().state = SplitState::at_performer;
  return false;
}

/// The operation is pending. False: its lanes, `mask`, wait for it.
bool Executor::wait_for(MemoryOp& op, LaneMask mask) {
  ++op.warp->under_way;
  return !std::exchange(op.parks, true) || park(*op.warp, mask);
}

Split& Executor::parked(Warp& warp, ptx::Pc pc, LaneMask lanes) {
  return *std::find_if(warp.splits.begin(), warp.splits.begin() + warp.split_count, [&](const Split& split) {
    return split.state == SplitState::at_performer && split.pc == pc && (split.mask & lanes);
  });
}

void Executor::wake(Warp& warp) {
  if (warp.live) warp.block->ready |= u64{1} << warp.index;
}

bool Executor::finish(const MemoryOp& op, Performed outcome) {
  Warp& warp = *op.warp;
  --warp.under_way;
  if (outcome == Performed::faulted) return refuse_access(op);
  if (op.texture && !finish_texel(*op.texture)) return true;
  if (op.plan->polls) note_poll(op);
  if (!op.parks && !op.texture) return true;
  Split& split = parked(warp, op.pc, op.lanes);
  split.state = SplitState::running;
  ++split.pc;
  wake(warp);
  return true;
}

void Executor::finish(const SyncOp& op) {
  Warp& warp = *op.warp;
  --warp.under_way;
  Split& split = parked(warp, op.pc, op.lanes);
  split.state = SplitState::running;
  carry_out(warp, split, op);
  wake(warp);
}

/// False: the current split cannot go on, or not yet; no other has been made current.
bool Executor::synchronise(Warp& warp, SyncOp& op) {
  if (performer_.sync(op) == Performed::pending) {
    ++warp.under_way;
    return park(warp, op.lanes);
  }
  carry_out(warp, warp.split(), op);
  return warp.split().state == SplitState::running;
}

void Executor::carry_out(Warp& warp, Split& split, const SyncOp& op) {
  switch (op.kind) {
    case SyncKind::block_barrier:
      return arrive(warp, split, op);
    case SyncKind::warp_barrier:
      split.state = SplitState::at_warp_sync;
      complete_warp_syncs(warp);
      return;
    case SyncKind::sleep:
      return fall_asleep(warp, split, op);
    case SyncKind::fence:
    case SyncKind::async_commit:
    case SyncKind::async_wait:
      ++split.pc;
      return;
  }
}

void Executor::forget(const Grid& grid) {
  for (auto& access : texture_accesses_)
    if (access->warp && access->warp->block->grid == &grid) release(*access);
}

}  // namespace ew::simt
