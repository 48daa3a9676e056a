// The drives of a timing machine: controllers on links of their own, below a tree of switches, each with a port on the
// network, behind those of copy engines. Owned by MemoryHierarchy.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/machine_config.hpp"
#include "runtime/storage.hpp"
#include "storage/timed_drive.hpp"

namespace ew::runtime {

class TimedDrives {
 public:
  struct Parts {
    memory::HostLink& gpu_link;
    memory::Device& host_memory;
    std::function<u64(u64 address)> in_host_memory;  // the device's address of a byte of the host's
    memory::DmaPort::Parts port;                     // of the first; the others are the agents behind it
    memory::AddressSpace& space;
    std::function<void(u64 address, u64 bytes, bool written)> meet_image;
  };
  /// Their registers answer from now on.
  TimedDrives(const MachineConfig&, Storage&, const Parts&);
  ~TimedDrives();
  TimedDrives(const TimedDrives&) = delete;
  TimedDrives& operator=(const TimedDrives&) = delete;

  bool quiescent() const;
  storage::DriveStatistics statistics() const;
  std::string what_is_under_way() const;

 private:
  memory::RegisterWindows& windows_;
  storage::LinkTree tree_;
  std::vector<std::unique_ptr<storage::TimedDrive>> drives_;
};

}  // namespace ew::runtime
