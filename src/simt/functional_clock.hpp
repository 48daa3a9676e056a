// Functional mode's time: a cycle of an SM is a warp instruction, and the machine has the time of the SM that is
// furthest. Owned by FunctionalGpu.
#pragma once

#include <algorithm>
#include <vector>

#include "simt/block.hpp"

namespace ew::simt {

class FunctionalClock {
 public:
  /// `sms` outlives it.
  FunctionalClock(const std::vector<Sm>& sms, u32 khz) : sms_(sms), khz_(khz) {}

  u64 cycle() const {
    u64 latest = 0;
    for (const Sm& sm : sms_) latest = std::max(latest, sm.cycle);
    return latest;
  }
  u64 nanoseconds() const { return skipped_ns_ + cycle() * 1'000'000 / khz_; }
  /// Time in which no SM did anything.
  void skip(u64 nanoseconds) { skipped_ns_ += nanoseconds; }

 private:
  const std::vector<Sm>& sms_;
  const u32 khz_;
  u64 skipped_ns_ = 0;
};

}  // namespace ew::simt
