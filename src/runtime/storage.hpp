// The drives of a machine as far as they outlive its simulators: their images, their write caches, and the windows at
// which their registers stand. The controllers are the simulator's: a new one (cudaDeviceReset) finds the drives as
// after a loss of power that kept their caches. And the queues by which the host uses them. Owned by Machine.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "memory/address_space.hpp"
#include "runtime/host_queue.hpp"
#include "storage/contents.hpp"
#include "storage/storage_config.hpp"

namespace ew::runtime {

class Storage {
 public:
  /// Opens the images. `log`: the file that receives what changes them (storage/command_log.hpp); empty: none. Throws
  /// core::UserError with one sentence.
  Storage(const storage::StorageConfig&, memory::AddressSpace&, const std::string& log);
  /// Flushes.
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// The machine is shut down in order: what the caches hold becomes durable. Throws core::UserError.
  void flush();
  /// Power is lost now; the process is about to end. `moment`: of the run.
  void lose_power(u64 moment);

  /// The program says that so much is durable (gpm_acknowledge): for the log.
  void acknowledged(u64 progress);

  struct Drive {
    storage::DriveModel model;
    const storage::Backend* backend;
    bool crash_keeps_some, direct, syncs;
    storage::ControllerConfig config;
    storage::Image image;
    storage::Contents contents;
    u64 window = 0, window_bytes = 0;  // of its registers

    Drive(const storage::DriveConfig&, u32 number);
  };
  u32 count() const { return static_cast<u32>(drives_.size()); }
  Drive& drive(u32 number) { return *drives_[number]; }

  HostQueue* open_queue(HostRing, const HostQueue::Doorbells&, const HostQueue::Times&);
  /// nullptr: it is none of these queues.
  HostQueue* find(HostQueue*) const;
  /// REQUIRES: no call is under way.
  void close_queue(HostQueue* queue) { queues_.erase(queue); }

 private:
  void make_window(Drive&, u32 number);

  memory::AddressSpace& space_;
  std::unique_ptr<storage::CommandLog> log_;
  std::vector<std::unique_ptr<Drive>> drives_;
  std::map<HostQueue*, std::unique_ptr<HostQueue>> queues_;
};

}  // namespace ew::runtime
