#include "simt/timing_gpu.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "simt/in_flight.hpp"
#include "simt/kernel_timings.hpp"
#include "simt/occupancy.hpp"
#include "simt/stuck_watch.hpp"

namespace ew::simt {
namespace {

constexpr u64 idle_cycles_an_instruction = 64;  // that a run without instructions counts for one

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
  KernelTimings timings;
  MachineProgress progress;
  Notices notices;
  PollWatch polls;
  const LaunchSkew skew;
  LatencyAccounts latencies;
  const SmSetup setup;
  SmArray sms;
  LaunchLedger ledger;
  const Cycle ahead;  // SMs may run so many cycles ahead of the rest of the machine
  SystemFences fences;
  LaunchControl launches;
  StuckWatch stuck;
  // The clock.
  u64 base_ns = 0;
  Cycle last_begun = 0;
  std::atomic<bool> stop{false};
  // Whoever looks at the machine from time to time.
  Cycle look_interval = 0, look_at = core::never;
  std::function<void()> look;

  explicit State(const Parts& with)
      : parts(with),
        flat(parts.space),
        recording(parts.recorder ? std::make_unique<RecordingMemory>(parts.space, *parts.recorder) : nullptr),
        performer(parts.recorder, parts.newer_elsewhere),
        executor(performer, parts.services, parts.space, parts.limits),
        residency(parts.limits, parts.space, true),
        local_memory(parts.space, parts.limits.sms),
        runs(parts.limits.sms),
        timings(parts.timing, parts.consistency, parts.persists),
        skew(parts.seed, parts.timing.block_start),
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
            {.trace = parts.trace,
             .recorder = parts.recorder,
             .recording = recording.get(),
             .residency = residency,
             .flat = flat,
             .executor = executor,
             .runs = runs,
             .progress = progress,
             .notices = notices,
             .polls = polls,
             .skew = skew,
             .latencies = latencies},
            parts.wheel, residency.sms(), performer),
        ledger(runs, sms, latencies),
        ahead(parts.exchange ? parts.exchange->lookahead() : 1),
        fences(sms, parts.wheel, parts.timing.fence.system, parts.timing.fence.turn, ahead),
        launches({.residency = residency,
                  .runs = runs,
                  .sms = sms,
                  .executor = executor,
                  .notices = notices,
                  .ledger = ledger,
                  .local_memory = local_memory,
                  .fences = fences},
                 ahead),
        stuck({.executor = executor,
               .residency = residency,
               .runs = runs,
               .sms = sms,
               .launches = launches,
               .polls = polls,
               .space = parts.space,
               .beneath = parts.beneath,
               .durable_writes = parts.durable_writes,
               .livelock_cycles = parts.timing.livelock_cycles}) {}

  Cycle now() const { return parts.wheel.now(); }
  u64 now_ns() const { return base_ns + now() * 1'000'000 / parts.limits.clock_khz; }

  /// All SMs stand before this cycle.
  void look_around() {
    if (now() >= look_at) [[unlikely]] {
      look();
      look_at = now() + look_interval;
    }
    if (launches.next_appointment() <= now()) launches.keep_appointments(now(), now_ns());
    if (launches.take_stop()) stop = true;
    // A run that ends here has not begun this cycle: what the host does next comes before the crash.
    if (now() >= parts.crash_at && !stopped()) [[unlikely]]
      parts.crash();
    polls.contested.watched |= launches.take_contention();
    stuck.look(now());
  }

  /// Whether what SMs do in one cycle must be known before any does the next: somebody observes them all, or they share
  /// more than the network.
  bool in_step() const {
    return residency.grids().empty() || (parts.trace && parts.trace->on()) || parts.recorder ||
           progress.ends_by_count() || polls.contested.watched || stuck.spinning() || stuck.has_managed_memory() ||
           launches.in_step();
  }

  /// Behind the last cycle of the window that begins now.
  Cycle window_end(Cycle until) const {
    const Cycle crash = parts.crash_at > now() ? parts.crash_at : core::never;
    return std::min({now() + (in_step() ? 1 : ahead), until, launches.next_appointment(), stuck.next_look(), crash});
  }

  /// The rest of the machine runs the cycles that the SMs have run. Answers when it has something to do next.
  Cycle run_rest(Cycle end) {
    Cycle cycle = now();
    for (; cycle < end; cycle = next_of_rest(cycle + 1)) {
      parts.wheel.advance(cycle);
      parts.wheel.run_due();
      if (parts.exchange) {
        parts.exchange->run(cycle);
        parts.wheel.run_due();
      }
      launches.hear(cycle);
      last_begun = cycle;
    }
    return cycle;
  }

  Cycle next_of_rest(Cycle from) const {
    return std::min(
        {parts.wheel.next(), parts.exchange ? parts.exchange->next(from) : core::never, notices.next(from)});
  }

  bool stopped() const { return residency.any_completion() || stop.load(std::memory_order_relaxed); }

  bool run(u64 wanted, Cycle until, bool without_grids) {
    stop = false;
    const u64 first = progress.instructions();
    u64 idle_cycles = 0;
    launches.dispatch(now());
    while (!stopped() && now() < until &&
           progress.instructions() - first + idle_cycles / idle_cycles_an_instruction < wanted) {
      if (residency.grids().empty() && !without_grids) break;
      look_around();
      if (stopped()) break;
      const u64 before = progress.instructions();
      const Cycle begin = now(), end = window_end(until);
      if (!residency.grids().empty() || sms.next() < end) sms.run(end);
      const Cycle next_of_others = run_rest(end);
      const bool issued = progress.instructions() != before;
      idle_cycles += issued ? 0 : end - begin;
      stuck.passed(now(), end - begin, issued);
      Cycle next = std::min({sms.next(), next_of_others, launches.next_appointment(), until});
      const bool over = next == core::never;
      if (over && !residency.grids().empty() && !stopped())  // who stopped it may have something to bring
        stuck.fail("nothing is under way, and no thread can go on", FaultKind::barrier_deadlock, now());
      parts.wheel.advance(over ? end : std::max(next, end));
      if (over && residency.grids().empty()) break;
    }
    return !residency.grids().empty();
  }
};

void TimingGpu::look_every(Cycle cycles, std::function<void()> look) {
  state_->look_interval = cycles;
  state_->look_at = state_->now() + cycles;
  state_->look = std::move(look);
}

TimingGpu::TimingGpu(const Parts& parts) : state_(std::make_unique<State>(parts)) {}
TimingGpu::~TimingGpu() = default;

void TimingGpu::set_unattended(bool unattended) {
  state_->stuck.set_unattended(unattended);
}

memory::HomeObserver* TimingGpu::observer_of_homes() {
  return state_->sms.observer_of_homes();
}

memory::Agent& TimingGpu::agent(u32 sm) {
  return state_->sms[sm].agent();
}

core::Partition& TimingGpu::partition(u32 sm) {
  return state_->sms.running(sm).partition();
}

void TimingGpu::attach(u32 sm, LinePort& port) {
  state_->sms[sm].attach(port);
}

std::string TimingGpu::refuse(const Launch& launch) const {
  return refusal(state_->parts.limits, launch);
}

Occupancy TimingGpu::occupancy(const Launch& launch) const {
  const GpuLimits& limits = state_->parts.limits;
  return occupancy_of(limits,
                      needs_of(limits, *launch.kernel, static_cast<u32>(launch.block.count()), launch.dynamic_shared));
}

LaunchId TimingGpu::start(Launch launch) {
  Grid& grid = state_->residency.start(std::move(launch), state_->now_ns(), state_->now());
  state_->launches.begin(grid, state_->timings.of(grid), state_->now());
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

void TimingGpu::stop_soon() {
  if (state_->residency.grids().empty())
    state_->stop = true;
  else
    state_->launches.stop_soon(state_->now());
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

void TimingGpu::forget_kernels() {
  state_->timings.forget(state_->runs.running());
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
    for (RunningSm& sm : state_->sms) sm.sm().settle(state_->now());
    return state_->ledger.take(*run, state_->now());
  }
  return state_->ledger.take_ended(id);
}

EndedLaunch TimingGpu::take_statistics_of(core::Account account) {
  return {.account = account, .statistics = state_->ledger.take(account, state_->now())};
}

core::Account TimingGpu::account_of(LaunchId id) const {
  const GridRun* const run = state_->runs.of(id);
  return run ? run->account : core::nobody;
}

TimingStatistics TimingGpu::statistics_of_sm(u32 sm) const {
  return state_->sms[sm].account().statistics(state_->now());
}

u64 TimingGpu::digest() const {
  return state_->sms.digest();
}

}  // namespace ew::simt
