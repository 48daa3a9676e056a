// The memory devices of a timing machine: DRAM channels, the host's memory behind its link, non-volatile memory. And
// how each home sees them: a channel may stand some way off. Owned by MemoryHierarchy.
//
// Devices are numbered: channels of DRAM, then the host's memory, then non-volatile memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/time_wheel.hpp"
#include "media/last_level_cache.hpp"
#include "memory/device.hpp"
#include "memory/distant_device.hpp"
#include "memory/durable_image.hpp"
#include "memory/host_link.hpp"
#include "memory/network.hpp"
#include "runtime/hierarchy_statistics.hpp"
#include "runtime/machine_config.hpp"

namespace ew::runtime {

class MemoryDevices {
 public:
  /// durable: of the pools; nullptr: there are none. References outlive it.
  MemoryDevices(const MachineConfig&, core::TimeWheel&, memory::Payloads&, memory::DurableImage* durable);

  memory::HostLink& link() { return link_; }
  const memory::DurableImage* durable() const { return durable_; }
  const memory::HostLink& link() const { return link_; }
  /// The device behind pages of the host that no allocation names: behind the link, or the memory that both share.
  memory::Device& of_host_pages();
  /// Non-volatile memory beside the host's. REQUIRES: nvm.attach is far.
  memory::Device* of_far_pools() { return devices_.back().get(); }
  /// The devices as one home sees them. REQUIRES: once a slice.
  std::span<memory::Device* const> seen_from(u32 slice, const memory::NetworkParts&);

  /// The program's bytes in [begin, end) are durable as they stand: what is on its way to the medium is forgotten.
  void drop(u64 begin, u64 end);
  void persist_region(bool inside);

  void add_to(HierarchyStatistics&) const;
  /// What was counted on this account since it was taken last.
  void take(core::Account, HierarchyStatistics&);
  bool quiescent() const;
  std::string what_is_under_way() const;

 private:
  const MachineConfig& config_;
  core::TimeWheel& wheel_;
  memory::DurableImage* const durable_;
  memory::HostLink link_;
  media::LastLevelCache host_cache_;
  std::vector<std::unique_ptr<memory::Device>> devices_;
  core::AccountHolders accounts_;  // devices
  std::vector<std::unique_ptr<memory::DistantDevice>> distant_;
  std::vector<std::vector<memory::Device*>> seen_;  // by home
};

}  // namespace ew::runtime
