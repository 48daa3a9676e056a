// The threads of the host program, as the operating system shows them: whether all of them are at rest, so that nothing
// but the machine can make one of them go on. The machine simulates then and only then, so what threads submit, and in
// which order, does not depend on their speed.
//
// At rest: blocked without a time limit (a lock, a join, a condition), or waiting for something from outside (a pipe, a
// child). Not at rest: running, ready to run, or asleep for a time. Owned by HostRest
// (host_rest.hpp).
#pragma once

#include <chrono>
#include <set>

#include "core/types.hpp"

namespace ew::runtime {

class HostThreads {
 public:
  using Id = int;  // the kernel's number of a thread
  static Id self();
  /// Later threads have larger ones.
  using Order = u64;
  static Order order() { return order_of(self()); }
  static Order order_of(Id thread) { return order_of(thread, process()); }
  /// The kernel begins its numbers anew when it has given the last one: a thread whose number is below that of its
  /// process is younger than those above. REQUIRES: it has not come around twice while the process lives.
  static Order order_of(Id thread, Id process) {
    constexpr Order most_numbers = Order{1} << 22;  // Linux, PID_MAX_LIMIT
    return static_cast<Order>(thread) + (thread < process ? most_numbers : 0);
  }
  static bool at_rest(Id);
  /// Threads of the process; those of the library count.
  static u64 count();

  /// `waiting`: threads that are known to wait for the machine. `busy`: one of the library's own threads that counts,
  /// as it runs code of the program; 0: none. `own`: the library's threads.
  struct Known {
    u32 waiting = 0;
    Id busy = 0;
    Id own[2] = {0, 0};
  };
  bool at_rest(const Known&);

  /// Threads that have not come to rest for too long are left out of account from now on, until they submit something.
  void leave_out_busy();
  void take_account_of(Id thread) { left_out_.erase(thread); }

 private:
  static Id process();
  bool counts(Id thread, const Known&) const;

  std::set<Id> left_out_;
  std::set<Id> busy_;  // at the last look
};

}  // namespace ew::runtime
