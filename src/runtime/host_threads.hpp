// The threads of the host program, as the operating system shows them: whether all of them are at rest, so that nothing
// but the machine can make one of them go on. The machine simulates then and only then, so what threads submit, and in
// which order, does not depend on their speed.
//
// At rest: blocked without a time limit (a lock, a join, a condition), or waiting for something from outside (a pipe, a
// child). Not at rest: running, ready to run, asleep for a time, or waiting for a disk.
//
// Threads are looked at one after the other. A thread may wake another one, or make one, and come to rest before it is
// looked at itself. So all are looked at twice. They are at rest together if both looks find the same threads at rest,
// and none of them has run between the looks. Owned by HostRest (host_rest.hpp).
#pragma once

#include <map>
#include <set>
#include <span>

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

  /// Threads that are not looked at. `waiting`: they wait for the machine. `own`: the library's threads. `left_out`: of
  /// no account. But `busy`, one of the library's own, counts, as it runs code of the program; 0: none.
  struct Known {
    std::span<const Id> waiting;
    Id busy = 0;
    Id own[2] = {0, 0};
    std::set<Id> left_out;
  };
  bool at_rest(const Known&);
  /// Those that were not at rest at the last look.
  const std::set<Id>& busy() const { return busy_; }
  /// What the threads waited for at the last look, the later one of these if they differ. nothing: one computes.
  enum class Others : u8 { threads, outside, time, nothing };
  Others waited_for() const { return others_; }

 private:
  static Id process();
  static bool counts(Id thread, const Known&);
  /// Threads at rest, and how often each one has let go of its processor.
  using Resting = std::map<Id, u64>;
  Resting look(const Known&);

  std::set<Id> busy_;
  Others others_ = Others::threads;
};

}  // namespace ew::runtime
