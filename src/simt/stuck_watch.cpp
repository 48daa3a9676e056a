#include "simt/stuck_watch.hpp"

#include <fmt/format.h>

#include <utility>

#include "simt/grid_barrier.hpp"

namespace ew::simt {
namespace {

constexpr Cycle cycles_between_looks = 1u << 17;  // at grid-wide barriers, and at warps that spin
// Looks at whether every warp waits, and how long before lanes that wait for others of their warp are let go: longer
// than any access takes. Much longer while a value may still change: the host may write one, or a lock may be taken and
// given back in step with those that wait for it.
constexpr Cycle cycles_between_standstill_looks = 2048, patience = 4096, longest_patience = 1u << 20;

}  // namespace

StuckWatch::StuckWatch(const Parts& parts)
    : with_(parts),
      standstill_(parts.executor.watch(), parts.residency.sms()),
      livelock_(parts.livelock_cycles),
      report_(parts.executor, parts.residency, parts.runs, parts.sms, parts.beneath),
      next_look_(cycles_between_looks) {}

void StuckWatch::fail(std::string_view what, FaultKind kind, Cycle now) {
  Grid& grid = *with_.residency.grids().front();  // the first is told
  with_.launches.fail(grid, report_.of(grid, what, kind), now);
}

void StuckWatch::passed(Cycle now, Cycle cycles, bool issued) {
  cycles_without_issue_ = issued || with_.residency.grids().empty() ? 0 : cycles_without_issue_ + cycles;
  if (cycles_without_issue_ < with_.livelock_cycles) return;
  cycles_without_issue_ = 0;
  if (const u64 writes = with_.durable_writes ? with_.durable_writes() : 0;
      std::exchange(durable_writes_, writes) != writes)
    return;  // all wait for persists, and a slow medium takes them
  fail(fmt::format("no warp has issued an instruction while the machine was busy for {} cycles", with_.livelock_cycles),
       FaultKind::deadlock, now);
}

void StuckWatch::look_for_standstill(Cycle now) {
  next_standstill_look_ = now + cycles_between_standstill_looks;
  spinning_ = std::exchange(with_.executor.watch().any, false);
  if (!spinning_) return;
  const bool alone = unattended_ && !with_.polls.has_met_host() && !has_managed_memory();
  const bool contended = with_.polls.contested.changed_in_standstill();
  const bool long_enough = standstill_.look(now, alone && !contended ? patience : longest_patience);
  with_.polls.contested.note_standstill(standstill_.seems_still());
  if (!long_enough || !standstill_.let_go()) return;
  with_.sms.stand_at(now);
  for (const Warp* warp : standstill_.released()) with_.sms[warp->block->sm->index].released(*warp->block);
}

void StuckWatch::look_at_polls(Cycle now) {
  next_look_ = now + cycles_between_looks;
  for (auto& grid : with_.residency.grids()) {
    if (!grid->workspace || !grid_barrier::stands_still(*grid, with_.residency.sms())) continue;
    const Block& block = grid_barrier::block_to_report(*grid, with_.residency.sms());
    return with_.launches.fail(*grid, with_.executor.deadlock(block, grid_barrier::what_it_waits_for(*grid, block)),
                               now);
  }
  look_at_spinning_warps(now);
}

/// Nobody does anything but wait for a value that nobody is left to write.
void StuckWatch::look_at_spinning_warps(Cycle now) {
  with_.polls.contested.watched = std::exchange(with_.polls.contested.needed, false);
  u64 stores = 0;
  for (RunningSm& sm : with_.sms) stores += sm.sm().account().global_stores();
  const bool alone = unattended_ && !with_.polls.take_met_host() && !has_managed_memory();
  PollsLook look;
  for (RunningSm& sm : with_.sms) sm.sm().look_at_polls(look);
  const std::string what = livelock_.look(now, look, alone, stores, with_.polls.changes());
  if (!what.empty()) fail(what, FaultKind::deadlock, now);
}

}  // namespace ew::simt
