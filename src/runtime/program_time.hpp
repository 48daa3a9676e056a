// Simulated time as a thread of the program knows it: as far as the program has waited for the machine. The library of
// `ew run --clock simulated` (src/preload) answers the program's clocks with it.
#pragma once

#include <atomic>

#include "core/types.hpp"

namespace ew::runtime {

class ProgramTime {
 public:
  /// The program has waited until this simulated nanosecond.
  static void has_waited(u64 nanoseconds) { now_ = nanoseconds; }
  /// The calling thread is the machine's: its clocks are the computer's from now on.
  static void leave_out_this_thread() { ++inside(); }
  /// This process was forked from one that had a machine, and has none: its clocks are the computer's from now on.
  static void end() { ended_ = true; }

  /// While one lives, the calling thread is in a call of the runtime.
  class Call {
   public:
    Call() { ++inside(); }
    ~Call() { --inside(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
  };

  /// Negative: the calling thread is to see the computer's clock.
  static long long of_this_thread() { return inside() || ended_ ? -1 : static_cast<long long>(now_.load()); }

 private:
  static u32& inside() {
    static thread_local u32 calls = 0;
    return calls;
  }
  static inline std::atomic<u64> now_ = 0;
  static inline std::atomic<bool> ended_ = false;
};

}  // namespace ew::runtime
