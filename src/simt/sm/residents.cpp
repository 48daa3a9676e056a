#include "simt/sm/residents.hpp"

#include <utility>

#include "simt/assist.hpp"

namespace ew::simt {

using core::TraceKind;

void Residents::add(Block& block, GridRun& run) {
  const Cycle now = wheel_.now();
  told_.stalls.enter(run, run.grid->warps, now);
  ResidentBlock& here = told_.parked.enter(block, run);
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
  w.counts = &told_.stalls.of(run.account);
  w.slots = &w.counts->slots_of(is_assist(*w.warp));
  w.begun = wheel_.now();
  w.next.timing = run.timing;
  w.scoreboard.begin(ready_at(first_issue, Source::computed));
  told_.order.begin(slot);
  told_.polls.begin(slot);
  told_.schedulers.arrived(slot);
  told_.trace.warp(TraceKind::begun, slot, w);
}

void Residents::wake_assist(u32 slot) {
  const WarpSlot& w = told_.table[slot];
  ++w.counts->assist.events;
  ask(*w.block, w.run());
}

void Residents::ask(ResidentBlock& block, GridRun& run) {
  if (std::exchange(block.block->assist.asked, false))
    assists_.ask({.block = &block, .run = &run, .since = wheel_.now()});
  begin_assists();
}

void Residents::begin_assists() {
  const Cycle now = wheel_.now();
  while (assists_.can_begin()) {
    const u32 slot = assists_.slot();
    const AssistSlots::Asked asked = assists_.begin(slot, told_.table[slot].issues);
    told_.stalls.enter(*asked.run, 1, now);
    told_.table.enter(bit(slot));
    begin_warp(slot, *asked.block, asked.run->grid->warps, *asked.run, now + assists_.wake_latency());
    AssistCounts& counts = told_.table[slot].counts->assist;
    ++counts.runs;
    counts.waited += now - asked.since;
    told_.table.look_at(bit(slot));
    alarm_.wake(now);
  }
}

void Residents::leave(u32 slot) {
  const WarpSlot& w = told_.table[slot];
  ResidentBlock& here = *w.block;
  Block& block = *here.block;
  GridRun& run = *here.run;
  const u32 index = w.warp->index;
  told_.trace.warp(TraceKind::ended, slot, w);
  residency_.end_warp(block, index);
  here.parked &= ~bit(index);
  watch_.changed();
  vacate(slot);
  if (assists_.mine(slot)) ask(here, run);
  if (block.unfinished) return told_.parked.check_deadlock(here);
  told_.trace.block(TraceKind::completed, here);
  here.block = nullptr;
  endings_.block_over(block, run);
}

void Residents::vacate(u32 slot) {
  const WarpSlot& w = told_.table[slot];
  told_.stalls.count_residence(w, wheel_.now());
  if (assists_.mine(slot)) w.counts->assist.issued += assists_.end(slot, w.issues);
  told_.order.leave(slot);
  told_.schedulers.ended(slot);
  told_.table.leave(slot);
}

void Residents::forget(const GridRun& run) {
  assists_.forget(run);
  u64 gone = 0;
  for (u64 left = told_.table.occupied(); left; left &= left - 1) {
    const u32 slot = first_of(left);
    const WarpSlot& w = told_.table[slot];
    if (&w.run() != &run) continue;
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
