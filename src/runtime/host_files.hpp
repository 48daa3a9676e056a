// Files of the program on the host's persistent memory (host_file_open of <everwarp/host.cuh>). A file is a pool: its
// bytes have the durable image, the crash tests and the tools of one. What a call costs says the file system of the
// machine file (host/file_system.hpp). Owned by Machine and guarded by its mutex, and by a lock of its own: the
// machine's thread makes calls of kernels (gpufs.hpp).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "host/file_system.hpp"
#include "runtime/persistent_memory.hpp"

struct everwarp_host_file {
  ew::u64 address = 0, bytes = 0;
  std::vector<bool> written;  // by page of 4 KiB: its blocks are allocated
  bool allocated = false;     // blocks, since the last sync
};

namespace ew::runtime {

class HostFiles {
 public:
  HostFiles(const MachineConfig& config, PersistentMemory& persistence) : config_(config), persistence_(persistence) {}

  /// Throws core::UserError as PersistentMemory::map does.
  everwarp_host_file* open(const std::string& path, u64 bytes, bool create);
  /// nullptr: there is no such open file.
  everwarp_host_file* find(everwarp_host_file*) const;
  /// REQUIRES: no work is under way.
  void close(everwarp_host_file*);

  // What a call becomes. REQUIRES: the bytes lie inside the file.
  host::Work write(everwarp_host_file&, u64 offset, u64 from, u64 bytes) const;
  host::Work read(const everwarp_host_file&, u64 offset, u64 to, u64 bytes) const;
  host::Work sync(everwarp_host_file&) const;
  /// A call that moves nothing.
  host::Work look_up(const everwarp_host_file&) const;

 private:
  const host::FileSystem& system() const { return *host::find_file_system(config_.host.file_system); }

  const MachineConfig& config_;
  PersistentMemory& persistence_;
  mutable std::mutex mutex_;  // of what follows, and of what the files hold
  std::map<everwarp_host_file*, std::unique_ptr<everwarp_host_file>> files_;
};

}  // namespace ew::runtime
