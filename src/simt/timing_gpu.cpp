#include "simt/timing_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <deque>
#include <utility>

#include "core/symbol_name.hpp"
#include "simt/flat_memory.hpp"
#include "simt/grid_barrier.hpp"
#include "simt/in_flight.hpp"
#include "simt/occupancy.hpp"
#include "simt/standstill.hpp"
#include "simt/timing_sm.hpp"

namespace ew::simt {
namespace {

constexpr Cycle cycles_between_looks = 1u << 17;  // at grid-wide barriers
// Loops that count their polls may end by themselves: they have so many times livelock_cycles.
constexpr u64 loops = 8;
constexpr u64 steps_an_instruction = 64;  // that a run without instructions counts for one
// Looks at whether every warp waits, and how long before lanes that wait for others of their warp are let go: longer
// than any access takes; much longer while the host could still change a value.
constexpr Cycle cycles_between_standstill_looks = 2048, patience = 4096, patience_with_host = 1u << 20;

/// Where the Executor finds the SM that issues.
class IssuingSm final : public Performer {
 public:
  TimingSm* sm = nullptr;
  EventRecorder* recorder = nullptr;
  const std::function<std::string(u32, u64, u32)>* newer = nullptr;
  Performed memory(MemoryOp& op) override { return sm->memory(op); }
  std::string newer_elsewhere(u32 index, u64 address, u32 value) const override {
    return newer && *newer ? (*newer)(index, address, value) : std::string();
  }
  Performed sync(SyncOp& op) override {
    if (core::observation && recorder) [[unlikely]] {
      const auto guard = recorder->lock();
      recorder->performed(op);
    }
    return Performed::done;
  }
};

}  // namespace

struct TimingGpu::State {
  Parts parts;
  FlatMemory flat;
  std::unique_ptr<RecordingMemory> recording;
  IssuingSm performer;
  Executor executor;
  Residency residency;
  Standstill standstill;
  std::vector<u64> active;
  SmShared shared;
  std::vector<std::unique_ptr<TimingSm>> sms;
  std::vector<EndedLaunch> ended;
  // Accounts of launches: one is used again once many others have been, when what it caused is over long since.
  std::deque<core::Account> free_accounts;
  core::Account next_account = core::first_kernel;
  u64 local_memory = 0, local_bytes = 0;  // simulated place of it; bytes a thread
  u64 base_ns = 0;
  Cycle base_cycle = 0, next_look = cycles_between_looks, next_standstill_look = 0;
  u64 steps_without_issue = 0;
  bool unattended = false;
  Cycle spinning_since = 0, looping_since = 0;
  u64 changes_before = 0, stores_before = 0;
  Cycle last_begun = 0;
  std::atomic<bool> stop{false};

  explicit State(const Parts& with)
      : parts(with),
        flat(parts.space),
        recording(parts.recorder ? std::make_unique<RecordingMemory>(parts.space, *parts.recorder) : nullptr),
        executor(performer, parts.services, parts.space, parts.limits),
        residency(parts.limits, parts.space),
        standstill(executor.watch(), residency.sms()),
        active((parts.limits.sms + 63) / 64),
        shared{.limits = parts.limits,
               .config = parts.timing,
               .policy = *scheduler_policy(parts.timing.policy),
               .consistency = parts.consistency,
               .persists = parts.persists,
               .space = parts.space,
               .map = parts.map,
               .wheel = parts.wheel,
               .trace = parts.trace,
               .recorder = parts.recorder,
               .recording = recording.get(),
               .residency = residency,
               .flat = flat,
               .executor = executor,
               .line = parts.line,
               .private_latency = parts.private_latency,
               .active = active,
               .skew = std::mt19937_64(parts.seed),
               .seed = parts.seed} {
    performer.recorder = parts.recorder;
    performer.newer = &parts.newer_elsewhere;
    for (Sm& sm : residency.sms()) sms.push_back(std::make_unique<TimingSm>(shared, sm));
  }

  Cycle now() const { return parts.wheel.now(); }
  u64 now_ns() const { return base_ns + (now() - base_cycle) * 1'000'000 / parts.limits.clock_khz; }

  core::Account open_account() {
    constexpr std::size_t used_again_after = 64;
    if (free_accounts.size() < used_again_after && next_account != core::accounts_end) return next_account++;
    if (free_accounts.empty()) return core::nobody;
    const core::Account account = free_accounts.front();
    free_accounts.pop_front();
    return account;
  }

  /// Idle slots are the only launch's, or nobody's. `but`: it has ended.
  void look_who_is_alone(Cycle until, const GridRun* but) {
    u32 running = 0;
    for (const auto& run : shared.runs)
      if (run && run.get() != but) ++running, shared.alone = run->account;
    if (running != 1) shared.alone = core::nobody;
    for (auto& sm : sms) sm->charge_idle_slots(until);
  }

  TimingStatistics statistics(Cycle until) {
    TimingStatistics sum;
    for (auto& sm : sms) sum.add(sm->statistics(until));
    sum.cycles = until;
    return sum;
  }

  void dispatch() {
    while (Block* block = residency.place_next()) sms[block->sm->index]->add(*block, *shared.run_of(*block->grid));
  }

  void begin(Grid& grid) {
    auto run = std::make_unique<GridRun>();
    run->grid = &grid;
    run->timing = timing_of(grid, parts.timing, parts.consistency, parts.persists);
    run->on_sm.resize(sms.size());
    run->account = open_account();
    shared.latencies[run->account];  // opened before the first is counted
    run->begun = now();
    give_local_memory(*run);
    const auto vacant = std::find(shared.runs.begin(), shared.runs.end(), nullptr);
    run->index = static_cast<u32>(vacant - shared.runs.begin());
    if (vacant == shared.runs.end())
      shared.runs.push_back(std::move(run));
    else
      *vacant = std::move(run);
    look_who_is_alone(now(), nullptr);
  }

  /// What threads keep to themselves has addresses, too: the private caches hold it. Only its lines' time is simulated.
  void give_local_memory(GridRun& run) {
    const ptx::Kernel& kernel = *run.grid->kernel;
    const u64 stack = kernel.functions.size() > 1 ? run.grid->launch.stack_bytes : 0;
    const u64 needed = kernel.functions[0].frame_bytes + stack;
    if (needed > local_bytes) {
      const u64 lanes = u64{parts.limits.sms} * most_warps * warp_lanes, bytes = std::bit_ceil(needed);
      const u64 begin = parts.space.allocate(memory::Region::internal, lanes * bytes, 256, "local memory");
      if (begin) local_memory = begin, local_bytes = bytes;
    }
    run.local_memory = local_memory;
    run.local_bytes = local_bytes;
  }

  EndedLaunch take_statistics(const GridRun& run, Cycle until) {
    EndedLaunch launch{.id = run.grid->id, .account = run.account};
    for (auto& sm : sms) launch.statistics.add(sm->take(run.account, until));
    launch.statistics.cycles = until - run.begun;
    launch.latencies = shared.latencies.take(run.account);
    return launch;
  }
  void keep_statistics(const GridRun& run) {
    look_who_is_alone(now() + 1, &run);
    ended.push_back(take_statistics(run, now() + 1));
  }

  /// Ends blocks without warps, and grids whose last stores are home.
  void look_around() {
    shared.attention = false;
    bool any = false;
    for (auto& sm : sms) any |= sm->end_blocks();
    if (any) dispatch();
    for (auto& run : shared.runs) {
      if (!run || run->grid->unfinished || run->accesses) continue;
      if (!run->flushing) {
        run->flushing = true;
        for (u32 i = 0; i < sms.size(); ++i)
          if (run->on_sm[i].been) {
            ++run->flushes;
            sms[i]->flush(*run);
          }
      }
      if (run->flushes) continue;
      keep_statistics(*run);
      residency.complete(*run->grid, now_ns());
      run.reset();
    }
    dispatch();
  }

  void fail() {
    Grid& grid = *std::exchange(shared.failed, nullptr);
    GridRun& run = *shared.run_of(grid);
    for (auto& sm : sms) sm->forget(run);
    keep_statistics(run);
    executor.forget(grid);
    residency.fail(grid, *std::exchange(shared.fault, std::nullopt), now_ns());
    shared.runs[run.index].reset();
    shared.attention = true;
  }

  /// Nobody will ever go on: the first grid is told, with what the warps of a block wait for; of the first block whose
  /// polls cannot see what another SM has written, if there is one.
  void fail_stuck(std::string_view what, FaultKind kind = FaultKind::deadlock) {
    Grid& grid = *residency.grids().front();
    shared.failed = &grid;
    for (const Sm& sm : residency.sms())
      for (const auto& block : sm.blocks) {
        if (block->grid != &grid) continue;
        if (Fault fault = executor.deadlock(*block, what, kind); !shared.fault || fault.scope_bug)
          shared.fault = std::move(fault);
        if (!shared.fault->scope_bug) continue;
        say_what_is_under_way(shared.fault->report);
        return fail();
      }
    if (shared.fault) {
      say_what_is_under_way(shared.fault->report);
      return fail();
    }
    shared.fault = Fault{.kind = kind, .kernel = core::readable_name(grid.kernel->name)};
    const GridRun& run = *shared.run_of(grid);
    shared.fault->report = fmt::format(
        "deadlock: {}\n  {} of {} blocks of {} have begun, {} have not ended; {} accesses and {} flushes of private "
        "caches are under way",
        what, grid.next_block, grid.blocks, core::readable_name(grid.kernel->name), grid.unfinished, run.accesses,
        run.flushes);
    say_what_is_under_way(shared.fault->report);
    fail();
  }

  void say_what_is_under_way(std::string& report) const {
    for (const auto& sm : sms) report += sm->what_is_under_way();
    const std::string beneath = parts.beneath ? parts.beneath() : std::string();
    if (!beneath.empty()) report += "\n  below the private caches:\n" + beneath;
    while (report.ends_with('\n')) report.pop_back();
  }

  /// Nobody does anything but wait for a value that nobody is left to write.
  void look_at_spinning_warps() {
    shared.contested.watched = std::exchange(shared.contested.needed, false);
    const u64 stores = statistics(now()).global_stores;
    bool alone = unattended && !std::exchange(shared.met_host, false);
    alone &= parts.space.used(memory::Region::managed) == 0;
    alone &= std::exchange(stores_before, stores) == stores;
    PollsLook look;
    for (auto& sm : sms) sm->look_at_polls(look);
    if (!alone || !look.only_loops || !look.any_loops || look.timed) looping_since = now();
    if (now() - looping_since >= loops * parts.timing.livelock_cycles) {
      looping_since = now();
      return fail_stuck(fmt::format(
          "for {} cycles no warp has left the loop in which it polls: each counts, or takes and gives back what others "
          "wait for, and finds the same again and again",
          loops * parts.timing.livelock_cycles));
    }
    const bool changed = std::exchange(changes_before, shared.changes) != shared.changes;
    if (!alone || changed || !look.only_spins || !look.any_spins) {
      spinning_since = now();
    } else if (now() - spinning_since >= parts.timing.livelock_cycles) {
      spinning_since = now();
      fail_stuck(
          fmt::format("for {} cycles all warps have polled values that nobody changes", parts.timing.livelock_cycles));
    }
  }

  void look_for_standstill() {
    next_standstill_look = now() + cycles_between_standstill_looks;
    if (!std::exchange(executor.watch().any, false)) return;
    const bool alone = unattended && !shared.met_host && parts.space.used(memory::Region::managed) == 0;
    if (!standstill.look(now(), alone ? patience : patience_with_host) || !standstill.let_go()) return;
    for (const Warp* warp : standstill.released()) sms[warp->block->sm->index]->released(*warp->block);
  }

  void look_at_grid_barriers() {
    next_look = now() + cycles_between_looks;
    for (auto& grid : residency.grids()) {
      if (!grid->workspace || !grid_barrier::stands_still(*grid, residency.sms())) continue;
      const Block& block = grid_barrier::block_to_report(*grid, residency.sms());
      shared.failed = grid.get();
      shared.fault = executor.deadlock(block, grid_barrier::what_it_waits_for(*grid, block));
      return fail();
    }
  }

  /// Steps the SMs that have something to do in this cycle. The next cycle in which one has.
  Cycle step_sms() {
    Cycle next = core::never;
    for (std::size_t word = 0; word < active.size(); ++word)
      for (u64 left = active[word]; left; left &= left - 1) {
        const u32 bit = static_cast<u32>(std::countr_zero(left));
        TimingSm& sm = *sms[word * 64 + bit];
        if (sm.due() <= now()) {
          performer.sm = &sm;
          sm.step(now());
        }
        if (sm.due() == core::never)
          active[word] &= ~(u64{1} << bit);
        else
          next = std::min(next, sm.due());
      }
    return next;
  }

  bool run(u64 wanted, Cycle until, bool without_grids) {
    stop = false;
    const u64 first = shared.executed;
    u64 steps = 0;
    dispatch();
    while (!residency.any_completion() && shared.executed - first + steps / steps_an_instruction < wanted &&
           now() < until && !stop.load(std::memory_order_relaxed)) {
      if (residency.grids().empty() && !without_grids) break;
      const u64 before = shared.executed;
      if (now() >= parts.crash_at) [[unlikely]]
        parts.crash();
      last_begun = now();
      parts.wheel.run_due();
      Cycle next = step_sms();
      if (shared.failed) [[unlikely]]
        fail();
      if (shared.attention) {
        look_around();
        for (auto& sm : sms) next = std::min(next, std::max(sm->due(), now() + 1));
      }
      if (now() >= next_standstill_look) look_for_standstill();
      if (now() >= next_look) {
        look_at_grid_barriers();
        look_at_spinning_warps();
      }
      steps_without_issue = shared.executed == before ? steps_without_issue + 1 : 0;
      steps += shared.executed == before;
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

memory::Agent& TimingGpu::agent(u32 sm) {
  return *state_->sms[sm];
}

void TimingGpu::attach(u32 sm, LinePort& port) {
  state_->sms[sm]->attach(port);
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
  state_->shared.instruction_limit = limit;
}

void TimingGpu::set_crash_point(u64 warp_instruction, std::function<void()> crash) {
  state_->shared.crash_at = warp_instruction;
  state_->shared.crash = std::move(crash);
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
  return state_->statistics(state_->now());
}

EndedLaunch TimingGpu::take_statistics(LaunchId id) {
  for (const auto& run : state_->shared.runs)
    if (run && run->grid->id == id) {
      for (auto& sm : state_->sms) sm->settle(state_->now());
      return state_->take_statistics(*run, state_->now());
    }
  auto& ended = state_->ended;
  const auto found = std::find_if(ended.begin(), ended.end(), [&](const auto& one) { return one.id == id; });
  if (found == ended.end()) return {};
  const EndedLaunch result = *found;
  ended.erase(found);
  if (result.account != core::nobody) state_->free_accounts.push_back(result.account);
  return result;
}

EndedLaunch TimingGpu::take_statistics_of(core::Account account) {
  EndedLaunch rest{.account = account};
  for (auto& sm : state_->sms) rest.statistics.add(sm->take(account, state_->now()));
  return rest;
}

core::Account TimingGpu::account_of(LaunchId id) const {
  for (const auto& run : state_->shared.runs)
    if (run && run->grid->id == id) return run->account;
  return core::nobody;
}

TimingStatistics TimingGpu::statistics_of_sm(u32 sm) const {
  return state_->sms[sm]->statistics(state_->now());
}

u64 TimingGpu::digest() const {
  return state_->shared.digest;
}

}  // namespace ew::simt
