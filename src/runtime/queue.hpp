// The queue of commands: what streams, events and graphs become. A command waits for the commands named by their
// tickets, then runs: a kernel on the Gpu, a transfer (a copy, a memset), a task on the machine's thread, or a host
// function on a thread of its own.
//
// Owned by Machine, made on its Simulator. Every public function may be called from any thread, except that a task must
// not wait. Ready commands start in ticket order, all that are ready, so kernels of two streams run side by side.
//
// When it simulates: while somebody needs it, and never because time has passed. A need is a thread that waits, a query
// (one quantum), a full queue, the end of the program, or a host that polls memory which kernels may write
// (host_watch.hpp). Before it goes on it lets the other threads of the host come to rest (host_threads.hpp), and it
// stands still as soon as no need is left. So the host's speed decides nothing. Simulated time: a command begins when
// the last command it waits for has ended and the host, as far as it has synchronised, could have submitted it. On a
// timing machine it also starts no earlier on the simulator's clock.
//
// This class is what the host's threads call. Its parts, each with a question of its own, stand under its one lock:
//   Commands        which wait for which, and which are ready
//   Demand          who needs the machine, and how far it should go
//   HostRest        whether the host is at rest
//   SilentHost      whether a host that calls nothing polls
//   SimulatorTurns  who has the simulator now
//   CommandRunner   how a command runs, and when it has ended
//   HostFunctions   the thread that calls functions of the program
//   MachineThread   the thread that simulates, and when it does
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/types.hpp"
#include "memory/address_space.hpp"
#include "runtime/command.hpp"
#include "runtime/command_runner.hpp"
#include "runtime/commands.hpp"
#include "runtime/demand.hpp"
#include "runtime/host_functions.hpp"
#include "runtime/host_rest.hpp"
#include "runtime/machine_thread.hpp"
#include "runtime/progress.hpp"
#include "runtime/queue_lock.hpp"
#include "runtime/silent_host.hpp"
#include "runtime/simulator.hpp"
#include "runtime/simulator_turns.hpp"
#include "simt/event_recorder.hpp"

namespace ew::runtime {

/// What a queue tells of its run.
struct QueueFigures {
  u64 launches = 0;
  u64 simulated_nanoseconds = 0;
  u64 abandoned = 0;      // commands that were still queued when the program ended, or are
  u64 unrepeatable = 0;   // times that the host's speed has decided, or may have, what it saw or when it submitted
  u64 early_reads = 0;    // times that the host read memory it shares with kernels before what was queued had run
  u64 copies_digest = 0;  // of what copies have brought to the host (Queue::digest_copies)
};

class Queue {
 public:
  /// `on_fault`: afterwards the queue is lost. `recorder` may be null. The queue's threads begin with the first
  /// submission, so that a process which has submitted nothing has none of them.
  Queue(std::unique_ptr<Simulator>, const memory::AddressSpace&, CommandRunner::OnFault on_fault,
        Progress::Show = Progress::Show::never, simt::EventRecorder* recorder = nullptr);
  ~Queue();
  /// Before exit: simulates what is queued, within bounds, unless another thread waits for it or a host function ends
  /// the program. Host functions are not called any more.
  void finish();
  /// Ends the queue's threads, whatever is unfinished. Later submissions are dropped.
  void stop();
  /// A signal ends the program: the machine stands still for ever, as soon as it can. Threads that wait go on waiting;
  /// finish() returns. What runs stays where it is, and the simulator can be asked.
  void halt_for_good();

  /// The command begins when those of the given tickets have ended. 0: the context is lost, or the program ends.
  Ticket submit(Command, std::span<const Ticket> after);

  /// Without waiting. Not complete: the machine runs one quantum first, so that polling hosts make progress,
  /// repeatably.
  Waited query(Ticket);
  bool complete(Ticket) const;
  Waited wait(Ticket);
  /// For everything that has been submitted.
  Waited wait_idle();
  bool idle() const;

  /// Runs a quantum if there is work: the meeting point of a traced host access and the machine.
  void step();
  /// The host is about to access these bytes, of memory that it shares with the GPU. Returns when the access is over on
  /// the machine. REQUIRES: a timing machine.
  void host_access(u64 address, u64 bytes, bool store);
  /// Host accesses are traced: most of them need not be watched for.
  void set_traced();

  /// Drops everything, running kernels too, and goes on with another simulator.
  void restart(std::unique_ptr<Simulator>);
  /// The simulator between quanta, with the machine stopped.
  void with_simulator(const std::function<void(Simulator&)>&);
  /// A module is about to go: simt::Gpu::forget_kernels().
  void forget_kernels();
  simt::Counters totals();
  QueueFigures figures() const;
  /// Simulated: where the host's last synchronisation ended.
  u64 host_nanoseconds() const;
  /// From now on what copies bring to the host is digested.
  void digest_copies();

 private:
  void begin_threads();
  void host_goes_on();
  void has_waited(u64 until);

  mutable QueueLock lock_;
  Commands commands_;
  Demand demand_;
  HostRest rest_;
  SilentHost silent_host_;
  SimulatorTurns turns_;
  CommandRunner runner_;
  HostFunctions host_functions_;
  MachineThread machine_thread_;
  u64 host_time_ = 0;  // simulated: as far as the host has synchronised
  u64 abandoned_ = 0;
  simt::EventRecorder* const recorder_;
};

}  // namespace ew::runtime
