#include "simt/block_turns.hpp"

#include <algorithm>
#include <bit>

namespace ew::simt {
namespace {

// How long one warp goes on before the next has its turn, in warp instructions. Long, so that what it touches stays in
// the host's caches; finite, so that whoever waits for someone else is met.
constexpr u64 warp_turn = 2048;

bool at_performer(const Block& block) {
  for (const Warp* warp : block.warps)
    if (warp && warp->under_way) return true;
  return false;
}

/// Lanes that wait for others of their warp to meet them are let go where those wait for a barrier. True: someone can
/// go on.
bool release_blocked(Block& block) {
  bool any = false;
  for (u64 left = block.unfinished & ~block.ready; left; left &= left - 1) {
    const u32 index = std::countr_zero(left);
    Warp* warp = block.warps[index];
    if (!warp || warp->under_way || !warp->release_waiting()) continue;
    block.ready |= u64{1} << index;
    any = true;
  }
  return any;
}

bool wake_waiting(Block& block) {
  return !block.asleep && block.unfinished && !at_performer(block) && release_blocked(block);
}

}  // namespace

BlockTurns::BlockTurns(Performer& performer, Executor& executor, Residency& residency, const FunctionalClock& clock)
    : performer_(performer), steps_(performer.steps()), executor_(executor), residency_(residency), clock_(clock) {}

void BlockTurns::set_crash_point(u64 warp_instruction, std::function<void()> crash) {
  crash_at_ = warp_instruction;
  crash_ = std::move(crash);
}

u64 BlockTurns::turn_within(u64 wanted, const Grid& grid) const {
  if (crash_at_) wanted = std::min(wanted, crash_at_ - executed_);
  if (instruction_limit_) wanted = std::min(wanted, instruction_limit_ - grid.counters.warp_instructions);
  return wanted;
}

BlockTurns::Stretch BlockTurns::run(Block& block, u64 budget) {
  Stretch stretch;
  if (!step()) return {0, true, true};
  Grid& grid = *block.grid;
  if (block.asleep) executor_.wake_sleepers(block, block.sm->cycle);
  while (stretch.used < budget && (block.ready || wake_waiting(block))) {
    bool useful = false;
    for (u64 left = block.ready; left && stretch.used < budget; left &= left - 1) {
      const Ran ran = run_warp(block, std::countr_zero(left), budget - stretch.used, stretch.used);
      if (ran == Ran::failed) return {stretch.used, true, true};
      useful |= ran == Ran::usefully;
    }
    stretch.useful |= useful;
    if (!useful) break;
  }
  if (!block.ready && !block.asleep && block.unfinished && !at_performer(block) && !release_blocked(block)) {
    fail(grid, executor_.deadlock(block));
    return {stretch.used, true, true};
  }
  return stretch;
}

/// Adds what it executed to `used`. Ran::failed: a grid is gone, this one or another.
BlockTurns::Ran BlockTurns::run_warp(Block& block, u32 index, u64 budget, u64& used) {
  Grid& grid = *block.grid;
  Warp& warp = block.warps[index] ? *block.warps[index] : residency_.begin_warp(block, index);
  u64 count = 0;
  const Outcome outcome = executor_.run(warp, turn_within(std::min(warp_turn, budget), grid), count);
  used += count;
  executed_ += count;
  block.sm->cycle += count;
  if (crash_at_ && executed_ >= crash_at_) {
    crash_at_ = 0;
    crash_();
  }
  if (outcome != Outcome::running && !warp.any_running()) block.ready &= ~(u64{1} << index);
  if (outcome == Outcome::ended) end_if_over(warp);
  if (outcome == Outcome::faulted) {
    fail(grid, executor_.take_fault());
    return Ran::failed;
  }
  if (!step()) return Ran::failed;
  if (instruction_limit_ && grid.counters.warp_instructions >= instruction_limit_ &&
      (block.unfinished || grid.unfinished > 1)) {
    fail(grid,
         executor_.fault_of(warp, FaultKind::instruction_limit,
                            std::to_string(instruction_limit_) + " warp instructions have run (--max-instructions)"));
    return Ran::failed;
  }
  return outcome == Outcome::spinning ? Ran::waited : Ran::usefully;
}

void BlockTurns::fail(Grid& grid, Fault fault) {
  performer_.forget(grid);
  executor_.forget(grid);
  residency_.fail(grid, std::move(fault), clock_.nanoseconds());
}

void BlockTurns::finish(const MemoryOp& op, Performed outcome) {
  Grid& grid = *op.warp->block->grid;
  if (is_failing(grid)) return;
  if (!executor_.finish(op, outcome))
    failing_.emplace_back(&grid, executor_.take_fault());
  else
    end_if_over(*op.warp);
}

void BlockTurns::finish(const SyncOp& op) {
  if (!is_failing(*op.warp->block->grid)) executor_.finish(op);
}

bool BlockTurns::is_failing(const Grid& grid) const {
  return std::any_of(failing_.begin(), failing_.end(), [&](const auto& one) { return one.first == &grid; });
}

void BlockTurns::end_if_over(Warp& warp) {
  if (!warp.live && !warp.under_way) residency_.end_warp(*warp.block, warp.index);
}

/// The performer finishes what it can. False: a grid has failed.
bool BlockTurns::step() {
  if (!steps_) return true;
  performer_.step(*this);
  if (failing_.empty()) return true;
  for (auto& [grid, fault] : std::exchange(failing_, {})) fail(*grid, std::move(fault));
  return false;
}

}  // namespace ew::simt
