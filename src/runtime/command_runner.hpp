// What becomes of a command that may begin: a kernel on the Gpu, a transfer on an engine, a task on the machine's
// thread. And its end: when it was, in simulated time, and who can go on then. Kernels, and transfers of timing
// machines, end in a later quantum; the rest ends at once. Owned by Queue; its lock is held in every call. The
// machine's thread starts commands; it ends them, too, but for host functions, which their own thread ends.
#pragma once

#include <array>
#include <functional>
#include <unordered_map>

#include "runtime/commands.hpp"
#include "runtime/demand.hpp"
#include "runtime/progress.hpp"
#include "runtime/simulator_turns.hpp"
#include "simt/event_recorder.hpp"

namespace ew::runtime {

class CommandRunner {
 public:
  /// Called on the machine's thread, without locks, when a launch has ended with a fault.
  using OnFault = std::function<void(const simt::Fault&)>;

  /// `recorder` may be null.
  CommandRunner(Commands&, Demand&, SimulatorTurns&, OnFault, Progress::Show, simt::EventRecorder* recorder);

  /// REQUIRES: it is ready, and no host function.
  void start(HeldLock&, Command&);
  /// Kernels or transfers are under way.
  bool busy() const { return !running_.empty() || moving_ > 0; }
  /// Lets the simulator run, and ends what has ended there. False: a launch had a fault, and the context is lost. What
  /// is behind it in this quantum has not been ended.
  bool run_quantum(HeldLock&);
  /// A function of the program is called in its stream's turn: what it does follows what the stream has done.
  void host_function_begins(Ticket);
  /// The command has ended at this simulated time. Nothing happens when it was dropped meanwhile.
  void end(Ticket, u64 nanoseconds);
  /// What is under way is forgotten; its ends are ignored.
  void drop_all();

  /// Takes the line of progress off the terminal.
  void clear_progress() { progress_.clear(); }
  u64 launches() const { return launches_; }
  /// From now on what copies bring to the host is digested; the sum over copies does not know their order.
  void digest_copies() { digesting_ = true; }
  u64 copies_digest() const { return copies_digest_; }

 private:
  struct Running {
    Ticket ticket = 0;
    u64 late = 0;  // how far the Gpu's clock stood behind the command's beginning
  };
  void start_launch(Command&);
  void start_transfer(HeldLock&, Command&);
  void start_host_work(HeldLock&, Command&);
  void run_task(HeldLock&, Command&);
  bool end_launch(HeldLock&, const simt::Completion&);
  void show_progress();

  Commands& commands_;
  Demand& demand_;
  SimulatorTurns& turns_;
  OnFault on_fault_;
  std::unordered_map<simt::LaunchId, Running> running_;
  u64 moving_ = 0;  // transfers under way on the simulator, whose ids are their tickets
  std::array<u64, 4> engine_free_{};
  Progress progress_;
  u64 launches_ = 0, blocks_started_ = 0;
  bool digesting_ = false;
  u64 copies_digest_ = 0;
  simt::EventRecorder* const recorder_;
};

}  // namespace ew::runtime
