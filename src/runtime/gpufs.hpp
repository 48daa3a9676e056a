// GPUfs (<everwarp/gpufs.cuh>): the mailboxes in which kernels post calls of a file system, the files that they may
// name, and the daemon threads that serve the calls. What a call costs is timed work of the host (host/work.hpp). Who
// does it, and when, says the simulator: at once in functional mode, GpufsDaemons on a timing machine. Owned by
// Machine.
//
// Threads: the program's begin, offer and end; the machine's thread takes calls. A lock of its own is between them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "host/work.hpp"
#include "runtime/host_files.hpp"

namespace everwarp {
struct GpufsMailbox;
struct GpufsRequest;
}  // namespace everwarp

namespace ew::runtime {

/// A call that a daemon serves.
struct GpufsCall {
  u64 id = 0;       // of the work; tickets of commands are far below
  u64 mailbox = 0;  // its memory's address
  u32 slot = 0, daemon = 0;
  host::Work work;
};

class Gpufs {
 public:
  Gpufs(const MachineConfig&, HostFiles&);
  ~Gpufs();

  /// Daemons serve this mailbox from now on.
  void begin(const everwarp::GpufsMailbox&, u32 daemons);
  /// The file's number. Throws core::UserError when kernels cannot have this file.
  int offer(const everwarp::GpufsMailbox&, everwarp_host_file*, const std::string& name);
  /// REQUIRES: no call is under way.
  void end(const everwarp::GpufsMailbox&);

  // By the machine's thread.
  bool any() const { return any_.load(std::memory_order_relaxed); }
  /// Calls that are posted, as many as there are daemons that do nothing, slot by slot from the last one on.
  std::vector<GpufsCall> take();
  /// Calls that are posted, and wait for a daemon.
  u64 waiting() const;
  /// Its work is done: the daemon is free.
  void served(const GpufsCall&);

 private:
  struct Box;
  static bool posted(const Box&, u32 slot);
  GpufsCall serve(Box&, u32 slot, u32 daemon);
  /// The file system's part of the work is put into `work`.
  int call(const Box&, const everwarp::GpufsRequest&, u64 data, host::Work& work);
  Box& box_of(u64 memory);

  const MachineConfig& config_;
  HostFiles& files_;
  mutable std::mutex mutex_;
  std::map<u64, std::unique_ptr<Box>> boxes_;  // by the mailbox's memory
  std::atomic<bool> any_{false};
  u64 calls_ = 0;
};

}  // namespace ew::runtime
