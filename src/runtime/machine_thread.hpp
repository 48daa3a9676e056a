// The machine's thread: when it simulates, and when it stands still. It simulates while there is demand (demand.hpp)
// and the host is at rest (host_rest.hpp), never because time has passed; it stands still as soon as no demand is left.
// So the host's speed decides nothing. Owned by Queue; its lock is held in every call.
#pragma once

#include <chrono>
#include <span>
#include <thread>

#include "runtime/command_runner.hpp"
#include "runtime/commands.hpp"
#include "runtime/demand.hpp"
#include "runtime/host_functions.hpp"
#include "runtime/host_rest.hpp"
#include "runtime/queue_lock.hpp"
#include "runtime/silent_host.hpp"
#include "runtime/simulator_turns.hpp"

namespace ew::runtime {

class MachineThread {
 public:
  MachineThread(QueueLock&, Commands&, Demand&, HostRest&, SilentHost&, SimulatorTurns&, CommandRunner&,
                HostFunctions&);

  bool begun() const { return thread_.joinable(); }
  void begin();
  /// One turn of the machine: a command begins, or a quantum of what is under way is simulated, these accesses of the
  /// host among it. False: nothing takes time. By this thread; or by the program's only thread while nobody has demand.
  bool turn(HeldLock&, std::span<HostRequest* const> accesses);
  bool is_this_thread() const { return thread_.get_id() == std::this_thread::get_id(); }
  /// The thread has ended, unless it is the caller: then it goes its own way. REQUIRES: the lock is not held, and the
  /// demand has stopped.
  void join() { join_or_leave(thread_); }
  /// Nothing is queued any more. Threads that wait leave with this outcome.
  void drop_all(Waited);

 private:
  void loop();
  bool gate(HeldLock&);
  void look_at_idle_host(HeldLock&);
  void start(HeldLock&, Command&);
  bool has_finished();

  QueueLock& lock_;
  Commands& commands_;
  Demand& demand_;
  HostRest& rest_;
  SilentHost& silent_host_;
  SimulatorTurns& turns_;
  CommandRunner& runner_;
  HostFunctions& host_functions_;
  // All threads of the program wait since then, as far as the looks tell; the last look.
  std::chrono::steady_clock::time_point idle_since_, looked_at_idle_host_;
  std::thread thread_;
};

}  // namespace ew::runtime
