#include "simt/timing_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "simt/grid_barrier.hpp"
#include "simt/in_flight.hpp"
#include "simt/launch_ledger.hpp"
#include "simt/livelock.hpp"
#include "simt/occupancy.hpp"
#include "simt/sm/sm_array.hpp"
#include "simt/standstill.hpp"
#include "simt/stuck_report.hpp"
#include "simt/thread_local_memory.hpp"

namespace ew::simt {
namespace {

constexpr Cycle cycles_between_looks = 1u << 17;  // at grid-wide barriers, and at warps that spin
constexpr u64 steps_an_instruction = 64;          // that a run without instructions counts for one
// Looks at whether every warp waits, and how long before lanes that wait for others of their warp are let go: longer
// than any access takes. Much longer while a value may still change: the host may write one, or a lock may be taken and
// given back in step with those that wait for it.
constexpr Cycle cycles_between_standstill_looks = 2048, patience = 4096, long_patience = 1u << 20;

}  // namespace

struct TimingGpu::State {
  Parts parts;
  FlatMemory flat;
  std::unique_ptr<RecordingMemory> recording;
  IssuingSm performer;
  Executor executor;
  Residency residency;
  ThreadLocalMemory local_memory;
  GridRuns runs;
  MachineProgress progress;
  Endings endings;
  PollWatch polls;
  LaunchSkew skew;
  core::Accounts<LatencyHistograms> latencies;
  const SmSetup setup;
  SmArray sms;
  LaunchLedger ledger;
  // Does the machine still get on?
  Standstill standstill;
  Livelock livelock;
  StuckReport stuck;
  Cycle next_look = cycles_between_looks, next_standstill_look = 0;
  u64 steps_without_issue = 0;
  bool unattended = false;
  // The clock.
  u64 base_ns = 0;
  Cycle last_begun = 0;
  std::atomic<bool> stop{false};

  explicit State(const Parts& with)
      : parts(with),
        flat(parts.space),
        recording(parts.recorder ? std::make_unique<RecordingMemory>(parts.space, *parts.recorder) : nullptr),
        performer(parts.recorder, parts.newer_elsewhere),
        executor(performer, parts.services, parts.space, parts.limits),
        residency(parts.limits, parts.space),
        local_memory(parts.space, parts.limits.sms),
        skew(parts.seed),
        setup{.limits = parts.limits,
              .config = parts.timing,
              .policy = *scheduler_policy(parts.timing.policy),
              .consistency = parts.consistency,
              .meet_image = parts.meet_image,
              .persists = parts.persists,
              .map = parts.map,
              .line = parts.line,
              .private_latency = parts.private_latency,
              .seed = parts.seed},
        sms(setup,
            {.wheel = parts.wheel,
             .trace = parts.trace,
             .recorder = parts.recorder,
             .recording = recording.get(),
             .residency = residency,
             .flat = flat,
             .executor = executor,
             .runs = runs,
             .progress = progress,
             .endings = endings,
             .polls = polls,
             .skew = skew,
             .latencies = latencies},
            residency.sms(), performer),
        ledger(runs, sms, latencies),
        standstill(executor.watch(), residency.sms()),
        livelock(parts.timing.livelock_cycles),
        stuck(executor, residency, runs, sms, parts.beneath) {}

  Cycle now() const { return parts.wheel.now(); }
  u64 now_ns() const { return base_ns + now() * 1'000'000 / parts.limits.clock_khz; }

  void dispatch() {
    while (Block* block = residency.place_next()) sms[block->sm->index].add(*block, *runs.of(*block->grid));
  }

  void begin(Grid& grid) {
    GridRun& run = runs.begin(grid);
    run.timing = timing_of(grid, parts.timing, parts.consistency, parts.persists);
    run.on_sm.resize(sms.size());
    run.begun = now();
    local_memory.give(run);
    ledger.open(run, now());
  }

  /// Ends blocks without warps, and grids whose last stores are home.
  void look_around() {
    bool any = false;
    for (auto& sm : sms) any |= sm->end_blocks();
    if (any) dispatch();
    for (auto& run : runs.all()) {
      if (!run || run->grid->unfinished || run->accesses) continue;
      if (!run->flushing) {
        run->flushing = true;
        for (u32 i = 0; i < sms.size(); ++i)
          if (run->on_sm[i].been) {
            ++run->flushes;
            sms[i].flush(*run);
          }
      }
      if (run->flushes) continue;
      ledger.close(*run, now() + 1);
      residency.complete(*run->grid, now_ns());
      runs.end(*run);
    }
    dispatch();
  }

  void fail() {
    Endings::Failure failure = endings.take_failure();
    GridRun& run = *runs.of(failure.grid);
    for (auto& sm : sms) sm->forget(run, now());
    ledger.close(run, now() + 1);
    executor.forget(failure.grid);
    residency.fail(failure.grid, std::move(failure.fault), now_ns());
    runs.end(run);
    endings.one_more();
  }

  /// Nobody will ever go on: the first grid is told.
  void fail_stuck(std::string_view what, FaultKind kind = FaultKind::deadlock) {
    Grid& grid = *residency.grids().front();
    endings.fail(grid, stuck.of(grid, what, kind));
    fail();
  }

  bool has_managed_memory() const { return parts.space.used(memory::Region::managed) != 0; }

  /// Nobody does anything but wait for a value that nobody is left to write.
  void look_at_spinning_warps() {
    polls.contested.watched = std::exchange(polls.contested.needed, false);
    const u64 stores = sms.statistics(now()).instructions.global_stores;
    const bool alone = unattended && !polls.take_met_host() && !has_managed_memory();
    PollsLook look;
    for (auto& sm : sms) sm->look_at_polls(look);
    const std::string what = livelock.look(now(), look, alone, stores, polls.changes());
    if (!what.empty()) fail_stuck(what);
  }

  void look_for_standstill() {
    next_standstill_look = now() + cycles_between_standstill_looks;
    if (!std::exchange(executor.watch().any, false)) return;
    const bool alone = unattended && !polls.has_met_host() && !has_managed_memory();
    const bool contended = polls.contested.changed_in_standstill();
    const bool long_enough = standstill.look(now(), alone && !contended ? patience : long_patience);
    polls.contested.note_standstill(standstill.seems_still());
    if (!long_enough || !standstill.let_go()) return;
    for (const Warp* warp : standstill.released()) sms[warp->block->sm->index].released(*warp->block);
  }

  void look_at_grid_barriers() {
    next_look = now() + cycles_between_looks;
    for (auto& grid : residency.grids()) {
      if (!grid->workspace || !grid_barrier::stands_still(*grid, residency.sms())) continue;
      const Block& block = grid_barrier::block_to_report(*grid, residency.sms());
      endings.fail(*grid, executor.deadlock(block, grid_barrier::what_it_waits_for(*grid, block)));
      return fail();
    }
  }

  bool run(u64 wanted, Cycle until, bool without_grids) {
    stop = false;
    const u64 first = progress.instructions();
    u64 steps = 0;
    dispatch();
    while (!residency.any_completion() && progress.instructions() - first + steps / steps_an_instruction < wanted &&
           now() < until && !stop.load(std::memory_order_relaxed)) {
      if (residency.grids().empty() && !without_grids) break;
      const u64 before = progress.instructions();
      if (now() >= parts.crash_at) [[unlikely]]
        parts.crash();
      last_begun = now();
      parts.wheel.run_due();
      Cycle next = sms.step(now());
      if (endings.failed()) [[unlikely]]
        fail();
      if (endings.take()) {
        look_around();
        next = std::min(next, sms.due_behind(now()));
      }
      if (now() >= next_standstill_look) look_for_standstill();
      if (now() >= next_look) {
        look_at_grid_barriers();
        look_at_spinning_warps();
      }
      const bool issued = progress.instructions() != before;
      steps_without_issue = issued ? 0 : steps_without_issue + 1;
      steps += !issued;
      next = std::min({next, parts.wheel.next(), until});
      if (next == core::never && !stop.load(std::memory_order_relaxed)) {  // who stopped it may have something to bring
        if (!residency.grids().empty() && !residency.any_completion())
          fail_stuck("nothing is under way, and no thread can go on", FaultKind::barrier_deadlock);
        else if (!residency.any_completion())
          break;
      }
      if (steps_without_issue >= parts.timing.livelock_cycles && !residency.grids().empty()) {
        steps_without_issue = 0;
        fail_stuck(fmt::format("no warp has issued an instruction while the machine was busy for {} cycles",
                               parts.timing.livelock_cycles));
      }
      // What has ended is told in the next cycle, not at the next event: rows of kernels count up to it, and what
      // waited for it begins there.
      if (residency.any_completion() || stop.load(std::memory_order_relaxed)) next = core::never;
      parts.wheel.advance(next == core::never ? now() + 1 : std::max(next, now() + 1));
    }
    return !residency.grids().empty();
  }
};

TimingGpu::TimingGpu(const Parts& parts) : state_(std::make_unique<State>(parts)) {}
TimingGpu::~TimingGpu() = default;

void TimingGpu::set_unattended(bool unattended) {
  state_->unattended = unattended;
}

memory::HomeObserver* TimingGpu::observer_of_homes() {
  return state_->sms.observer_of_homes();
}

memory::Agent& TimingGpu::agent(u32 sm) {
  return state_->sms[sm].agent();
}

void TimingGpu::attach(u32 sm, LinePort& port) {
  state_->sms[sm].attach(port);
}

std::string TimingGpu::refuse(const Launch& launch) const {
  return refusal(state_->parts.limits, launch);
}

u32 TimingGpu::occupancy(const ptx::Kernel& kernel, u32 threads, u32 dynamic_shared) const {
  return blocks_per_sm(state_->parts.limits, needs_of(state_->parts.limits, kernel, threads, dynamic_shared));
}

Occupancy TimingGpu::occupancy(const Launch& launch) const {
  const GpuLimits& limits = state_->parts.limits;
  return occupancy_of(limits,
                      needs_of(limits, *launch.kernel, static_cast<u32>(launch.block.count()), launch.dynamic_shared));
}

LaunchId TimingGpu::start(Launch launch) {
  Grid& grid = state_->residency.start(std::move(launch), state_->now_ns(), state_->now());
  state_->begin(grid);
  return grid.id;
}

bool TimingGpu::run(u64 warp_instructions) {
  return state_->run(warp_instructions, core::never, false);
}

bool TimingGpu::run(u64 warp_instructions, core::Cycle until) {
  return state_->run(warp_instructions, until, true);
}

std::vector<Completion> TimingGpu::take_completions() {
  return state_->residency.take_completions();
}

void TimingGpu::set_instruction_limit(u64 limit) {
  state_->progress.set_limit(limit);
}

void TimingGpu::set_crash_point(u64 warp_instruction, std::function<void()> crash) {
  state_->progress.set_crash_point(warp_instruction, std::move(crash));
}

core::Cycle TimingGpu::begun() const {
  return state_->last_begun;
}

void TimingGpu::request_stop() {
  state_->stop = true;
}

const Counters& TimingGpu::totals() const {
  return state_->residency.totals();
}

Counters TimingGpu::so_far() const {
  return state_->residency.so_far();
}

std::vector<InFlight> TimingGpu::in_flight() const {
  return simt::in_flight(state_->residency, state_->now_ns());
}

u64 TimingGpu::simulated_nanoseconds() const {
  return state_->now_ns();
}

void TimingGpu::advance_nanoseconds(u64 nanoseconds) {
  state_->base_ns += nanoseconds;
}

TimingStatistics TimingGpu::statistics() const {
  return state_->sms.statistics(state_->now());
}

EndedLaunch TimingGpu::take_statistics(LaunchId id) {
  if (const GridRun* const run = state_->runs.of(id)) {
    for (auto& sm : state_->sms) sm->settle(state_->now());
    return state_->ledger.take(*run, state_->now());
  }
  return state_->ledger.take_ended(id);
}

EndedLaunch TimingGpu::take_statistics_of(core::Account account) {
  EndedLaunch rest{.account = account};
  for (auto& sm : state_->sms) rest.statistics.add(sm->take(account, state_->now()));
  return rest;
}

core::Account TimingGpu::account_of(LaunchId id) const {
  const GridRun* const run = state_->runs.of(id);
  return run ? run->account : core::nobody;
}

TimingStatistics TimingGpu::statistics_of_sm(u32 sm) const {
  return state_->sms[sm].statistics(state_->now());
}

u64 TimingGpu::digest() const {
  return state_->progress.digest();
}

}  // namespace ew::simt
