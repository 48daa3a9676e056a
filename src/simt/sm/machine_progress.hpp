// How far a timing machine has come, in instructions. Some counts end a run: the crash point and the limit of
// instructions. Owned by TimingGpu; told by the SMs.
#pragma once

#include <functional>
#include <utility>

#include "simt/gpu.hpp"

namespace ew::simt {

class MachineProgress {
 public:
  /// One more has been executed.
  void executed() {
    if (++executed_ == crash_at_) [[unlikely]]
      crash();
  }
  u64 instructions() const { return executed_; }
  /// A count ends the run: then the order in which SMs issue matters.
  bool ends_by_count() const { return crash_at_ || limit_; }

  /// `crash` is called when so many instructions have run.
  void set_crash_point(u64 instruction, std::function<void()> crash) {
    crash_at_ = instruction;
    crash_ = std::move(crash);
  }
  /// Of one launch; 0: none.
  void set_limit(u64 instructions) { limit_ = instructions; }
  u64 limit() const { return limit_; }
  bool beyond_limit(const Counters& of_launch) const { return limit_ && of_launch.warp_instructions >= limit_; }

 private:
  [[gnu::noinline]] void crash() {
    crash_at_ = 0;
    crash_();
  }

  u64 executed_ = 0, crash_at_ = 0, limit_ = 0;
  std::function<void()> crash_;
};

}  // namespace ew::simt
