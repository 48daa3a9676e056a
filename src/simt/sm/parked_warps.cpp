#include "simt/sm/parked_warps.hpp"

#include <algorithm>

namespace ew::simt {

ParkedWarps::ParkedWarps(u32 blocks, const SmTimingConfig& config, WarpTable& table, Executor& executor,
                         core::TimeWheel& wheel, Alarm& alarm, Endings& endings)
    : blocks_(blocks),
      barrier_latency_(config.barrier_latency),
      barrier_interval_(config.barrier_interval),
      table_(table),
      executor_(executor),
      wheel_(wheel),
      alarm_(alarm),
      endings_(endings) {
  for (u32 place = 0; place < blocks; ++place) blocks_[place].place = place;
}

ResidentBlock& ParkedWarps::enter(Block& block, GridRun& run) {
  ResidentBlock& here = *std::find_if(blocks_.begin(), blocks_.end(), [](const ResidentBlock& b) { return !b.block; });
  here = {.block = &block,
          .run = &run,
          .place = here.place,
          .arrivals = block.arrivals,
          .barriers_over = block.barriers_over};
  return here;
}

ResidentBlock& ParkedWarps::of(const Block& block) {
  return *std::find_if(blocks_.begin(), blocks_.end(), [&](const ResidentBlock& b) { return b.block == &block; });
}

void ParkedWarps::park(u32 slot) {
  const WarpSlot& w = table_[slot];
  const u64 self = bit(w.warp->index);
  w.block->parked |= self;
  w.block->block->ready &= ~self;
  table_.wait_for(slot, Wait::order);
  check_deadlock(*w.block);
}

void ParkedWarps::arrive(u32 slot, bool waits, Cycle now) {
  WarpSlot& w = table_[slot];
  ResidentBlock& here = *w.block;
  if (here.arrivals == here.block->arrivals) return;  // no lane had the predicate
  here.arrivals = here.block->arrivals;
  here.barrier_free = std::max(here.barrier_free, now) + barrier_interval_;
  if (waits && here.barriers_over != here.block->barriers_over)  // the last one: nobody has to wake it
    w.scoreboard.delay_next_issue(behind_barrier(here, now));
}

Readiness ParkedWarps::behind_barrier(const ResidentBlock& block, Cycle now) const {
  const Cycle last_taken = std::max(block.barrier_free, now + barrier_interval_) - barrier_interval_;
  return ready_at(last_taken + barrier_latency_, Source::barrier);
}

void ParkedWarps::wake_over_barrier(ResidentBlock& block, Cycle now) {
  const Readiness go_on = behind_barrier(block, now);
  for (u64 woken = block.block->ready & block.parked; woken; woken &= woken - 1) {
    const u32 slot = block.slot_of[first_of(woken)];
    block.parked &= ~(woken & -woken);
    table_[slot].scoreboard.delay_next_issue(go_on);
    table_.look_at(bit(slot));
  }
  alarm_.wake(now);
}

bool ParkedWarps::let_go(ResidentBlock& block) {
  const u64 woken = block.block->ready & block.parked;
  block.parked &= ~woken;
  for (u64 left = woken; left; left &= left - 1) table_.look_at(bit(block.slot_of[first_of(left)]));
  if (woken) alarm_.wake_now();
  return woken != 0;
}

void ParkedWarps::wake_later(const ResidentBlock& block, const Warp& warp, Cycle now) {
  for (u32 s = 0; s < warp.split_count; ++s)
    if (warp.splits[s].state == SplitState::asleep)
      wheel_.at<&ParkedWarps::sleepers_event>(std::max(now + 1, warp.splits[s].wake), *this, block.place);
}

void ParkedWarps::sleepers_event(u64 place, u64) {
  ResidentBlock& block = blocks_[place];
  if (!block.block || !block.block->asleep) return;
  executor_.wake_sleepers(*block.block, wheel_.now());
  let_go(block);
}

/// Every warp of the block waits at a barrier: lanes that wait for others of their warp to meet them are let go.
bool ParkedWarps::release_waiting(ResidentBlock& block) {
  for (u64 left = block.parked; left; left &= left - 1) {
    const u32 index = first_of(left);
    if (block.block->warps[index]->release_waiting()) block.block->ready |= bit(index);
  }
  return let_go(block);
}

void ParkedWarps::check_deadlock(ResidentBlock& block) {
  const Block& of = *block.block;
  if (!of.unfinished || block.parked != of.unfinished || of.asleep) return;
  if (of.ready & block.parked) return;
  if (release_waiting(block)) return;
  endings_.fail(*of.grid, executor_.deadlock(of));
}

}  // namespace ew::simt
