#include "runtime/memory_hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "consistency/models.hpp"
#include "persistency/models.hpp"

namespace ew::runtime {

namespace {

memory::AddressMapConfig map_config(const MachineConfig& config) {
  memory::AddressMapConfig map = config.address_map;
  map.line = config.l1.line;
  if (config.nvm.near()) map.nvm_channels = config.nvm.channels;
  map.shared = config.device.integrated;
  return map;
}

/// Without cores of the host nobody needs to know what they own.
coherence::Protocols protocols_of(const MachineConfig& config, bool traced_host) {
  const coherence::Model &sms = *coherence::find_model(config.coherence.protocol),
                         &host = *coherence::find_model(config.coherence.of_host());
  const bool cores = config.host_cores() && traced_host;
  return {.sms = sms,
          .host = host,
          .home = cores ? *coherence::common_home(sms, host) : sms.home(),
          .host_takes_part = cores};
}

memory::NetworkParts network_parts(const MachineConfig& config, core::TimeWheel& wheel, u64 seed) {
  return {.wheel = wheel,
          .clock = config.device.clock,
          .agents = agents_of(config),
          .homes = config.address_map.slices,
          .seed = seed,
          .early = true};
}

}  // namespace

bool persists(const MachineConfig& config) {
  return persistency::find_model(config.persistency.model)->make && why_no_pools(config).empty();
}

MemoryHierarchy::MemoryHierarchy(const MachineConfig& config, u64 seed, const memory::AddressSpace& space,
                                 core::TimeWheel& wheel, memory::DurableImage* durable, bool traced_host)
    : config_(config),
      space_(space),
      wheel_(wheel),
      map_(map_config(config), space),
      protocols_(protocols_of(config, traced_host)),
      exchange_(memory::make_network(config.network, network_parts(config, wheel, seed))),
      devices_(config, wheel, payloads_, durable) {}

void MemoryHierarchy::attach(simt::TimingGpu& gpu, const memory::DmaEngine::Tell& copy_begins,
                             const memory::DmaEngine::Tell& moved) {
  make_caches(gpu, moved);
  make_host_cores(gpu);
  const memory::DmaPort::Parts port{.wheel = wheel_,
                                    .payloads = payloads_,
                                    .network = exchange_.network(),
                                    .map = map_,
                                    .id = static_cast<memory::AgentId>(config_.sm.count + config_.host_cores()),
                                    .agents = agents_of(config_),
                                    .line = config_.l1.line,
                                    .persists = persists(config_)};
  movers_ = std::make_unique<Movers>(config_, port, devices_, copy_begins, moved);
  make_homes(gpu.observer_of_homes());
}

memory::PrivateCache& MemoryHierarchy::add_cache(memory::Agent& agent, core::Partition& partition) {
  const auto id = static_cast<memory::AgentId>(caches_.size());
  const memory::Consistency& order = *consistency::model(config_.consistency.model);
  caches_.push_back(std::make_unique<memory::PrivateCache>(
      config_.l1, memory::CacheSurroundings{.wheel = partition.wheel,
                                            .payloads = payloads_,
                                            .network = exchange_.outbox(partition.wheel),
                                            .agent = agent,
                                            .policy = protocols_.sms.agent,
                                            .map = map_,
                                            .id = id,
                                            .agents = agents_of(config_),
                                            .persists = persists(config_),
                                            .private_scope = order.widest_private,
                                            .drains_own = order.drained == memory::Consistency::Drained::of_the_warp,
                                            .pools = protocols_.sms.pools}));
  exchange_.network().attach(id, *caches_.back(), &partition.inbox);
  memory::PrivateCache& cache = *caches_.back();
  cache.tell(accounts_, id);
  const persistency::Model& model = *persistency::find_model(config_.persistency.model);
  if (persists(config_))
    cache.attach(model.make(config_.persistency, static_cast<u32>(config_.l1.bytes / config_.l1.line),
                            cache.persist_machinery()),
                 model.traits);
  return cache;
}

void MemoryHierarchy::make_caches(simt::TimingGpu& gpu, const memory::DmaEngine::Tell& moved) {
  if (config_.managed.placement == "migrate" && !config_.device.integrated)
    pages_ = std::make_unique<memory::ManagedPages>(config_.managed, config_.copy.latency, config_.device.clock, space_,
                                                    wheel_, devices_.link(), moved);
  for (u32 sm = 0; sm < config_.sm.count; ++sm) {
    core::Partition& partition = gpu.partition(sm);
    if (pages_) {
      paged_ports_.push_back(std::make_unique<memory::PagedPort>(*pages_, gpu.agent(sm), partition));
      memory::PagedPort& port = *paged_ports_.back();
      port.attach(add_cache(port, partition));
      ports_.push_back(std::make_unique<simt::PortOf<memory::PagedPort>>(port));
    } else {
      memory::PrivateCache& cache = add_cache(gpu.agent(sm), partition);
      ports_.push_back(std::make_unique<simt::PortOf<memory::PrivateCache>>(cache));
    }
    gpu.attach(sm, *ports_.back());
  }
}

void MemoryHierarchy::make_host_cores(simt::TimingGpu& gpu) {
  host_cores_ = std::make_unique<HostCores>([&gpu] { gpu.stop_soon(); });
  memory::HostCoreConfig host = config_.host_core;
  host.line = config_.l1.line;
  for (u32 core = 0; core < config_.host_cores(); ++core) {
    if (!protocols_.host_takes_part) continue;
    const auto id = static_cast<memory::AgentId>(config_.sm.count + core);
    exchange_.network().attach(id, host_cores_->add({.wheel = wheel_,
                                                     .payloads = payloads_,
                                                     .network = exchange_.network(),
                                                     .policy = protocols_.host.agent,
                                                     .home = protocols_.home.kind(),
                                                     .map = map_,
                                                     .config = host,
                                                     .id = id,
                                                     .agents = agents_of(config_)}));
  }
}

void MemoryHierarchy::make_homes(memory::HomeObserver* observer) {
  memory::HomeConfig home = config_.l2;
  home.line = config_.l1.line;
  for (u32 slice = 0; slice < config_.address_map.slices; ++slice) {
    homes_.push_back(std::make_unique<memory::Home>(
        home, memory::HomeSurroundings{.wheel = wheel_,
                                       .payloads = payloads_,
                                       .network = exchange_.network(),
                                       .policy = protocols_.home,
                                       .map = map_,
                                       .agents = agents_of(config_),
                                       .devices = devices_.seen_from(slice, network_parts(config_, wheel_, 0)),
                                       .slice = slice,
                                       .observer = observer}));
    homes_.back()->tell(accounts_, static_cast<u32>(caches_.size()) + slice);
    exchange_.network().attach(static_cast<memory::Node>(agents_of(config_) + slice), *homes_.back());
  }
}

void MemoryHierarchy::refresh() {
  map_.refresh();
  if (pages_) pages_->refresh();
}

void MemoryHierarchy::drop(u64 begin, u64 end, bool gone) {
  for (const auto& home : homes_) home->drop(begin, end, gone);
  devices_.drop(begin, end);
}

/// Only under a protocol with owners is the image ever older than a copy that has been visible.
void MemoryHierarchy::meet_image(u64 address, u64 bytes, bool written) {
  if (!protocols_.sms.agent.owns()) return;
  const u64 size = config_.l1.line;
  for (u64 line = address & ~(size - 1); line < address + bytes; line += size) {
    if (written) {
      for (const auto& cache : caches_) cache->meet_image(line, true);
      continue;
    }
    const memory::LineRecord record = homes_[map_.slice_of(map_.place(line))]->directory(line);
    memory::AgentSet owners;
    for (const memory::AgentId owner : record.owner)
      if (owner < caches_.size()) owners.add(owner);
    owners.each([&](memory::AgentId owner) { caches_[owner]->meet_image(line, false); });
  }
}

HierarchyStatistics MemoryHierarchy::statistics() const {
  HierarchyStatistics all;
  for (const auto& cache : caches_) all.l1.add(cache->statistics());
  for (const auto& home : homes_) all.l2.add(home->statistics());
  all.host_core = host_cores_->statistics();
  movers_->add_to(all);
  all.network = exchange_.network().statistics();
  devices_.add_to(all);
  if (pages_) all.managed = pages_->statistics();
  return all;
}

HierarchyStatistics MemoryHierarchy::take(core::Account account) {
  HierarchyStatistics taken;
  accounts_.each(account, [&](u32 number) {
    const std::size_t sms = caches_.size();
    if (number < sms)
      taken.l1.add(caches_[number]->take(account));
    else
      taken.l2.add(homes_[number - sms]->take(account));
  });
  taken.network = exchange_.network().take(account);
  devices_.take(account, taken);
  return taken;
}

bool MemoryHierarchy::quiescent() const {
  return exchange_.network().in_flight() == 0 && host_cores_->quiescent() &&
         std::ranges::all_of(caches_, [](const auto& cache) { return cache->quiescent(); }) &&
         std::ranges::all_of(homes_, [](const auto& home) { return home->quiescent(); }) && movers_->idle() &&
         devices_.quiescent();
}

std::string MemoryHierarchy::what_is_under_way() const {
  std::string text;
  for (std::size_t i = 0; i < caches_.size(); ++i)
    if (const std::string one = caches_[i]->what_is_under_way(); !one.empty())
      text += fmt::format("private cache of SM {}:\n{}", i, one);
  return text + what_is_beneath();
}

std::string MemoryHierarchy::what_is_beneath() const {
  std::string text;
  text += host_cores_->what_is_under_way();
  if (pages_) text += pages_->what_is_under_way();
  for (std::size_t i = 0; i < homes_.size(); ++i)
    if (const std::string one = homes_[i]->what_is_under_way(); !one.empty())
      text += fmt::format("home of slice {}:\n{}", i, one);
  return text + movers_->what_is_under_way() + exchange_.network().what_is_under_way() + devices_.what_is_under_way();
}

/// A copy that the SM has written, or owns, is the newest.
std::string MemoryHierarchy::newer_elsewhere(u32 sm, u64 address, u32 value) const {
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
