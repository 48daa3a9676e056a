#include "simt/sm/residents.hpp"

namespace ew::simt {

using core::TraceKind;

void Residents::add(Block& block, GridRun& run) {
  const Cycle now = wheel_.now();
  told_.stalls.enter(run, now);
  ResidentBlock& here = told_.parked.enter(block);
  told_.trace.block(TraceKind::launched, here);
  ++run.on_sm[sm_.index].blocks;
  const u64 block_skew = skew_.of_block(block);
  sm_.cycle = now;
  u64 warps = 0;
  for (u32 i = 0; i < run.grid->warps; ++i) {
    const u32 slot = told_.table.enter();
    warps |= bit(slot);
    begin_warp(slot, here, i, run, now + block_skew + skew_.of_warp(block, i));
  }
  told_.table.look_at(warps);
  alarm_.wake(now);
}

void Residents::begin_warp(u32 slot, ResidentBlock& here, u32 index, GridRun& run, Cycle first_issue) {
  here.slot_of[index] = static_cast<u8>(slot);
  WarpSlot& w = told_.table[slot];
  w.warp = &residency_.begin_warp(*here.block, index);
  w.block = &here;
  w.grid = &run;
  w.counts = &told_.stalls.of(run.account);
  w.begun = wheel_.now();
  w.next.timing = run.timing;
  w.scoreboard.begin(ready_at(first_issue, Source::computed));
  told_.order.begin(slot);
  told_.polls.begin(slot);
  told_.schedulers.arrived(slot);
  told_.trace.warp(TraceKind::begun, slot, w);
}

void Residents::leave(u32 slot) {
  const WarpSlot& w = told_.table[slot];
  ResidentBlock& here = *w.block;
  Block& block = *here.block;
  GridRun& run = *w.grid;
  const u32 index = w.warp->index;
  told_.trace.warp(TraceKind::ended, slot, w);
  residency_.end_warp(block, index);
  here.parked &= ~bit(index);
  watch_.changed();
  vacate(slot);
  if (block.unfinished) return told_.parked.check_deadlock(here);
  told_.trace.block(TraceKind::completed, here);
  here.block = nullptr;
  endings_.block_over(block, run);
}

void Residents::vacate(u32 slot) {
  told_.stalls.count_residence(told_.table[slot], wheel_.now());
  told_.order.leave(slot);
  told_.schedulers.ended(slot);
  told_.table.leave(slot);
}

void Residents::forget(const GridRun& run) {
  u64 gone = 0;
  for (u64 left = told_.table.occupied(); left; left &= left - 1) {
    const u32 slot = first_of(left);
    const WarpSlot& w = told_.table[slot];
    if (w.grid != &run) continue;
    gone |= bit(slot);
    told_.trace.warp(TraceKind::ended, slot, w);
    vacate(slot);
  }
  told_.table.forget(gone);
  for (ResidentBlock& here : told_.parked.blocks()) {
    if (!here.block || here.block->grid != run.grid) continue;
    told_.trace.abandoned(here);
    here.block = nullptr;
  }
  endings_.forget(*run.grid);
}

}  // namespace ew::simt
