// Who needs the machine to simulate: threads of the host that cannot go on, a host that polls, the end of
// the program. The machine stands still while there is no demand. Owned by Queue; its lock is held in every call.
#pragma once

#include <atomic>
#include <semaphore>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "runtime/commands.hpp"
#include "runtime/host_request.hpp"
#include "runtime/queue_lock.hpp"

namespace ew::runtime {

/// How a wait has ended.
enum class Waited : u8 {
  no,      // not yet
  done,    // what was waited for is complete
  lost,    // a launch has failed, and everything queued went with it
  reset,   // it was dropped by restart()
  ending,  // it was dropped as the program ends
};

/// Warp instructions between two looks at the queue.
inline constexpr u64 queue_quantum = 20'000;

/// A thread of the host that cannot go on.
struct Need {
  enum class For : u8 { ticket, all_up_to, room, quantum, access, nothing } what = For::ticket;
  Ticket ticket = 0;
  HostRequest* access = nullptr;  // of For::access
  Waited outcome = Waited::no;
  // Set by Demand. The thread touches nothing of the queue from `settled` on until it may go.
  HostThreads::Id thread = 0;
  std::atomic<bool> settled{false};
  std::binary_semaphore go{0};
};

/// A host that has not asked for the machine, and needs it. The machine goes on.
enum class IdleHost : u8 {
  no,
  polls,  // beside it, until it synchronises
  waits   // as long as all threads of the program wait for each other, so that nothing else can wake one of them
};

class Demand {
 public:
  /// Commands that a host may run ahead, as on a real device. A submission behind them waits for room.
  static constexpr std::size_t deep = 1024;

  Demand(QueueLock& lock, const Commands& commands) : lock_(lock), commands_(commands) {}

  /// By a thread of the host: waits until the need is met or dropped.
  Waited wait(HeldLock&, Need);
  /// Threads whose need is met leave the machine; it stands still until they have come to rest again.
  void meet();
  /// Every thread that waits leaves with this outcome.
  void end_all(Waited);
  bool any() const { return !needs_.empty() || idle_ != IdleHost::no || finishing_; }
  /// Threads that wait for the machine; threads whose need is met, and which have not noticed it yet.
  u32 waiting() const { return static_cast<u32>(needs_.size()); }
  u32 leaving() const { return leaving_; }
  /// Those that wait. Until the next call.
  std::span<const HostThreads::Id> threads();
  /// Each of them has let go of the lock and of whoever waited for it, and nobody wakes one but meet() and end_all():
  /// so they need no look.
  bool settled() const;
  /// The host was at rest when the machine went on, and no thread has left or been woken by a host function since.
  bool host_rests() const { return host_rests_; }
  void set_host_rests(bool rests) { host_rests_ = rests; }

  /// Accesses of the host that are not over, those of older threads first. Until the next call of wait() or meet().
  std::span<HostRequest* const> accesses();
  bool any_access() const;

  /// Needs of one quantum are met when this one is over. True: the host waits for what is under way.
  bool begin_quantum();
  /// Nothing takes time: only host functions are under way. Needs of one quantum are met.
  void run_dry();

  void set_idle(IdleHost idle) { idle_ = idle; }
  IdleHost idle() const { return idle_; }

  /// The program ends: what is queued is simulated first, up to these figures. Waits until it is.
  void finish(HeldLock&, u64 instructions, u64 nanoseconds);
  bool finishing() const { return finishing_; }
  bool enough(u64 instructions, u64 nanoseconds) const {
    return lost_ || nanoseconds >= enough_nanoseconds_ || instructions >= enough_instructions_;
  }
  void end_finishing();

  /// The context is lost; the queue takes no more. Until it is restarted.
  void set_lost(bool lost) { lost_ = lost; }
  bool lost() const { return lost_; }
  /// The program ends; the queue takes no more, and its threads end.
  void stop() { stopping_ = true; }
  bool stopping() const { return stopping_; }

 private:
  bool met(const Need&) const;

  QueueLock& lock_;
  const Commands& commands_;
  std::vector<Need*> needs_;
  std::vector<HostRequest*> accesses_;
  std::vector<HostThreads::Id> threads_;
  u32 leaving_ = 0;
  IdleHost idle_ = IdleHost::no;
  bool host_rests_ = false, finishing_ = false, lost_ = false, stopping_ = false;
  u64 enough_instructions_ = 0, enough_nanoseconds_ = 0;
};

}  // namespace ew::runtime
