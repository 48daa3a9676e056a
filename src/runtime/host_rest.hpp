// Whether the host program is at rest, so that nothing but the machine can make one of its threads go on (the rule is
// in host_threads.hpp). The machine simulates then and only then. A thread that never comes to rest is left out of
// account after a while: the host's speed may decide what the run shows then, and that is counted. Owned by Queue; used
// by the machine's thread with the queue's lock held.
#pragma once

#include <atomic>
#include <chrono>
#include <set>

#include "runtime/commands.hpp"
#include "runtime/demand.hpp"
#include "runtime/host_threads.hpp"
#include "runtime/queue_lock.hpp"

namespace ew::runtime {

class HostRest {
 public:
  HostRest(QueueLock& lock, const Commands& commands, Demand& demand)
      : lock_(lock), commands_(commands), demand_(demand) {}

  /// The queue's own threads: they do not count.
  void set_machine_thread(HostThreads::Id id) { machine_thread_ = id; }
  void set_host_function_thread(HostThreads::Id id) { host_function_thread_ = id; }

  /// Looks whether the host is at rest, and when it is not, lets some time pass. True, too, when it is not for too
  /// long: the threads in question are left out of account then.
  bool wait_for_threads(HeldLock&);
  /// The same, and the thread of host functions counts, as it runs one.
  bool wait_for_host_function(HeldLock&);

  /// Nobody needs the machine, but all threads of the program wait: for each other, so that only queued work can wake
  /// one of them (`for_ever`), or one for a time or for something from outside, too (`perhaps`). A look, without
  /// patience.
  enum class Idle : u8 { no, perhaps, for_ever };
  Idle idles(HeldLock&);
  /// Nobody waits for the host to come to rest any more.
  void begin_anew() {
    waits_since_ = {};
    look_again_ = {};
  }

  /// The thread of host functions holds the lock: it may wake a thread that waits for the lock, or has waited for a
  /// function, so a look that is under way does not count. It has let go of the lock, and of whoever waited for it.
  void host_function_thread_is_in() {
    ++its_entries_;
    it_is_out_ = false;
  }
  void host_function_thread_is_out() { it_is_out_ = true; }

  /// The program has no thread besides the calling one.
  bool is_only_thread() const;

  /// It has submitted something, so it counts again.
  void take_account_of(HostThreads::Id thread) { left_out_.erase(thread); }
  /// Times that threads were left out of account.
  u64 given_up() const { return given_up_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool settled() const;
  bool wait(HeldLock&, HostThreads::Id busy, std::chrono::seconds at_most);

  QueueLock& lock_;
  const Commands& commands_;
  Demand& demand_;
  HostThreads threads_, idle_threads_;  // the second: of idles(), beside a visitor's looks
  std::set<HostThreads::Id> left_out_;  // of account, until they submit something
  HostThreads::Id machine_thread_ = 0, host_function_thread_ = 0;
  Clock::time_point waits_since_;
  std::chrono::microseconds look_again_{0};
  u64 given_up_ = 0;
  u64 its_entries_ = 0;  // of the thread of host functions
  std::atomic<bool> it_is_out_{false};
};

}  // namespace ew::runtime
