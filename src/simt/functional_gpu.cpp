#include "simt/functional_gpu.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>
#include <utility>

#include "simt/executor.hpp"
#include "simt/flat_memory.hpp"
#include "simt/grid_barrier.hpp"
#include "simt/in_flight.hpp"
#include "simt/occupancy.hpp"
#include "simt/residency.hpp"
#include "simt/standstill.hpp"

namespace ew::simt {
namespace {

// How long one warp, one block and one SM go on before the next has its turn, in warp instructions. Long, so that what
// they touch stays in the host's caches; finite, so that whoever waits for someone else is met.
constexpr u64 warp_turn = 2048, block_turn = 16384, sm_turn = 32768;
// Rounds in which nobody does anything but wait, before lanes that wait for others of their warp are let go.
constexpr u64 rounds_of_patience = 4;
// Rounds without a change of any register of a warp that polls in vain, before that is a deadlock: more than the
// longest sequence of polls that is seen to repeat; more still where another thread of the host may bring something.
constexpr u64 rounds_of_a_deadlock = 512, rounds_beside_threads = u64{1} << 20;
// Fruitless rounds from one offer of the processor to the host's threads to the next.
constexpr u64 rounds_between_yields = 64;

}  // namespace

struct FunctionalGpu::State final : Finisher {
  GpuLimits limits;
  const memory::AddressSpace& addresses;
  std::unique_ptr<Performer> performer;
  bool steps;  // the performer keeps operations pending
  Executor executor;
  Residency residency;
  std::vector<Sm>& sms;
  Standstill standstill;
  u32 turn_of_sm = 0;
  struct Turn {
    u64 spent = 0;
    u32 fruitless = 0;  // blocks in a row that did nothing but wait
  } turn;               // of that SM
  u64 rounds = 0;
  bool round_useful = true;  // did anyone do more than wait since SM 0 had its turn?

  bool unattended = false;
  std::function<bool()> no_other_thread;
  u64 stuck_rounds = 0;

  u64 executed = 0;
  u64 base_ns = 0, base_cycle = 0;
  u64 instruction_limit = 0, crash_at = 0;
  std::function<void()> crash;
  std::atomic<bool> stop{false};
  std::vector<std::pair<Grid*, Fault>> failing;  // what was pending of them has been refused

  State(const GpuLimits& with, memory::AddressSpace& space, DeviceServices& services,
        std::unique_ptr<Performer> performs)
      : limits(with),
        addresses(space),
        performer(std::move(performs)),
        steps(performer->steps()),
        executor(*performer, services, space, limits),
        residency(limits, space),
        sms(residency.sms()),
        standstill(executor.watch(), sms) {}

  u64 cycle() const {
    u64 latest = 0;
    for (const Sm& sm : sms) latest = std::max(latest, sm.cycle);
    return latest;
  }
  u64 now_ns() const { return base_ns + (cycle() - base_cycle) * 1'000'000 / limits.clock_khz; }

  void dispatch() {
    while (residency.place_next()) {
    }
  }

  void fail(Grid& grid, Fault fault) {
    performer->forget(grid);
    executor.forget(grid);
    residency.fail(grid, std::move(fault), now_ns());
  }

  // --- what was pending

  void finish(const MemoryOp& op, Performed outcome) override {
    Grid& grid = *op.warp->block->grid;
    if (is_failing(grid)) return;
    if (!executor.finish(op, outcome))
      failing.emplace_back(&grid, executor.take_fault());
    else
      end_if_over(*op.warp);
  }
  void finish(const SyncOp& op) override {
    if (!is_failing(*op.warp->block->grid)) executor.finish(op);
  }
  bool is_failing(const Grid& grid) const {
    return std::any_of(failing.begin(), failing.end(), [&](const auto& one) { return one.first == &grid; });
  }

  void end_if_over(Warp& warp) {
    if (!warp.live && !warp.under_way) residency.end_warp(*warp.block, warp.index);
  }

  /// False: a grid has failed.
  bool step() {
    if (!steps) return true;
    performer->step(*this);
    if (failing.empty()) return true;
    for (auto& [grid, fault] : std::exchange(failing, {})) fail(*grid, std::move(fault));
    return false;
  }

  struct Stretch {
    u64 used = 0;
    bool useful = false;
    bool failed = false;  // the grid is gone
  };

  u64 turn_within(u64 wanted, const Grid& grid) const {
    if (crash_at) wanted = std::min(wanted, crash_at - executed);
    if (instruction_limit) wanted = std::min(wanted, instruction_limit - grid.counters.warp_instructions);
    return wanted;
  }

  Stretch run_block(Block& block, u64 budget) {
    Stretch stretch;
    if (!step()) return {0, true, true};
    Grid& grid = *block.grid;
    if (block.asleep) executor.wake_sleepers(block, block.sm->cycle);
    while (stretch.used < budget && (block.ready || wake_waiting(block))) {
      bool useful = false;
      for (u64 left = block.ready; left && stretch.used < budget; left &= left - 1) {
        const u32 index = std::countr_zero(left);
        Warp& warp = block.warps[index] ? *block.warps[index] : residency.begin_warp(block, index);
        u64 count = 0;
        const Outcome outcome =
            executor.run(warp, turn_within(std::min(warp_turn, budget - stretch.used), grid), count);
        stretch.used += count;
        executed += count;
        block.sm->cycle += count;
        useful |= outcome != Outcome::spinning;
        if (crash_at && executed >= crash_at) {
          crash_at = 0;
          crash();
        }
        if (outcome != Outcome::running && !warp.any_running()) block.ready &= ~(u64{1} << index);
        if (outcome == Outcome::ended) end_if_over(warp);
        if (outcome == Outcome::faulted) {
          fail(grid, executor.take_fault());
          return {stretch.used, true, true};
        }
        if (!step()) return {stretch.used, true, true};
        if (instruction_limit && grid.counters.warp_instructions >= instruction_limit &&
            (block.unfinished || grid.unfinished > 1)) {
          fail(grid, executor.fault_of(
                         warp, FaultKind::instruction_limit,
                         std::to_string(instruction_limit) + " warp instructions have run (--max-instructions)"));
          return {stretch.used, true, true};
        }
      }
      stretch.useful |= useful;
      if (!useful) break;
    }
    if (!block.ready && !block.asleep && block.unfinished && !at_performer(block) && !release_blocked(block)) {
      fail(grid, executor.deadlock(block));
      return {stretch.used, true, true};
    }
    return stretch;
  }

  static bool at_performer(const Block& block) {
    for (const Warp* warp : block.warps)
      if (warp && warp->under_way) return true;
    return false;
  }

  /// Lanes that wait for others of their warp to meet them are let go where those wait for a barrier. True: someone can
  /// go on.
  static bool release_blocked(Block& block) {
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

  static bool wake_waiting(Block& block) {
    return !block.asleep && block.unfinished && !at_performer(block) && release_blocked(block);
  }

  /// One turn of an SM, which an earlier run() may have begun: where run() stops must not change who runs when. Adds
  /// what it executed to `used`. False: stopped within the turn.
  bool run_sm(Sm& sm, u64 wanted, u64& used) {
    while (turn.spent < sm_turn && turn.fruitless < sm.blocks.size()) {
      if (used >= wanted || stop.load(std::memory_order_relaxed)) return false;
      if (sm.next_block >= sm.blocks.size()) sm.next_block = 0;
      Block& block = *sm.blocks[sm.next_block];
      Grid& grid = *block.grid;
      const Stretch stretch = run_block(block, std::min(block_turn, sm_turn - turn.spent));
      turn.spent += stretch.used;
      used += stretch.used;
      if (stretch.failed) break;
      turn.fruitless = stretch.useful ? 0 : turn.fruitless + 1;
      round_useful |= stretch.useful;
      if (block.unfinished) {
        ++sm.next_block;
        continue;
      }
      residency.end_block(sm, sm.next_block);
      if (grid.unfinished == 0) {
        residency.complete(grid, now_ns());
        break;
      }
      dispatch();
    }
    if (turn.spent == 0) skip_to_wake(sm);
    turn = {};
    return true;
  }

  /// Everyone on this SM sleeps: its time goes on to the first who wakes.
  void skip_to_wake(Sm& sm) {
    u64 earliest = ~u64{0};
    for (auto& block : sm.blocks) earliest = std::min(earliest, executor.wake_sleepers(*block, sm.cycle));
    if (earliest != ~u64{0}) sm.cycle = std::max(sm.cycle, earliest);
  }

  void end_round() {
    u64 latest = cycle();
    if (!round_useful) {  // everyone waits, perhaps for a sleeper, perhaps for the host
      u64 earliest = ~u64{0};
      for (Sm& sm : sms)
        for (auto& block : sm.blocks) earliest = std::min(earliest, executor.wake_sleepers(*block, latest));
      if (earliest != ~u64{0}) latest = std::max(latest, earliest);
      if (rounds % rounds_between_yields == 0) std::this_thread::yield();
    }
    for (Sm& sm : sms) sm.cycle = latest;
    round_useful = false;
    if (std::exchange(executor.watch().any, false)) look_for_standstill();
    if (++rounds % grid_barrier::rounds_between_looks == 0) look_at_grid_barriers();
  }

  void look_for_standstill() {
    if (standstill.look(rounds, rounds_of_patience) && !standstill.let_go())
      look_for_deadlock();
    else if (standstill.broken())
      executor.watch().judges = false;
  }

  /// Every warp polls in vain, or waits, and no lane is left that could be let go.
  void look_for_deadlock() {
    SpinWatch& watch = executor.watch();
    const bool judged = std::exchange(watch.judges, true);
    if (std::exchange(watch.moves, 0) || !judged) stuck_rounds = 0;
    if (!unattended || ++stuck_rounds < rounds_of_a_deadlock) return;
    if (!(no_other_thread && no_other_thread())) {
      if (stuck_rounds < rounds_beside_threads || standstill.polls_host_memory(addresses)) return;
    }
    const Block& block = standstill.block_to_report();
    watch.judges = false;
    fail(*block.grid, executor.deadlock(block, "every warp waits, and nobody is left who could change what they poll",
                                        FaultKind::deadlock));
  }

  void look_at_grid_barriers() {
    for (auto& grid : residency.grids()) {
      if (!grid->workspace || !grid_barrier::stands_still(*grid, sms)) continue;
      const Block& block = grid_barrier::block_to_report(*grid, sms);
      return fail(*grid, executor.deadlock(block, grid_barrier::what_it_waits_for(*grid, block)));
    }
  }

  bool run(u64 wanted) {
    stop = false;
    u64 used = 0;
    dispatch();
    while (!residency.grids().empty() && !residency.any_completion() && used < wanted &&
           !stop.load(std::memory_order_relaxed)) {
      Sm& sm = sms[turn_of_sm];
      if (!sm.blocks.empty() && !run_sm(sm, wanted, used)) break;
      if (++turn_of_sm < sms.size()) continue;
      turn_of_sm = 0;
      end_round();
      dispatch();
    }
    return !residency.grids().empty();
  }
};

FunctionalGpu::FunctionalGpu(const GpuLimits& limits, memory::AddressSpace& space, DeviceServices& services)
    : FunctionalGpu(limits, space, services, std::make_unique<FlatMemory>(space)) {}

FunctionalGpu::FunctionalGpu(const GpuLimits& limits, memory::AddressSpace& space, DeviceServices& services,
                             std::unique_ptr<Performer> performer)
    : state_(std::make_unique<State>(limits, space, services, std::move(performer))) {}

FunctionalGpu::~FunctionalGpu() = default;

std::string FunctionalGpu::refuse(const Launch& launch) const {
  return refusal(state_->limits, launch);
}

u32 FunctionalGpu::occupancy(const ptx::Kernel& kernel, u32 threads, u32 dynamic_shared) const {
  return blocks_per_sm(state_->limits, needs_of(state_->limits, kernel, threads, dynamic_shared));
}

LaunchId FunctionalGpu::start(Launch launch) {
  if (state_->residency.grids().empty()) {  // an SM that had nothing to do has waited until now
    const u64 now = state_->cycle();
    for (Sm& sm : state_->sms) sm.cycle = now;
  }
  return state_->residency.start(std::move(launch), state_->now_ns(), state_->cycle()).id;
}

bool FunctionalGpu::run(u64 warp_instructions) {
  return state_->run(warp_instructions);
}

void FunctionalGpu::set_unattended(bool unattended, std::function<bool()> no_other_thread) {
  state_->unattended = unattended;
  state_->no_other_thread = std::move(no_other_thread);
}

std::vector<Completion> FunctionalGpu::take_completions() {
  return state_->residency.take_completions();
}

void FunctionalGpu::set_instruction_limit(u64 limit) {
  state_->instruction_limit = limit;
}

void FunctionalGpu::set_crash_point(u64 warp_instruction, std::function<void()> crash) {
  state_->crash_at = warp_instruction;
  state_->crash = std::move(crash);
}

void FunctionalGpu::request_stop() {
  state_->stop = true;
}

const Counters& FunctionalGpu::totals() const {
  return state_->residency.totals();
}

Counters FunctionalGpu::so_far() const {
  return state_->residency.so_far();
}

std::vector<InFlight> FunctionalGpu::in_flight() const {
  return simt::in_flight(state_->residency, state_->now_ns());
}

u64 FunctionalGpu::simulated_nanoseconds() const {
  return state_->now_ns();
}

void FunctionalGpu::advance_nanoseconds(u64 nanoseconds) {
  state_->base_ns += nanoseconds;
}

}  // namespace ew::simt
