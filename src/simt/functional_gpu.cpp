#include "simt/functional_gpu.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "simt/block_turns.hpp"
#include "simt/deadlock_watch.hpp"
#include "simt/executor.hpp"
#include "simt/flat_memory.hpp"
#include "simt/functional_clock.hpp"
#include "simt/grid_barrier.hpp"
#include "simt/in_flight.hpp"
#include "simt/occupancy.hpp"
#include "simt/residency.hpp"

namespace ew::simt {
namespace {

// How long one block and one SM go on before the next has its turn, in warp instructions: block_turns.cpp says why.
constexpr u64 block_turn = 16384, sm_turn = 32768;
// Fruitless rounds from one offer of the processor to the host's threads to the next.
constexpr u64 rounds_between_yields = 64;

}  // namespace

/// Whose turn it is: SM after SM, on each block after block. A round ends when every SM has had its turn.
struct FunctionalGpu::State {
  GpuLimits limits;
  std::unique_ptr<Performer> performer;
  Executor executor;
  Residency residency;
  std::vector<Sm>& sms;
  FunctionalClock clock;
  BlockTurns blocks;
  DeadlockWatch deadlocks;
  u32 turn_of_sm = 0;
  struct Turn {
    u64 spent = 0;
    u32 fruitless = 0;  // blocks in a row that did nothing but wait
  } turn;               // of that SM
  u64 rounds = 0;
  bool round_useful = true;  // did anyone do more than wait since SM 0 had its turn?
  std::atomic<bool> stop{false};

  State(const GpuLimits& with, memory::AddressSpace& space, DeviceServices& services,
        std::unique_ptr<Performer> performs)
      : limits(with),
        performer(std::move(performs)),
        executor(*performer, services, space, limits),
        residency(limits, space, false),
        sms(residency.sms()),
        clock(sms, limits.clock_khz),
        blocks(*performer, executor, residency, clock),
        deadlocks(executor, residency, space) {}

  void dispatch() {
    while (residency.place_next()) {
    }
  }

  /// One turn of an SM, which an earlier run() may have begun: where run() stops must not change who runs when. Adds
  /// what it executed to `used`. False: stopped within the turn.
  bool run_sm(Sm& sm, u64 wanted, u64& used) {
    while (turn.spent < sm_turn && turn.fruitless < sm.blocks.size()) {
      if (used >= wanted || stop.load(std::memory_order_relaxed)) return false;
      if (sm.next_block >= sm.blocks.size()) sm.next_block = 0;
      Block& block = *sm.blocks[sm.next_block];
      Grid& grid = *block.grid;
      const BlockTurns::Stretch stretch = blocks.run(block, std::min(block_turn, sm_turn - turn.spent));
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
        residency.complete(grid, clock.nanoseconds());
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
    u64 latest = clock.cycle();
    if (!round_useful) {  // everyone waits, perhaps for a sleeper, perhaps for the host
      u64 earliest = ~u64{0};
      for (Sm& sm : sms)
        for (auto& block : sm.blocks) earliest = std::min(earliest, executor.wake_sleepers(*block, latest));
      if (earliest != ~u64{0}) latest = std::max(latest, earliest);
      if (rounds % rounds_between_yields == 0) std::this_thread::yield();
    }
    for (Sm& sm : sms) sm.cycle = latest;
    round_useful = false;
    if (std::exchange(executor.watch().any, false)) fail(deadlocks.look_at_spinning(rounds));
    if (++rounds % grid_barrier::rounds_between_looks == 0) fail(deadlocks.look_at_grid_barriers());
  }

  void fail(std::optional<DeadlockWatch::Deadlock> deadlock) {
    if (deadlock) blocks.fail(*deadlock->grid, std::move(deadlock->fault));
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

LaunchId FunctionalGpu::start(Launch launch) {
  if (state_->residency.grids().empty()) {  // an SM that had nothing to do has waited until now
    const u64 now = state_->clock.cycle();
    for (Sm& sm : state_->sms) sm.cycle = now;
  }
  return state_->residency.start(std::move(launch), state_->clock.nanoseconds(), state_->clock.cycle()).id;
}

bool FunctionalGpu::run(u64 warp_instructions) {
  return state_->run(warp_instructions);
}

void FunctionalGpu::set_unattended(bool unattended, std::function<bool()> no_other_thread) {
  state_->deadlocks.set_unattended(unattended, std::move(no_other_thread));
}

std::vector<Completion> FunctionalGpu::take_completions() {
  return state_->residency.take_completions();
}

void FunctionalGpu::set_instruction_limit(u64 limit) {
  state_->blocks.set_instruction_limit(limit);
}

void FunctionalGpu::set_crash_point(u64 warp_instruction, std::function<void()> crash) {
  state_->blocks.set_crash_point(warp_instruction, std::move(crash));
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
  return simt::in_flight(state_->residency, state_->clock.nanoseconds());
}

u64 FunctionalGpu::simulated_nanoseconds() const {
  return state_->clock.nanoseconds();
}

void FunctionalGpu::advance_nanoseconds(u64 nanoseconds) {
  state_->clock.skip(nanoseconds);
}

}  // namespace ew::simt
