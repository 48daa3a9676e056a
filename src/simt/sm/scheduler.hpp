// One warp scheduler of an SM: which of its ready warps issues next, and which of its arithmetic units are busy. Owned
// by the SM. The policy chooses; the scheduler sees to it that no warp waits for ever.
#pragma once

#include <algorithm>
#include <array>

#include "simt/sm/readiness.hpp"
#include "simt/sm/ready_sets.hpp"
#include "simt/warp_scheduler.hpp"

namespace ew::simt {

class Scheduler {
 public:
  /// `index`: its own number.
  Scheduler(const SchedulerPolicy& policy, const SchedulerPlace& place, u32 index)
      : policy_(policy), state_(policy.make ? policy.make(place) : nullptr), mine_(place.slots), last_(index) {}

  /// The slots that are dealt to it.
  u64 mine() const { return mine_; }
  /// nullptr: its policy remembers nothing.
  SchedulerState* state() const { return state_.get(); }
  /// Its warps that are ready for a unit that is free.
  u64 candidates(const ReadySets& ready, Cycle now) const {
    if (all_free_from_ <= now) return ready.all() & mine_;
    u64 found = 0;
    ready.each([&](u32 unit, u64 slots) { found |= busy_[unit] <= now ? slots : 0; });
    return found & mine_;
  }
  /// A slot to issue in: `held` warps do not count as ready.
  void opportunity(const ReadySets& ready, u64 held) {
    if (++opportunities_ == patience) [[unlikely]]
      look_for_starved(ready.all() & mine_ & ~held);
  }
  /// The warp that issues. REQUIRES: `could`, a subset of mine(), is not 0.
  u32 choose(u64 could, const u64* ages) {
    const u64 starved = could & starved_;
    const WarpChoice choice{starved ? starved : could, last_, ages};
    if (state_) [[unlikely]] {
      last_ = state_->choose(choice);
      state_->issued(last_);
    } else {
      last_ = policy_.choose(choice);
    }
    starved_ &= ~(u64{1} << last_);
    passed_over_ &= ~(u64{1} << last_);
    return last_;
  }
  /// The unit takes no other instruction before `until`.
  void occupy(Unit unit, Cycle until) {
    busy_[static_cast<u32>(unit)] = until;
    all_free_from_ = std::max(all_free_from_, until);
  }
  Cycle free_from(u32 unit) const { return busy_[unit]; }
  /// All its units.
  Cycle all_free_from() const { return all_free_from_; }

 private:
  static constexpr u32 patience = 256;  // such slots from one look to the next

  /// A policy with priorities may pass over a warp for as long as others are ready: for ever, if these spin on a flag
  /// that it would set. Warps that were ready all the time between two looks go first, once.
  void look_for_starved(u64 ready) {
    starved_ = passed_over_ & ready;
    passed_over_ = ready;
    opportunities_ = 0;
  }

  const SchedulerPolicy& policy_;
  std::unique_ptr<SchedulerState> state_;
  u64 mine_;
  u32 last_;               // slot that issued last
  u32 opportunities_ = 0;  // slots with a ready warp, since the last look
  u64 passed_over_ = 0;    // ready at the last look, and none of their instructions issued since
  u64 starved_ = 0;        // the same at two looks: these go first
  Cycle all_free_from_ = 0;
  std::array<Cycle, units> busy_{};
};

}  // namespace ew::simt
