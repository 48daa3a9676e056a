// One warp scheduler of an SM: which of its ready warps issues next, and which of its arithmetic units are busy. Owned
// by the SM. The policy chooses; the scheduler sees to it that no warp waits for ever.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "simt/sm/readiness.hpp"
#include "simt/sm/ready_sets.hpp"
#include "simt/warp_scheduler.hpp"

namespace ew::simt {

/// Slots that come before all others, or behind them.
struct ApartWarps {
  u64 slots = 0;
  bool first = false;
};

class Scheduler {
 public:
  /// `index`: its own number.
  Scheduler(const SchedulerPolicy& policy, const SchedulerPlace& place, u32 index, ApartWarps apart = {})
      : policy_(policy),
        greedy_(policy.greedy),
        state_(policy.make ? policy.make(place) : nullptr),
        mine_(place.slots),
        last_(index),
        apart_(apart),
        special_(apart.slots) {}

  /// The slots that are dealt to it.
  u64 mine() const { return mine_; }
  /// nullptr: its policy remembers nothing.
  SchedulerState* state() const { return state_.get(); }
  /// Its warps that are ready for a unit that is free.
  u64 candidates(const ReadySets& ready, Cycle now) {
    u64 found = ready.all() & mine_;
    if (all_free_from_ <= now) {
      used_ = 0;
      return found;
    }
    for (u32 left = used_; left; left &= left - 1) {
      const u32 unit = static_cast<u32>(std::countr_zero(left));
      if (busy_[unit] > now)
        found &= ~ready.needing(static_cast<Unit>(unit));
      else
        used_ ^= 1u << unit;
    }
    return found;
  }
  /// A slot to issue in: `held` warps do not count as ready.
  void opportunity(const ReadySets& ready, u64 held) {
    if (++opportunities_ == patience) [[unlikely]]
      look_for_starved(ready.all() & mine_ & ~held);
  }
  /// The warp that issues. REQUIRES: `could`, a subset of mine(), is not 0.
  u32 choose(u64 could, const u64* ages) {
    if (could & special_) [[unlikely]]
      could = those_that_may(could);
    if (state_) [[unlikely]] {
      last_ = state_->choose({could, last_, ages});
      state_->issued(last_);
    } else if (greedy_ && could >> last_ & 1) {
      // it goes on
    } else if (could & (could - 1)) {
      last_ = greedy_ ? oldest_of(could, ages) : policy_.choose({could, last_, ages});
    } else {
      last_ = static_cast<u32>(std::countr_zero(could));
    }
    issued_ |= u64{1} << last_;
    return last_;
  }
  /// The unit takes no other instruction before `until`.
  void occupy(Unit unit, Cycle until) {
    busy_[static_cast<u32>(unit)] = until;
    used_ |= 1u << static_cast<u32>(unit);
    all_free_from_ = std::max(all_free_from_, until);
  }
  /// The first cycle, not before `next`, in which a unit takes one of these warps, which are ready.
  Cycle takes_from(const ReadySets& ready, u64 slots, Cycle next) const {
    if (all_free_from_ <= next) return next;
    Cycle first = core::never;
    for (u32 left = used_; left; left &= left - 1) {
      const u32 unit = static_cast<u32>(std::countr_zero(left));
      const u64 wait = slots & ready.needing(static_cast<Unit>(unit));
      if (!wait || busy_[unit] <= next) continue;
      first = std::min(first, busy_[unit]);
      slots &= ~wait;
    }
    return slots ? next : first;
  }

 private:
  static constexpr u32 patience = 256;  // such slots from one look to the next

  /// A policy with priorities may pass over a warp for as long as others are ready: for ever, if these spin on a flag
  /// that it would set. Warps that were ready all the time between two looks go first, once.
  void look_for_starved(u64 ready) {
    starved_ = passed_over_ & ready & ~issued_;
    special_ = starved_ | apart_.slots;
    passed_over_ = ready;
    issued_ = 0;
    opportunities_ = 0;
  }
  u64 those_that_may(u64 could) {
    starved_ &= ~issued_;
    special_ = starved_ | apart_.slots;
    if (could & starved_) return could & starved_;
    const u64 apart = could & apart_.slots, others = could & ~apart_.slots;
    return (apart_.first ? apart != 0 : others == 0) ? apart : others;
  }

  const SchedulerPolicy& policy_;
  bool greedy_;
  std::unique_ptr<SchedulerState> state_;
  u64 mine_;
  u32 last_;               // slot that issued last
  u32 opportunities_ = 0;  // slots with a ready warp, since the last look
  u64 issued_ = 0;         // slots that have, since the last look
  u64 passed_over_ = 0;    // ready at the last look
  u64 starved_ = 0;        // ready at the last two looks, and not issued between them or since: these go first
  const ApartWarps apart_;
  u64 special_;  // any of these must be thought about
  Cycle all_free_from_ = 0;
  std::array<Cycle, units> busy_{};
  u32 used_ = 0;  // units that may be busy, one bit each
};

}  // namespace ew::simt
