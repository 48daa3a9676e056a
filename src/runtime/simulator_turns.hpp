// The simulator of a queue, and whose turn it is to use it: the machine's thread for a quantum or a task, without the
// queue's lock; or a visitor between two of them, with it. A visitor makes the quantum end early, and the machine
// stands still until the last visitor has gone. Owned by Queue; its lock is held in every call.
#pragma once

#include <functional>
#include <memory>

#include "runtime/demand.hpp"
#include "runtime/queue_lock.hpp"
#include "runtime/simulator.hpp"

namespace ew::runtime {

class SimulatorTurns {
 public:
  SimulatorTurns(std::unique_ptr<Simulator> simulator, QueueLock& lock)
      : lock_(lock), simulator_(std::move(simulator)) {}

  /// For the machine's thread; for others while they visit.
  Simulator& simulator() { return *simulator_; }
  /// nullptr in functional mode.
  TimingMachine* timed() { return simulator_->timed(); }
  /// The clock of the Gpu after its last quantum, in nanoseconds.
  u64 now() const { return now_; }
  /// Nothing is under way: the clock goes there.
  void advance_to(u64 nanoseconds);

  /// By the machine's thread: lets go of the lock, and runs `go` on the simulator.
  template <class F>
  void quantum(HeldLock& held, F&& go) {
    in_quantum_ = true;
    held.unlock();
    go();
    held.lock();
    in_quantum_ = false;
    now_ = simulator_->gpu().simulated_nanoseconds();
  }
  /// The same for a task, which leaves the simulator alone.
  template <class F>
  void task(HeldLock& held, F&& go) {
    in_task_ = true;
    held.unlock();
    go();
    held.lock();
    in_task_ = false;
  }
  /// A quantum that is under way ends soon.
  void interrupt_quantum();
  /// Visitors that wait look again.
  void tell_visitors() {
    if (visitors_) lock_.progress.notify_all();
  }
  bool visited() const { return visitors_ > 0; }
  /// By the machine's thread, between two turns. False: there is no visitor. Else waits until the last one has gone, or
  /// the machine stops.
  bool give_way(HeldLock&, const Demand&);

  /// By a visitor: returns with the machine standing still. Its thread does nothing, and watches nothing, until
  /// give_back(), whoever lets go of the lock meanwhile.
  void take(HeldLock&);
  void give_back();
  /// By a visitor: returns with the machine standing still. It goes on when the lock is let go of.
  void halt(HeldLock&);
  void visit(HeldLock&, const std::function<void(Simulator&)>&);
  /// Another simulator, whose clock goes on at `nanoseconds`. REQUIRES: the machine stands still.
  void replace(std::unique_ptr<Simulator>, u64 nanoseconds);
  /// Of all simulators so far.
  simt::Counters totals(HeldLock&);

 private:
  QueueLock& lock_;
  std::unique_ptr<Simulator> simulator_;
  u64 now_ = 0;
  u32 visitors_ = 0;  // they wait for the turn to end
  bool in_quantum_ = false, in_task_ = false;
  simt::Counters finished_totals_;  // of earlier simulators
};

}  // namespace ew::runtime
