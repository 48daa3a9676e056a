// The memory hierarchy of a timing machine, put together from the machine file: agents (the SMs' private caches, the
// cores of a host that shares the GPU's memory, the ports of copy engines and of drives), the network, homes, devices
// behind them, the host's cores behind the link, and the drives on links of their own. Owned by TimingMachine. Every
// part is owned here, and ends with it.
//
// Agents are numbered: SMs, then the host's cores where there are some, then ports.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coherence/models.hpp"
#include "core/time_wheel.hpp"
#include "memory/address_map.hpp"
#include "memory/cache/private_cache.hpp"
#include "memory/exchange.hpp"
#include "memory/home/home.hpp"
#include "memory/managed/paged_port.hpp"
#include "runtime/host_cores.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/memory_devices.hpp"
#include "runtime/movers.hpp"
#include "simt/timing_gpu.hpp"

namespace ew::runtime {

/// Without a pool in reach, or without a model, persistent lines are as any other.
bool persists(const MachineConfig&);

class MemoryHierarchy {
 public:
  /// durable: of the pools; nullptr: there are none. traced_host: the host's accesses take part, where it shares the
  /// GPU's memory. References outlive it.
  MemoryHierarchy(const MachineConfig&, u64 seed, const memory::AddressSpace&, core::TimeWheel&,
                  memory::DurableImage* durable, bool traced_host);

  /// Makes the agents and the homes. REQUIRES: once, before anything runs. `copy_begins` is called when a copy engine
  /// turns to a transfer, `moved` when a transfer, a prefetch or timed work of the host is over.
  void attach(simt::TimingGpu&, const memory::DmaEngine::Tell& copy_begins, const memory::DmaEngine::Tell& moved);

  memory::AddressMap& map() { return map_; }
  memory::Exchange& exchange() { return exchange_; }
  /// nullptr: managed memory does not move.
  memory::ManagedPages* pages() { return pages_.get(); }
  /// Has none where the host shares no memory with the GPU, or its accesses are not traced.
  HostCores& host_cores() { return *host_cores_; }
  /// Copies and the host's work.
  Movers& movers() { return *movers_; }
  /// Takes in what was allocated since. Between launches and copies.
  void refresh();
  /// Simulator::drop and Simulator::persist_region.
  void drop(u64 begin, u64 end, bool gone);
  void persist_region(bool inside) { devices_.persist_region(inside); }

  /// PrivateCache::memory_changes, of all SMs.
  void memory_changes() {
    for (const auto& cache : caches_) cache->memory_changes();
  }
  /// Somebody reads these bytes past the machine, or has written them: see PrivateCache::meet_image. In no time.
  void meet_image(u64 address, u64 bytes, bool written);

  /// Of all parts, up to now.
  HierarchyStatistics statistics() const;
  const memory::PrivateCache& cache(u32 sm) const { return *caches_[sm]; }
  const std::vector<std::unique_ptr<memory::Home>>& homes() const { return homes_; }
  /// What was counted on this account since it was taken last.
  HierarchyStatistics take(core::Account);

  /// No message, line or transfer under way anywhere.
  bool quiescent() const;
  std::string what_is_under_way() const;
  /// In everything but SMs and private caches.
  std::string what_is_beneath() const;
  /// simt::Performer's: a sentence when memory has a newer value than the copy that this SM polls; else empty.
  std::string newer_elsewhere(u32 sm, u64 address, u32 value) const;

 private:
  void make_caches(simt::TimingGpu&, const memory::DmaEngine::Tell& moved);
  void make_host_cores(simt::TimingGpu&);
  void make_homes(memory::HomeObserver*);
  memory::PrivateCache& add_cache(memory::Agent&, core::Partition&);

  const MachineConfig& config_;
  const memory::AddressSpace& space_;
  core::TimeWheel& wheel_;
  memory::Payloads payloads_;
  memory::AddressMap map_;
  const coherence::Protocols protocols_;
  memory::Exchange exchange_;
  MemoryDevices devices_;
  std::unique_ptr<HostCores> host_cores_;
  std::unique_ptr<Movers> movers_;
  std::unique_ptr<memory::ManagedPages> pages_;
  std::vector<std::unique_ptr<memory::PagedPort>> paged_ports_;
  std::vector<std::unique_ptr<memory::PrivateCache>> caches_;  // by SM
  std::vector<std::unique_ptr<simt::LinePort>> ports_;         // by SM
  std::vector<std::unique_ptr<memory::Home>> homes_;
  core::AccountHolders accounts_;  // private caches by SM, then homes by slice
};

}  // namespace ew::runtime
