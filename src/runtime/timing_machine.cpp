#include "runtime/timing_machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "consistency/models.hpp"
#include "core/diagnostics.hpp"
#include "core/symbol_name.hpp"
#include "media/kinds.hpp"
#include "persistency/models.hpp"
#include "runtime/invariants.hpp"

namespace ew::runtime {

namespace {

// Physical addresses of host pages that no allocation names; allocations end far below.
constexpr u64 unnamed_host_pages = u64{1} << 50;

memory::AddressMapConfig map_config(const MachineConfig& config) {
  memory::AddressMapConfig map = config.address_map;
  map.line = config.l1.line;
  if (config.nvm.near()) map.nvm_channels = config.nvm.channels;
  map.shared = config.device.integrated;
  return map;
}

/// Without a pool in reach, or without a model, persistent lines are as any other.
bool persists(const MachineConfig& config) {
  return config.persistency.model != "none" && why_no_pools(config).empty();
}

simt::PersistTiming persist_timing(const MachineConfig& config) {
  if (!persists(config)) return {};
  const memory::PersistencyTraits& traits = persistency::find_model(config.persistency.model)->traits;
  return {.model = true,
          .regions = traits.regions,
          .waits = !traits.buffered,
          .fence_cycles = config.persistency.fence_cycles};
}

/// `ew crash`: nothing is flushed, no handler runs, and nothing more is simulated until the signal arrives.
[[noreturn]] void end_at_once() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

}  // namespace

TimingMachine::TimingMachine(const MachineConfig& config, const simt::GpuLimits& limits, u64 seed,
                             memory::AddressSpace& space, simt::DeviceServices& services, RunResults& results,
                             const Observation& observation, memory::DurableImage* durable)
    : config_(config), space_(space), durable_(durable), map_(map_config(config), space), results_(results) {
  if (const std::string why = simt::TimingGpu::refuse(limits, config.sm_timing); !why.empty())
    throw core::UserError(why);
  protocol_ = coherence::find_model(config.coherence.protocol)->make();
  network_ = memory::make_network(config.network, network_parts(seed));
  make_devices();
  gpu_ = std::make_unique<simt::TimingGpu>(simt::TimingGpu::Parts{
      .limits = limits,
      .timing = config.sm_timing,
      .line = config.l1.line,
      .private_latency = config.l1.latency,
      .seed = seed,
      .space = space,
      .services = services,
      .wheel = wheel_,
      .consistency = *consistency::model(config.consistency.model),
      .persists = persist_timing(config),
      .map = &map_,
      .trace = &trace_,
      .beneath = [this] { return what_is_beneath(); },
      .newer_elsewhere = [this](u32 sm, u64 address, u32 value) { return newer_elsewhere(sm, address, value); },
      .recorder = observation.recorder,
      .crash_at = observation.crash_at ? observation.crash_at : core::never,
      .crash = [] { end_at_once(); }});
  make_caches();
  make_host_core();
  make_copy_engines();
  make_homes();
  observe(observation);
}

TimingMachine::~TimingMachine() {
  hand_in(results_);
}

memory::NetworkParts TimingMachine::network_parts(u64 seed) {
  return {.wheel = wheel_,
          .clock = config_.device.clock,
          .agents = agents_of(config_),
          .homes = config_.address_map.slices,
          .seed = seed};
}

void TimingMachine::make_devices() {
  const media::MediaConfig media{.dram = config_.memory, .host_memory = config_.host_memory, .nvm = config_.nvm};
  host_link_ = std::make_unique<memory::HostLink>(config_.host_link, wheel_, config_.device.clock);
  media::MediaParts parts{.wheel = wheel_,
                          .clock = config_.device.clock,
                          .channels = config_.address_map.channels,
                          .host_link = host_link_.get(),
                          .payloads = &payloads_,
                          .durable = durable_};
  for (; parts.channel < parts.channels; ++parts.channel) devices_.push_back(media::make_medium("dram", media, parts));
  devices_.push_back(media::make_medium("host-memory", media, parts));
  if (config_.nvm.none()) return;
  parts.channels = config_.nvm.near() ? config_.nvm.channels : 1;
  for (parts.channel = 0; parts.channel < parts.channels; ++parts.channel)
    devices_.push_back(media::make_medium(config_.nvm.near() ? "nvm" : "host-nvm", media, parts));
}

/// The devices as one home sees them: memory channels may be some way off.
std::span<memory::Device* const> TimingMachine::devices_from(u32 slice) {
  std::vector<memory::Device*>& seen = seen_devices_.emplace_back();
  for (const auto& device : devices_) seen.push_back(device.get());
  const u32 channels = config_.address_map.channels;
  const auto set_apart = [&](u32 device, u32 channel) {
    const u64 cycles = memory::memory_distance(config_.network, network_parts(0), slice, channel);
    if (cycles == 0) return;
    distant_devices_.push_back(std::make_unique<memory::DistantDevice>(*seen[device], wheel_, cycles));
    seen[device] = distant_devices_.back().get();
  };
  for (u32 channel = 0; channel < channels; ++channel) set_apart(channel, channel);
  // A channel of non-volatile memory stands where the memory's of the same slices does.
  if (config_.nvm.near())
    for (u32 i = 0; i < config_.nvm.channels; ++i) set_apart(channels + 1 + i, i * channels / config_.nvm.channels);
  return seen;
}

memory::PrivateCache& TimingMachine::add_cache(const memory::PrivateCacheConfig& config, memory::Agent& agent,
                                               bool dma) {
  const auto id = static_cast<memory::AgentId>(agents_.size());
  agents_.push_back(&agent);
  caches_.push_back(
      std::make_unique<memory::PrivateCache>(config, memory::PrivateCache::Parts{.wheel = wheel_,
                                                                                 .payloads = payloads_,
                                                                                 .network = *network_,
                                                                                 .agent = agent,
                                                                                 .protocol = *protocol_,
                                                                                 .map = map_,
                                                                                 .id = id,
                                                                                 .agents = agents_of(config_),
                                                                                 .dma = dma,
                                                                                 .persists = persists(config_)}));
  network_->attach(id, *caches_.back());
  memory::PrivateCache& cache = *caches_.back();
  const persistency::Model& model = *persistency::find_model(config_.persistency.model);
  if (!dma && persists(config_))
    cache.attach(
        model.make(config_.persistency, static_cast<u32>(config.bytes / config.line), cache.persist_machinery()),
        model.traits);
  return cache;
}

void TimingMachine::make_caches() {
  if (config_.managed.placement == "migrate" && !config_.device.integrated)
    pages_ = std::make_unique<ManagedPages>(config_.managed, config_.copy.latency, config_.device.clock, space_, wheel_,
                                            *host_link_, [this](u64 id) { moved(id); });
  for (u32 sm = 0; sm < config_.sm.count; ++sm) {
    if (pages_) {
      paged_ports_.push_back(std::make_unique<PagedPort>(*pages_, gpu_->agent(sm), wheel_));
      paged_ports_.back()->attach(add_cache(config_.l1, *paged_ports_.back(), false));
      gpu_->attach(sm, *paged_ports_.back());
      continue;
    }
    memory::PrivateCache& cache = add_cache(config_.l1, gpu_->agent(sm), false);
    ports_.push_back(std::make_unique<simt::PortOf<memory::PrivateCache>>(cache));
    gpu_->attach(sm, *ports_.back());
  }
}

void TimingMachine::drop(u64 begin, u64 end, bool gone) {
  for (const auto& home : homes_) home->drop(begin, end, gone);
  for (const auto& device : devices_) device->drop(begin, end);
}

void TimingMachine::persist_region(bool inside) {
  for (const auto& device : devices_) device->persist_region(inside);
}

void TimingMachine::host_touched(u64 address, u64 bytes, bool store) {
  if (pages_) pages_->touched_by_host(address, bytes, store);
}

void TimingMachine::advise(u64 begin, u64 bytes, ManagedAdvice advice) {
  if (!pages_) return;
  pages_->refresh();
  pages_->advise(begin, bytes, advice);
}

void TimingMachine::make_host_core() {
  if (!config_.device.integrated) return;
  const auto id = static_cast<memory::AgentId>(agents_.size());
  agents_.push_back(nullptr);  // homes perform no atomics of it
  host_core_ = std::make_unique<memory::CpuCore>(memory::CpuCore::Parts{.wheel = wheel_,
                                                                        .payloads = payloads_,
                                                                        .network = *network_,
                                                                        .protocol = *protocol_,
                                                                        .map = map_,
                                                                        .id = id,
                                                                        .agents = agents_of(config_),
                                                                        .line = config_.l1.line},
                                                 [this] { gpu_->request_stop(); });
  network_->attach(id, *host_core_);
}

void TimingMachine::make_copy_engines() {
  memory::PrivateCacheConfig port = config_.l1;  // keeps nothing: every access goes to its home
  port.bytes = u64{64} * port.line;
  port.ways = 0;
  port.banks = 1;
  port.bank_bytes = memory::longest_line;
  port.latency = 1;
  port.mshrs = port.write_buffer = config_.copy.outstanding;
  const memory::DmaConfig dma{
      .outstanding = config_.copy.outstanding,
      .ports = config_.copy.ports,
      .start_cycles = core::cycles_covering(config_.device.clock, config_.copy.latency),
  };
  // Pages of the host that no allocation names: behind the link, or in the memory that both share.
  memory::Device& host = *devices_[config_.device.integrated ? 0 : config_.address_map.channels];
  const memory::DmaEngine::Parts parts{wheel_, host, map_, config_.l1.line, unnamed_host_pages};
  for (u32 i = 0; i < std::max(config_.device.copy_engines, 1u); ++i) {
    engines_.push_back(std::make_unique<memory::DmaEngine>(
        dma, parts, [this](u64 id) { copy_begins(id); }, [this](u64 id) { moved(id); }));
    std::vector<memory::PrivateCache*> caches;
    for (memory::Agent* agent : engines_.back()->agents()) caches.push_back(&add_cache(port, *agent, true));
    engines_.back()->attach(caches);
  }
}

void TimingMachine::make_homes() {
  memory::HomeConfig home = config_.l2;
  home.line = config_.l1.line;
  for (u32 slice = 0; slice < config_.address_map.slices; ++slice) {
    homes_.push_back(std::make_unique<memory::Home>(home, memory::Home::Parts{.wheel = wheel_,
                                                                              .payloads = payloads_,
                                                                              .network = *network_,
                                                                              .protocol = *protocol_,
                                                                              .map = map_,
                                                                              .agents = agents_,
                                                                              .devices = devices_from(slice),
                                                                              .slice = slice}));
    network_->attach(static_cast<memory::Node>(agents_of(config_) + slice), *homes_.back());
  }
}

void TimingMachine::count_time() {
  const u64 now = gpu_->simulated_nanoseconds(), passed = now - std::exchange(marked_, now);
  BusyTimes& times = results_.times;
  (running_.empty() ? (copying_.empty() ? times.neither : times.copies)
                    : (copying_.empty() ? times.kernels : times.both)) += passed;
}

simt::LaunchId TimingMachine::start(simt::Launch launch) {
  count_time();
  map_.refresh();
  if (pages_) pages_->refresh();
  Running running;
  running.row.name = launch.kernel->name;
  if (timeline_) running.name = core::readable_name(launch.kernel->name);
  running.row.grid = launch.grid, running.row.block = launch.block;
  const simt::Occupancy occupancy = gpu_->occupancy(launch);
  running.row.resident_warps = occupancy.warps;
  running.row.limiter = occupancy.limiter;
  running.track = kernel_tracks_.take();
  const simt::LaunchId id = gpu_->start(std::move(launch));
  running.account = gpu_->account_of(id);
  TimingFigures late;  // what an earlier launch of this account left behind: lines that were on their way to memory
  late.hierarchy = take_hierarchy(running.account);
  add_values(of_nobody_, values_of(late));
  running_.emplace(id, std::move(running));
  begin_sampling();
  return id;
}

std::vector<simt::Completion> TimingMachine::take_completions() {
  auto completions = std::exchange(completed_, {});
  for (simt::Completion& completion : gpu_->take_completions()) {
    count_time();
    auto node = running_.extract(completion.id);
    if (node) kernel_tracks_.give_back(node.mapped().track);
    if (node) record_kernel(std::move(node.mapped()), completion);
    completions.push_back(std::move(completion));
  }
  return completions;
}

void TimingMachine::record_kernel(Running running, const simt::Completion& completion, bool unfinished) {
  KernelRow& row = running.row;
  row.nanoseconds_begin = completion.nanoseconds_begin;
  row.nanoseconds_end = completion.nanoseconds_end;
  const simt::EndedLaunch launch = gpu_->take_statistics(completion.id);
  TimingFigures counted{.sm = launch.statistics, .hierarchy = take_hierarchy(running.account)};
  counted.energy =
      energy_of(config_.energy, counted.hierarchy, completion.counters.thread_instructions, counted.sm.shared_passes);
  row.values = values_of(counted);
  row.latencies = launch.latencies;
  row.warp_instructions = completion.counters.warp_instructions;
  row.thread_instructions = completion.counters.thread_instructions;
  row.faulted = completion.fault.has_value();
  row.unfinished = unfinished;
  faulted_ |= row.faulted;
  if (!row.faulted && !unfinished)
    if (const std::string broken = broken_invariant_of_launch(config_, row); !broken.empty()) contradiction(broken);
  add_values(of_kernels_, row.values);
  bar(Timeline::Group::kernels, running.track, row.nanoseconds_begin, row.nanoseconds_end,
      timeline_ ? running.name : row.name,
      timeline_ ? fmt::format("grid {}x{}x{}, block {}x{}x{}{}", row.grid.x, row.grid.y, row.grid.z, row.block.x,
                              row.block.y, row.block.z, unfinished ? ", not ended" : "")
                : std::string());
  results_.add(std::move(row));
}

/// Of launches that run when the machine is closed.
void TimingMachine::record_unfinished() {
  if (running_.empty()) return;
  count_time();
  for (const simt::InFlight& launch : gpu_->in_flight())
    if (const auto found = running_.find(launch.so_far.id); found != running_.end())
      record_kernel(found->second, launch.so_far, true);
}

void TimingMachine::start(Engine engine, u64 id, memory::DmaTransfer transfer) {
  map_.refresh();
  count_time();
  const auto index = (engine == Engine::none ? 0 : static_cast<std::size_t>(engine) - 1) % engines_.size();
  copying_.emplace(id, Copying{gpu_->simulated_nanoseconds(), transfer.bytes(), static_cast<u32>(index)});
  begin_sampling();
  engines_[index]->start(id, std::move(transfer));
}

/// Where managed memory does not move, a prefetch is over at once.
void TimingMachine::start(u64 id, Prefetch prefetch) {
  if (!pages_) return moved(id);
  pages_->refresh();
  count_time();
  const u32 track = static_cast<u32>(engines_.size()) + prefetch_tracks_.take();
  copying_.emplace(id, Copying{gpu_->simulated_nanoseconds(), prefetch.bytes, track});
  begin_sampling();
  pages_->prefetch(id, prefetch);
}

/// Its bar begins when the engine turns to it, not when it was queued.
void TimingMachine::copy_begins(u64 id) {
  if (const auto found = copying_.find(id); found != copying_.end())
    found->second.begin = gpu_->simulated_nanoseconds();
}

void TimingMachine::moved(u64 id) {
  const u64 now = gpu_->simulated_nanoseconds();
  moved_.push_back({id, now});
  count_time();
  if (auto node = copying_.extract(id)) {
    const Copying& copy = node.mapped();
    const bool copied = copy.engine < engines_.size();
    if (!copied) prefetch_tracks_.give_back(copy.engine - static_cast<u32>(engines_.size()));
    bar(Timeline::Group::copies, copy.engine, copy.begin, now, copied ? "copy" : "prefetch",
        timeline_ ? fmt::format("{} bytes", copy.bytes) : std::string());
  }
  gpu_->request_stop();
}

std::vector<Simulator::Moved> TimingMachine::take_moved() {
  return std::exchange(moved_, {});
}

core::Cycle TimingMachine::cycle_at(u64 nanoseconds) const {
  const u64 now = gpu_->simulated_nanoseconds();
  if (nanoseconds == ~u64{0}) return core::never;
  if (nanoseconds <= now) return wheel_.now();
  return wheel_.now() + core::cycles_covering(config_.device.clock, {(nanoseconds - now) * 1000});
}

void TimingMachine::run(u64 warp_instructions, u64 until) {
  const core::Cycle wake = cycle_at(until);
  if (wake <= wheel_.now() || !moved_.empty() || !completed_.empty()) return;
  if (host_core_) host_core_->let_go();
  gpu_->set_unattended(host_waits_ && until == ~u64{0} && copying_.empty());
  gpu_->run(warp_instructions, wake);
  if (running_.empty() && moved_.empty() && wheel_.pending() == 0 &&
      std::ranges::any_of(engines_, [](const auto& engine) { return !engine->idle(); }))
    stuck("copies wait for each other");
}

void TimingMachine::stuck(const char* who) const {
  std::fprintf(stderr, "everwarp: %s for ever at cycle %llu:\n%s", who, static_cast<unsigned long long>(wheel_.now()),
               what_is_under_way().c_str());
  std::abort();
}

/// Memory that a kernel or a copy may be using; the rest of the time the host's work takes none.
bool TimingMachine::meets_host(u64 address) {
  if (!host_core_ || (running_.empty() && copying_.empty())) return false;
  map_.refresh();
  return !map_.kind(address).mmio;
}

/// The machine stands still behind it, and the core lets nobody have what it took until the clock goes on.
void TimingMachine::host_access(u64 address, u64 bytes, bool store) {
  if (!meets_host(address)) return;
  host_core_->start(address, bytes, store);
  while (host_core_->busy()) {
    gpu_->run(~u64{0} >> 1, core::never);
    completed_ = take_completions();  // the GPU runs no further while it has some
    if (host_core_->busy() && running_.empty() && wheel_.pending() == 0) stuck("the host's access waits");
  }
}

void TimingMachine::host_write(u64 address, u64 bytes, const HostWrite& write) {
  const u64 piece = host_core_ ? config_.l1.line : bytes;
  for (u64 at = address, end = address + bytes, next; at < end; at = next) {
    next = std::min(end, host_core_ ? (at / piece + 1) * piece : end);
    host_access(at, next - at, true);
    write(at, next - at);
  }
}

bool TimingMachine::quiescent() const {
  return network_->in_flight() == 0 && host_link_->quiescent() && (!host_core_ || host_core_->quiescent()) &&
         std::ranges::all_of(caches_, [](const auto& cache) { return cache->quiescent(); }) &&
         std::ranges::all_of(homes_, [](const auto& home) { return home->quiescent(); }) &&
         std::ranges::all_of(engines_, [](const auto& engine) { return engine->idle(); }) &&
         std::ranges::all_of(devices_, [](const auto& device) { return device->in_flight() == 0; });
}

std::string TimingMachine::what_is_under_way() const {
  std::string text;
  for (std::size_t i = 0; i < caches_.size(); ++i)
    if (const std::string one = caches_[i]->what_is_under_way(); !one.empty())
      text +=
          fmt::format("{} {}:\n{}", i < config_.sm.count ? "private cache of SM" : "port of a copy engine,", i, one);
  return text + what_is_beneath();
}

/// In everything but SMs and private caches.
std::string TimingMachine::what_is_beneath() const {
  std::string text;
  if (host_core_) text += host_core_->what_is_under_way();
  if (pages_) text += pages_->what_is_under_way();
  for (std::size_t i = 0; i < homes_.size(); ++i)
    if (const std::string one = homes_[i]->what_is_under_way(); !one.empty())
      text += fmt::format("home of slice {}:\n{}", i, one);
  for (const auto& engine : engines_) text += engine->what_is_under_way();
  text += network_->what_is_under_way() + host_link_->what_is_under_way();
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i]->in_flight() > 0)
      text += fmt::format("{} {}: {} requests in flight\n",
                          i < config_.address_map.channels    ? "memory channel"
                          : i == config_.address_map.channels ? "host memory, device"
                                                              : "non-volatile memory, device",
                          i, devices_[i]->in_flight());
  return text;
}

/// Memory has a newer value than the copy that this SM polls (simt::Performer). A copy that the SM has written, or
/// owns, is the newest.
std::string TimingMachine::newer_elsewhere(u32 sm, u64 address, u32 value) const {
  const auto place = space_.find(address);
  const bool cached = place && (place->region == memory::Region::device || place->region == memory::Region::pool);
  if (address % memory::word_bytes || !cached) return {};
  u32 in_memory = 0;
  std::memcpy(&in_memory, reinterpret_cast<const void*>(address), sizeof in_memory);
  const memory::PrivateCache::Peek copy = caches_[sm]->peek(address);
  if (!copy.valid || copy.owned || copy.dirty_bytes || copy.value != value || in_memory == value) return {};
  return fmt::format(
      "scope bug: the word is {} in memory, and SM {} polls an older copy in its private cache. The scope of these "
      "polls "
      "is too narrow: device scope (.gpu) sees what other SMs write",
      in_memory, sm);
}

}  // namespace ew::runtime
