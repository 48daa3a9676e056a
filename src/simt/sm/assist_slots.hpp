// Which blocks of an SM wait for an assist warp, and which warp slots are kept for such warps: the last ones. Owned by
// the SM. Blocks are served in the order in which they have asked. A slot whose warp sleeps is vacant, and costs
// nothing.
#pragma once

#include <array>

#include "simt/sm/warp_table.hpp"

namespace ew::simt {

class AssistSlots {
 public:
  explicit AssistSlots(const AssistLimits& limits)
      : mine_(limits.warps ? ~u64{0} << (most_warps - limits.warps) : 0), free_(mine_), latency_(limits.wake_latency) {}

  bool mine(u32 slot) const { return mine_ >> slot & 1; }
  Cycle wake_latency() const { return latency_; }

  struct Asked {
    ResidentBlock* block = nullptr;
    GridRun* run = nullptr;
    Cycle since = 0;
  };
  /// REQUIRES: the block does not wait already.
  void ask(const Asked& asked) { waiting_[(first_ + count_++) % waiting_.size()] = asked; }
  bool can_begin() const { return count_ && free_; }
  /// The slot that the next block's warp gets. REQUIRES: can_begin().
  u32 slot() const { return first_of(free_); }
  /// That block. `issues`: of the slot, up to now.
  Asked begin(u32 slot, u32 issues) {
    free_ &= ~bit(slot);
    issues_before_[slot] = issues;
    const Asked asked = waiting_[first_];
    first_ = (first_ + 1) % waiting_.size();
    --count_;
    return asked;
  }
  /// The slot is vacant. So many instructions has its warp issued.
  u32 end(u32 slot, u32 issues) {
    free_ |= bit(slot);
    return issues - issues_before_[slot];
  }
  /// The launch has failed.
  void forget(const GridRun& run) {
    u32 kept = 0;
    for (u32 i = 0; i < count_; ++i) {
      const Asked asked = waiting_[(first_ + i) % waiting_.size()];
      if (asked.run != &run) waiting_[(first_ + kept++) % waiting_.size()] = asked;
    }
    count_ = kept;
  }

 private:
  u64 mine_, free_;
  Cycle latency_;
  std::array<Asked, most_warps> waiting_;  // a ring: no SM has more blocks
  u32 first_ = 0, count_ = 0;
  std::array<u32, most_warps> issues_before_{};  // by slot
};

}  // namespace ew::simt
