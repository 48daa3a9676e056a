// What moves bytes beside the kernels of a timing machine: copy engines, the cores of the host, which do timed work,
// copies in which both have a part, and NVMe drives. A host that shares the GPU's memory has no such cores: its work
// takes no time. Owned by MemoryHierarchy.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/cores.hpp"
#include "memory/dma_engine.hpp"
#include "memory/host_pages.hpp"
#include "runtime/bounced_copies.hpp"
#include "runtime/copy_engines.hpp"
#include "runtime/hierarchy_statistics.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/memory_devices.hpp"
#include "runtime/timed_drives.hpp"

namespace ew::runtime {

class Movers {
 public:
  /// `port`: of the first engine. `copy_begins`, `moved`: MemoryHierarchy::attach. References outlive it.
  Movers(const MachineConfig&, const memory::DmaPort::Parts& port, MemoryDevices&,
         const memory::DmaEngine::Tell& copy_begins, const memory::DmaEngine::Tell& moved);

  CopyEngines& engines() { return engines_; }
  /// Copies find lines of the host's pages in its caches from now on.
  void name_host_pages() { pages_.name(); }
  /// The host's; nullptr: its work takes no time.
  host::Cores* cores() { return cores_.get(); }
  /// The copy goes through a buffer of the host; nullptr: it does not.
  BouncedCopies* bounces(const memory::DmaTransfer&);

  /// NVMe drives, whose registers stand in this space. Once. `meet_image`: MemoryHierarchy's.
  void attach(Storage&, memory::AddressSpace&, std::function<void(u64 address, u64 bytes, bool written)> meet_image);

  bool idle() const { return engines_.idle() && (!cores_ || cores_->idle()) && (!drives_ || drives_->quiescent()); }
  void add_to(HierarchyStatistics&) const;
  std::string what_is_under_way() const;

 private:
  memory::DmaEngine::Tell over(const memory::DmaEngine::Tell& moved);

  const MachineConfig& config_;
  const memory::DmaPort::Parts port_;
  memory::HostLink& link_;
  memory::Device& host_memory_;
  const memory::AddressMap& map_;
  memory::HostPages pages_;
  CopyEngines engines_;
  std::unique_ptr<host::Cores> cores_;
  std::unique_ptr<BouncedCopies> bounced_copies_;
  std::unique_ptr<TimedDrives> drives_;  // nullptr: none
};

}  // namespace ew::runtime
