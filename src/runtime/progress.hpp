// The line on stderr that tells of a long run: cycles, instructions, their rate, blocks done. Shown from the second
// second on, once a second; nothing when nobody looks. Owned by CommandRunner; used by the machine's thread.
#pragma once

#include <chrono>
#include <string>

#include "core/types.hpp"

namespace ew::runtime {

class Progress {
 public:
  enum class Show : u8 { on_a_terminal, always, never };
  explicit Progress(Show);

  /// Cheap: looks at the clock and mostly returns.
  struct State {
    u64 nanoseconds = 0;  // simulated
    u64 instructions = 0, blocks_done = 0, blocks = 0;
  };
  void update(const State&);
  /// Takes the line off the terminal, before something else is printed.
  void clear();
  bool wanted() const { return wanted_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool wanted_ = false, terminal_ = false, shown_ = false;
  Clock::time_point begun_, last_;
  u64 last_instructions_ = 0;
};

}  // namespace ew::runtime
