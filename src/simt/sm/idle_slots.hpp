// The issue slots of all SMs in which an SM had no warp, added up to any cycle. An SM that has no warp loses all its
// slots until it runs again, so only those are asked that have run, or that had a warp. Owned by SmArray.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "simt/sm/stall_account.hpp"

namespace ew::simt {

class IdleSlots {
 public:
  /// `schedulers`: of an SM.
  IdleSlots(u32 sms, u32 schedulers)
      : sms_(sms), schedulers_(schedulers), without_time_(sms), changed_((sms + 63) / 64) {
    all_have_changed();
  }

  /// What the SM loses its slots to may be something else from now on.
  void has_changed(u32 sm) { changed_[sm / 64] |= u64{1} << sm % 64; }
  void all_have_changed() {
    for (u32 sm = 0; sm < sms_; ++sm) has_changed(sm);
  }
  /// `account_of(sm)`: its StallAccount. REQUIRES: all SMs stand before this cycle.
  template <class AccountOf>
  u64 up_to(Cycle until, AccountOf&& account_of) {
    for (u32 word = 0; word < changed_.size(); ++word)
      for (u64 left = changed_[word]; left; left &= left - 1) {
        const u32 sm = word * 64 + static_cast<u32>(std::countr_zero(left));
        StallAccount& account = account_of(sm);
        const u64 now = account.idle_slots(until) - schedulers_ * until;
        sum_ += now - std::exchange(without_time_[sm], now);
        if (account.idles()) changed_[word] &= ~(left & -left);
      }
    return sum_ + sms_ * schedulers_ * until;
  }

 private:
  const u64 sms_, schedulers_;
  std::vector<u64> without_time_;  // by SM: its idle slots less those of an SM that never had a warp, modulo 2^64
  u64 sum_ = 0;                    // of them
  std::vector<u64> changed_;       // a bit an SM
};

}  // namespace ew::simt
