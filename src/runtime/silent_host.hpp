// The host while it calls nothing of CUDA, with work in the queue that nobody needs yet: does it poll? Memory that it
// shares with kernels is closed then and opened again (host_watch.hpp). The host's speed decides when memory is closed,
// and never what is simulated; only a host that polls needs the machine, or one that waits for a host function
// (MachineThread). Owned by Queue; its lock is held in every call.
#pragma once

#include <chrono>
#include <memory>

#include "memory/address_space.hpp"
#include "runtime/host_watch.hpp"
#include "runtime/queue_lock.hpp"

namespace ew::runtime {

class SilentHost {
 public:
  SilentHost(const memory::AddressSpace&, QueueLock&);

  /// A call of CUDA is over. `watch`: work is queued that nobody needs.
  void begin(bool watch);
  /// By the machine's thread. True: the host polls, or may. Else waits until it should look again, or is woken.
  /// `host_function`: one is under way, and uses shared memory as it likes.
  bool polls(HeldLock&, bool host_function);
  /// The host has called nothing for a while.
  bool silent() const;
  /// It is taken for one that polls.
  void count_poll() { ++times_polled_; }
  /// Shared memory is the host's again.
  void open() { watch_->open(); }
  /// Host accesses are traced: most of them need not be watched for.
  void set_traced() { traced_ = true; }

  /// Times that the host was found to poll: its speed decides then what it sees.
  u64 times_polled() const { return times_polled_; }
  /// Silences in which the host has read shared memory before what was queued had been simulated.
  u64 early_reads() const { return early_reads_; }

 private:
  using Clock = std::chrono::steady_clock;

  QueueLock& lock_;
  std::unique_ptr<HostWatch> watch_;
  Clock::time_point silent_since_, close_again_;
  std::chrono::microseconds open_for_{0};
  bool traced_ = false, early_read_counted_ = false;
  u64 times_polled_ = 0, early_reads_ = 0;
};

}  // namespace ew::runtime
