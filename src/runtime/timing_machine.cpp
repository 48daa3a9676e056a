#include "runtime/timing_machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "coherence/models.hpp"
#include "consistency/models.hpp"
#include "core/diagnostics.hpp"
#include "core/symbol_name.hpp"
#include "persistency/models.hpp"
#include "runtime/gpufs_daemons.hpp"

namespace ew::runtime {

namespace {

simt::PersistTiming persist_timing(const MachineConfig& config) {
  if (!persists(config)) return {};
  const memory::PersistencyTraits& traits = persistency::find_model(config.persistency.model)->traits;
  return {.model = true,
          .regions = traits.regions,
          .waits = traits.order_waits,
          .acquires = traits.acquires,
          .fence_cycles = config.persistency.fence_cycles};
}

/// What is done when an SM accesses memory past the caches: nothing where the image is always current.
std::function<void(u64, u64, bool)> past_the_caches(const CoherenceConfig& config, MemoryHierarchy& hierarchy) {
  if (!coherence::find_model(config.protocol)->agent.owns()) return {};
  return [&hierarchy](u64 address, u64 bytes, bool written) { hierarchy.meet_image(address, bytes, written); };
}

/// The machine can be made; else throws core::UserError.
const MachineConfig& checked(const MachineConfig& config, const simt::GpuLimits& limits) {
  if (const std::string why = simt::TimingGpu::refuse(limits, config.sm_timing); !why.empty())
    throw core::UserError(why);
  return config;
}

/// `ew crash`: nothing is flushed, no handler runs, and nothing more is simulated until the signal arrives.
[[noreturn]] void end_at_once() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

/// The cycle in which the clock reaches this time.
core::Cycle cycle_at(u64 nanoseconds, u64 now, core::Cycle cycle, core::Kilohertz clock) {
  if (nanoseconds == ~u64{0}) return core::never;
  if (nanoseconds <= now) return cycle;
  return cycle + core::cycles_covering(clock, {(nanoseconds - now) * 1000});
}

[[noreturn]] void stuck(const char* who, core::Cycle cycle, const std::string& under_way) {
  std::fprintf(stderr, "everwarp: %s for ever at cycle %llu:\n%s", who, static_cast<unsigned long long>(cycle),
               under_way.c_str());
  std::abort();
}

}  // namespace

TimingMachine::TimingMachine(const MachineConfig& config, const simt::GpuLimits& limits, u64 seed,
                             memory::AddressSpace& space, simt::DeviceServices& services, RunResults& results,
                             const Observation& observation, memory::DurableImage* durable, Storage* storage)
    : config_(checked(config, limits)),
      hierarchy_(config_, seed, space, wheel_, durable, observation.traced_host),
      gpu_(simt::TimingGpu::Parts{
          .limits = limits,
          .timing = config.sm_timing,
          .line = config.l1.line,
          .private_latency = config.l1.latency,
          .seed = seed,
          .space = space,
          .services = services,
          .wheel = wheel_,
          .exchange = &hierarchy_.exchange(),
          .consistency = *consistency::model(config.consistency.model),
          .persists = persist_timing(config),
          .map = &hierarchy_.map(),
          .trace = &trace_,
          .beneath = [this] { return hierarchy_.what_is_beneath(); },
          .durable_writes = [durable] { return durable ? durable->number() : 0; },
          .newer_elsewhere = [this](u32 sm, u64 address,
                                    u32 value) { return hierarchy_.newer_elsewhere(sm, address, value); },
          .meet_image = past_the_caches(config.coherence, hierarchy_),
          .recorder = observation.recorder,
          .crash_at = observation.crash_at ? observation.crash_at : core::never,
          .crash =
              [storage, moment = observation.crash_at] {
                if (storage) storage->lose_power(moment);
                end_at_once();
              }}),
      accounts_(config_, gpu_, hierarchy_, under_way_, results, observation.per_unit),
      timeline_(gpu_, under_way_, [this] { return accounts_.figures(); }),
      results_(results),
      recorder_(observation.recorder) {
  hierarchy_.attach(
      gpu_, [this](u64 id) { under_way_.copy_begins(id, gpu_.simulated_nanoseconds()); },
      [this](u64 id) { moved(id); });
  if (storage)
    hierarchy_.movers().attach(*storage, space, [this](u64 address, u64 bytes, bool written) {
      hierarchy_.meet_image(address, bytes, written);
    });
  observe(observation);
}

TimingMachine::~TimingMachine() {
  hand_in(results_);
}

void TimingMachine::observe(const Observation& observation) {
  if (!observation.trace_file.empty()) {
    if (!trace_.begin(observation.trace_file))
      throw core::UserError(fmt::format("the trace cannot be written to {}", observation.trace_file));
  } else if (observation.digest) {
    trace_.begin();
  }
  if (observation.timeline_file.empty()) return;
  timeline_.open(observation.timeline_file, config_.sm.count, hierarchy_.movers().engines().count(), trace_);
  gpu_.look_every(MachineTimeline::sampling_cycles, [this] { timeline_.sample(); });
}

simt::LaunchId TimingMachine::start(simt::Launch launch) {
  accounts_.count_time();
  hierarchy_.refresh();
  hierarchy_.host_cores().acquire();
  pool_write_back_.changes();
  RunningKernel running;
  running.row.name = launch.kernel->name;
  if (timeline_.on()) running.name = core::readable_name(launch.kernel->name);
  running.row.grid = launch.grid, running.row.block = launch.block;
  const simt::Occupancy occupancy = gpu_.occupancy(launch);
  running.row.resident_warps = occupancy.warps;
  running.row.limiter = occupancy.limiter;
  running.track = under_way_.take_kernel_track();
  const simt::LaunchId id = gpu_.start(std::move(launch));
  running.account = gpu_.account_of(id);
  accounts_.open(running.account);
  under_way_.add(id, std::move(running));
  if (daemons_) daemons_->begin();
  return id;
}

std::vector<simt::Completion> TimingMachine::take_completions() {
  std::vector<simt::Completion> completions = gpu_.take_completions();
  for (const simt::Completion& completion : completions) {
    accounts_.count_time();
    if (auto kernel = under_way_.end_kernel(completion.id)) end_kernel(std::move(*kernel), completion, false);
  }
  return completions;
}

void TimingMachine::end_kernel(RunningKernel kernel, const simt::Completion& completion, bool unfinished) {
  timeline_.kernel_ended(kernel, completion.nanoseconds_begin, completion.nanoseconds_end, unfinished);
  accounts_.close(std::move(kernel), completion, unfinished);
}

void TimingMachine::start(Engine engine, u64 id, memory::DmaTransfer transfer) {
  hierarchy_.map().refresh();
  hierarchy_.memory_changes();
  hierarchy_.host_cores().acquire();
  accounts_.count_time();
  const u32 index = hierarchy_.movers().engines().index_of(engine);
  if (BouncedCopies* const bounced = hierarchy_.movers().bounces(transfer)) {
    under_way_.add_beside(id, gpu_.simulated_nanoseconds(), transfer.bytes(), hierarchy_.movers().engines().count(),
                          "copy by way of the host");
    return bounced->start(index, id, std::move(transfer));
  }
  pool_write_back_.changes();
  under_way_.add(id, {gpu_.simulated_nanoseconds(), transfer.bytes(), index});
  hierarchy_.movers().engines().start(index, id, std::move(transfer));
}

/// Where the host shares the GPU's memory, its work is over at once.
void TimingMachine::start(u64 id, host::Work work) {
  host::Cores* const cores = hierarchy_.movers().cores();
  if (!cores) {
    host::perform(work);
    return moved(id);
  }
  hierarchy_.map().refresh();
  hierarchy_.memory_changes();
  accounts_.count_time();
  u64 bytes = 0;
  for (const host::Step& step : work.steps) bytes += step.bytes;
  hierarchy_.movers().name_host_pages();
  const bool busy = under_way_.kernels() || under_way_.copies();
  under_way_.add_beside(id, gpu_.simulated_nanoseconds(), bytes, hierarchy_.movers().engines().count(),
                        "work of the host");
  pool_write_back_.before(hierarchy_.homes(), busy,
                          [cores, id, work = std::move(work)]() mutable { cores->start(id, std::move(work)); });
}

void TimingMachine::serve(Gpufs& calls) {
  daemons_ = std::make_unique<GpufsDaemons>(
      GpufsDaemons::Parts{.calls = calls,
                          .wheel = wheel_,
                          .interval = core::cycles_covering(config_.device.clock, config_.host.daemon_poll),
                          .cores = hierarchy_.movers().cores(),
                          .recorder = recorder_,
                          .kernels_run = [this] { return under_way_.kernels(); }});
}

/// Where managed memory does not move, a prefetch is over at once.
void TimingMachine::start(u64 id, memory::PagePrefetch prefetch) {
  memory::ManagedPages* const pages = hierarchy_.pages();
  if (!pages) return moved(id);
  pages->refresh();
  accounts_.count_time();
  under_way_.add_beside(id, gpu_.simulated_nanoseconds(), prefetch.bytes, hierarchy_.movers().engines().count(),
                        "prefetch");
  pages->prefetch(id, prefetch);
}

/// A transfer, a prefetch or work of the host is over.
void TimingMachine::moved(u64 id) {
  if (daemons_ && daemons_->over(id)) return;
  const u64 now = gpu_.simulated_nanoseconds();
  moved_.push_back({id, now});
  accounts_.count_time();
  const u32 engines = hierarchy_.movers().engines().count();
  if (const auto copy = under_way_.end_copy(id, engines)) timeline_.copy_ended(*copy, now);
  gpu_.stop_soon();
}

std::vector<TimingMachine::Moved> TimingMachine::take_moved() {
  return std::exchange(moved_, {});
}

void TimingMachine::run(u64 warp_instructions, u64 until, bool host_waits) {
  const core::Cycle wake = cycle_at(until, gpu_.simulated_nanoseconds(), wheel_.now(), config_.device.clock);
  if (wake <= wheel_.now() || !moved_.empty()) return;
  HostCores& host = hierarchy_.host_cores();
  host.let_go();
  const u64 served = host.served();
  gpu_.set_unattended(host_waits && until == ~u64{0} && !under_way_.copies());
  gpu_.run(warp_instructions, wake);
  if (!under_way_.kernels() && moved_.empty() && wheel_.pending() == 0 &&
      !(hierarchy_.movers().idle() && pool_write_back_.idle()))
    stuck("copies wait for each other", wheel_.now(), hierarchy_.what_is_under_way());
  // A core that was served lets go of its words when the machine goes on: another may wait for them.
  if (!under_way_.kernels() && wheel_.pending() == 0 && host.busy() && host.served() == served)
    stuck("the host's access waits", wheel_.now(), hierarchy_.what_is_under_way());
}

void TimingMachine::hand_in(RunResults& results) {
  accounts_.hand_in(results, timeline_.mistake());
  trace_.flush();
  results.digested = trace_.on();
  results.digest = trace_.digest() ^ gpu_.digest();
  results.trace_records = trace_.records();
}

void TimingMachine::close() {
  timeline_.sample();
  if (under_way_.kernels()) {
    accounts_.count_time();
    for (const simt::InFlight& launch : gpu_.in_flight())
      if (const RunningKernel* const kernel = under_way_.kernel(launch.so_far.id))
        end_kernel(*kernel, launch.so_far, true);
  }
  timeline_.close();
  trace_.flush();
}

void TimingMachine::host_touched(u64 address, u64 bytes, bool store) {
  if (!store) hierarchy_.meet_image(address, bytes, false);
  if (memory::ManagedPages* const pages = hierarchy_.pages()) pages->touched_by_host(address, bytes, store);
}

void TimingMachine::advise(u64 begin, u64 bytes, memory::ManagedAdvice advice) {
  memory::ManagedPages* const pages = hierarchy_.pages();
  if (!pages) return;
  pages->refresh();
  pages->advise(begin, bytes, advice);
}

void TimingMachine::host_begin(std::span<HostRequest* const> requests) {
  memory::AddressMap& map = hierarchy_.map();
  map.refresh();
  const bool alone = !under_way_.kernels() && !under_way_.copies();
  for (HostRequest* const request : requests) {
    if (request->begun) continue;
    if (!hierarchy_.host_cores().none() && !map.place(request->address).mmio) {
      hierarchy_.host_cores().begin(*request, alone);
      continue;
    }
    request->begun = request->over = true;
    host_touched(request->address, request->bytes, request->store);
  }
}

}  // namespace ew::runtime
