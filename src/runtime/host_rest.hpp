// Whether the host program is at rest, so that nothing but the machine can make one of its threads go on (the rule is
// in host_threads.hpp). The machine simulates then and only then. A thread that never comes to rest is left out of
// account after a while: the host's speed may decide what the run shows then, and that is counted. Owned by Queue; used
// by the machine's thread with the queue's lock held.
#pragma once

#include <chrono>

#include "runtime/commands.hpp"
#include "runtime/demand.hpp"
#include "runtime/host_threads.hpp"
#include "runtime/queue_lock.hpp"

namespace ew::runtime {

class HostRest {
 public:
  HostRest(QueueLock& lock, const Commands& commands, const Demand& demand)
      : lock_(lock), commands_(commands), demand_(demand) {}

  /// The queue's own threads: they do not count.
  void set_machine_thread(HostThreads::Id id) { machine_thread_ = id; }
  void set_host_function_thread(HostThreads::Id id) { host_function_thread_ = id; }

  /// Looks whether the host is at rest, and when it is not, lets some time pass. True, too, when it is not for too
  /// long: the threads in question are left out of account then.
  bool wait_for_threads(HeldLock&);
  /// The same, and the thread of host functions counts, as it runs one.
  bool wait_for_host_function(HeldLock&);

  /// The program has no thread besides the calling one.
  bool is_only_thread() const;

  /// It has submitted something, so it counts again.
  void take_account_of(HostThreads::Id thread) { threads_.take_account_of(thread); }
  /// Times that threads were left out of account.
  u64 given_up() const { return given_up_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(HeldLock&, HostThreads::Id busy, std::chrono::seconds at_most);

  QueueLock& lock_;
  const Commands& commands_;
  const Demand& demand_;
  HostThreads threads_;
  HostThreads::Id machine_thread_ = 0, host_function_thread_ = 0;
  Clock::time_point waits_since_;
  std::chrono::microseconds look_again_{0};
  u64 given_up_ = 0;
};

}  // namespace ew::runtime
