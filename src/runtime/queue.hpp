// The queue of commands: what streams, events and graphs become. A command waits for the commands named by their
// tickets, then runs: a kernel on the Gpu, a transfer (a copy, a memset), a task on the machine's thread, or a host
// function on a thread of its own.
//
// Owned by Machine, made on its Simulator; owns the machine's thread. Every public function may be called from any
// thread, except that a task must not wait. Ready commands start in ticket order, all that are ready, so kernels of two
// streams run side by side.
//
// When it simulates: while somebody needs it, and never because time has passed. A need is a thread that waits, a query
// (one quantum), a full queue, the end of the program, or a host that polls memory which kernels may write
// (host_watch.hpp). Before it goes on it lets the other threads of the host come to rest (host_threads.hpp), and it
// stands still as soon as no need is left. So the host's speed decides nothing. Simulated time: a command begins when
// the last command it waits for has ended and the host, as far as it has synchronised, could have submitted it. On a
// timing machine it also starts no earlier on the simulator's clock.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/types.hpp"
#include "memory/address_space.hpp"
#include "runtime/host_threads.hpp"
#include "runtime/host_watch.hpp"
#include "runtime/progress.hpp"
#include "runtime/simulator.hpp"
#include "simt/event_recorder.hpp"
#include "simt/gpu.hpp"

namespace ew::runtime {

/// The number of a command, from 1 in order of submission; 0 is "nothing", always complete.
using Ticket = u64;

struct Cost {
  Engine engine = Engine::none;
  u64 nanoseconds = 0;
};

/// Work for the machine's thread or the host-function thread. Destroyed without run() when the context is lost first.
class Task {
 public:
  virtual ~Task() = default;
  virtual void run() = 0;
};

template <class F>
std::unique_ptr<Task> make_task(F function) {
  struct Holder final : Task {
    explicit Holder(F f) : function_(std::move(f)) {}
    void run() override { function_(); }
    F function_;
  };
  return std::make_unique<Holder>(std::move(function));
}

/// How a wait has ended.
enum class Waited : u8 {
  no,      // not yet
  done,    // what was waited for is complete
  lost,    // a launch has failed, and everything queued went with it
  reset,   // it was dropped by restart()
  ending,  // it was dropped as the program ends
};

class Queue {
 public:
  /// Called on the machine's thread, without locks, when a launch has ended with a fault; afterwards the queue is lost.
  using OnFault = std::function<void(const simt::Fault&)>;

  /// `recorder` may be null. The machine's thread begins with the first submission, so that a process which has
  /// submitted nothing has none of them.
  Queue(std::unique_ptr<Simulator>, const memory::AddressSpace&, OnFault, Progress::Show = Progress::Show::never,
        simt::EventRecorder* recorder = nullptr);
  ~Queue();
  /// Before exit: simulates what is queued, within bounds, unless another thread waits for it or a host function ends
  /// the program. Host functions are not called any more.
  void finish();
  /// Ends the machine's thread, whatever is unfinished. Later submissions are dropped.
  void stop();
  /// A signal ends the program: the machine stands still for ever, as soon as it can. Threads that wait go on waiting;
  /// finish() returns. What runs stays where it is, and the simulator can be asked.
  void halt_for_good();

  /// `gap`: from the launch's end to the begin of one that waits for it.
  Ticket submit_launch(simt::Launch, std::span<const Ticket> after, u64 gap_nanoseconds = 0);
  /// `ended`, when given, receives the simulated time of the end; it must live until the ticket is complete or the
  /// queue lost.
  Ticket submit_task(std::unique_ptr<Task>, Cost, std::span<const Ticket> after, u64* ended = nullptr);
  /// A copy or fill: at once and as long as `cost` says in functional mode, else on the engine that `cost` names.
  Ticket submit_transfer(memory::DmaTransfer, Cost cost, std::span<const Ticket> after);
  /// On a timing machine as long as its pages need; else nothing moves.
  Ticket submit_prefetch(Prefetch, std::span<const Ticket> after);
  Ticket submit_host_call(std::unique_ptr<Task>, std::span<const Ticket> after);

  /// Without waiting. Not complete: the machine runs one quantum first, so that polling hosts make progress,
  /// repeatably.
  Waited query(Ticket);
  bool complete(Ticket) const;
  Waited wait(Ticket);
  /// For everything that has been submitted.
  Waited wait_idle();
  bool idle() const;
  bool lost() const;

  static constexpr u64 quantum = 20'000;  // warp instructions between two looks at the queue
  /// Runs about so many if there is work: the meeting point of a traced host access and the machine.
  void step(u64 warp_instructions = quantum);
  /// Host accesses are traced: most of them need not be watched for.
  void set_traced();

  /// Drops everything, running kernels too, and goes on with another simulator.
  void restart(std::unique_ptr<Simulator>);
  /// The simulator between quanta, with the machine stopped.
  void with_simulator(const std::function<void(Simulator&)>&);
  simt::Counters totals() const;
  u64 simulated_nanoseconds() const;
  u64 launches() const;
  /// What was still queued when the program ended, or is.
  u64 abandoned() const;
  /// Times that the host's speed has decided, or may have, what it saw or when it submitted.
  u64 unrepeatable() const;
  /// Times that the host read memory it shares with kernels before what was queued had been simulated.
  u64 early_reads() const;
  /// From now on what copies bring to the host is digested; the sum over copies does not know their order.
  void digest_copies();
  u64 copies_digest() const;

 private:
  struct Order {  // of commands that are ready: by thread of the host, then by submission
    HostThreads::Id thread = 0;
    Ticket ticket = 0;
    auto operator<=>(const Order&) const = default;
  };
  struct Command {
    enum class Kind : u8 { launch, task, transfer, prefetch, host_call } kind = Kind::task;
    Ticket ticket = 0;
    Order order;
    u64 number = 0;  // of its thread's submissions
    u32 unmet = 0;
    std::vector<Ticket> followers;
    u64 begin = 0;
    u64 launch_begin = 0;  // earliest of a launch here: a gap behind the last one that it waits for
    u64 gap = 0;
    simt::Launch launch;
    std::unique_ptr<Task> task;
    memory::DmaTransfer transfer;
    Prefetch prefetch;
    Cost cost;
    u64* ended = nullptr;
  };
  struct Ended {
    u64 end = 0, next_launch = 0;  // earliest begin of a launch that waits for it
  };
  struct Running {
    Ticket ticket = 0;
    u64 late = 0;  // how far the Gpu's clock stood behind the command's beginning
  };
  /// A thread of the host that cannot go on.
  struct Need {
    enum class For : u8 { ticket, all_up_to, room, quantum, nothing } what = For::ticket;
    Ticket ticket = 0;
    Waited outcome = Waited::no;
  };
  using Lock = std::unique_lock<std::mutex>;
  using Clock = std::chrono::steady_clock;

  // The host's side.
  Ticket submit(Command&&, std::span<const Ticket> after);
  void begin_threads();
  void number(Command&);
  Waited wait(Lock&, Need);
  bool met(const Need&) const;
  u64 unfinished() const;  // kernels, copies, host functions
  void meet_needs();
  void end_needs(Waited);
  void host_goes_on();
  void halt(Lock&);

  // The machine's.
  void machine_loop();
  void host_call_loop();
  bool gate(Lock&);
  bool wait_for_rest(Lock&, HostThreads::Id busy, std::chrono::seconds at_most);
  void watch_silent_host(Lock&);
  bool stands_still_for_host_call(Lock&);
  bool needed() const { return !needs_.empty() || released_ || finishing_; }
  Command* startable();
  u64 next_beginning() const;
  void start_one(Lock&, Command&);
  void start_launch(Command&);
  void start_transfer(Lock&, Command&);
  void run_task(Lock&, Command&);
  void run_quantum(Lock&);
  void run_dry(Lock&);
  bool finished() const;
  void show_progress();
  void take_completion(Lock&, const simt::Completion&);
  void make_ready(Command&);
  void finish(Ticket, u64 end);
  void drop_all(Waited);
  Ended ended(Ticket) const;

  static constexpr std::size_t remembered = 1 << 16;  // ends of commands, for those submitted later
  static constexpr std::size_t deep = 1024;           // commands that a host may run ahead, as on a real device
  static constexpr std::chrono::microseconds shortest_opening{100};

  mutable std::mutex mutex_;
  std::condition_variable wake_, progress_, host_call_wake_;
  std::unique_ptr<Simulator> simulator_;
  OnFault on_fault_;
  Ticket last_ticket_ = 0;
  std::map<Ticket, Command> pending_;
  std::map<Order, Command*> ready_;
  std::unordered_map<simt::LaunchId, Running> running_;
  u64 moving_ = 0;  // transfers under way on the simulator, whose ids are their tickets
  std::deque<Ticket> host_calls_;
  u32 host_calls_under_way_ = 0;  // and those in host_calls_
  std::vector<Ended> ends_;
  std::array<u64, 4> engine_free_{};
  u64 host_time_ = 0, latest_end_ = 0;
  u64 gpu_now_ = 0;  // the clock of the Gpu after its last quantum
  std::vector<Need*> needs_;
  u32 going_on_ = 0;  // threads whose need is met, and which have not noticed it yet
  u32 visitors_ = 0;  // visitors_ keep the machine between quanta
  u64 step_ = quantum;
  bool released_ = false;  // the host polls: the machine goes on beside it, until it synchronises
  bool at_rest_ = false;   // so was the host when the machine went on
  bool finishing_ = false, lost_ = false, stopping_ = false, traced_ = false, in_quantum_ = false, in_task_ = false;
  struct Budget {
    u64 instructions = 0, nanoseconds = 0;
  } finish_by_;
  HostThreads host_threads_;
  std::map<HostThreads::Id, u64> submissions_;  // by thread
  std::unique_ptr<HostWatch> watch_;
  Clock::time_point silent_since_, close_again_, waits_since_;
  std::chrono::microseconds open_for_{0}, look_again_{0};
  bool early_read_counted_ = false, host_call_left_alone_ = false;
  u64 unrepeatable_ = 0, early_reads_ = 0, abandoned_ = 0;
  simt::Counters finished_totals_;  // of earlier Gpus
  Progress progress_line_;
  u64 blocks_started_ = 0;
  bool digesting_ = false;
  u64 copies_digest_ = 0;
  u64 launches_ = 0;
  simt::EventRecorder* const recorder_;
  std::atomic<HostThreads::Id> machine_id_{0}, host_call_id_{0};
  std::thread host_call_thread_, thread_;
};

}  // namespace ew::runtime
