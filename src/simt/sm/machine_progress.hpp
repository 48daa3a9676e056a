// How far a timing machine has come: instructions counted, and each folded into the digest. Some counts end a run: the
// crash point and the limit of instructions. Owned by TimingGpu; told by the SMs.
#pragma once

#include <functional>
#include <utility>

#include "core/time_wheel.hpp"
#include "simt/gpu.hpp"

namespace ew::simt {

class MachineProgress {
 public:
  /// A warp in this slot of this SM issues the instruction at `pc`.
  void issues(core::Cycle now, u32 sm, u32 slot, ptx::Pc pc) {
    digest_ = (digest_ ^ (now << 20 ^ u64{sm} << 52 ^ u64{slot} << 44 ^ pc)) * 0x9e3779b97f4a7c15;
  }
  /// It has been executed.
  void executed() {
    if (++executed_ == crash_at_) [[unlikely]] {
      crash_at_ = 0;
      crash_();
    }
  }
  u64 instructions() const { return executed_; }
  /// Two equal runs have the same: of every issue's cycle, SM, slot and pc.
  u64 digest() const { return digest_; }

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
  u64 digest_ = 0x9e3779b97f4a7c15;
  u64 executed_ = 0, crash_at_ = 0, limit_ = 0;
  std::function<void()> crash_;
};

}  // namespace ew::simt
