// The functions of the program that a stream calls (cudaLaunchHostFunc): they run on a thread of their own, one after
// the other, so that they may block. Simulated time stands still for them; they take none of it. Owned by Queue; its
// lock is held in every call.
#pragma once

#include <deque>
#include <semaphore>
#include <thread>

#include "runtime/command_runner.hpp"
#include "runtime/commands.hpp"
#include "runtime/demand.hpp"
#include "runtime/host_rest.hpp"
#include "runtime/queue_lock.hpp"

namespace ew::runtime {

class HostFunctions {
 public:
  HostFunctions(QueueLock&, Commands&, Demand&, HostRest&, CommandRunner&);

  /// The thread begins.
  void begin();
  /// The thread looks again: whether it should stop.
  void wake() { wake_.release(); }
  /// The thread has ended, unless it is the caller: then it goes its own way. REQUIRES: the lock is not held.
  void join() { join_or_leave(thread_); }

  /// The function of this command is to be called.
  void call(Ticket);
  /// That run or are to be called.
  u32 under_way() const { return under_way_; }
  /// By the machine's thread. True: it has waited a little for a function, and should look again. False: there is none,
  /// or the function waits for what the machine does.
  bool hold_time(HeldLock&);
  /// Those that have not begun are not called any more.
  void drop_all();

 private:
  void loop();
  /// Lets go of the lock meanwhile.
  template <class F>
  void without(HeldLock&, F&& go);

  QueueLock& lock_;
  Commands& commands_;
  Demand& demand_;
  HostRest& rest_;
  CommandRunner& runner_;
  std::counting_semaphore<> wake_{0};
  std::deque<Ticket> waiting_;  // not begun
  u32 under_way_ = 0;           // and those in waiting_
  bool left_alone_ = false;     // the function under way has never come to rest
  std::thread thread_;
};

}  // namespace ew::runtime
