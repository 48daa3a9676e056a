// Whose is an issue slot in which nothing issued? The figures of one SM, by launch, and the charge of its lost issue
// slots. Owned by the SM.
//
// A cause holds until the SM is stepped again, so idle stretches are charged in one go. What is lost to an access is
// kept with the access until it is known who served it. The causes themselves are those of stall_causes.hpp.
#pragma once

#include <array>
#include <bit>
#include <utility>

#include "core/accounts.hpp"
#include "simt/sm/access_pool.hpp"
#include "simt/sm/warp_slot.hpp"
#include "simt/timing_statistics.hpp"

namespace ew::simt {

/// What a scheduler's lost slots are counted on. Of an access: on the access itself.
struct StallCause {
  u64* counter = nullptr;
  u32 access = no_access;
};

class StallAccount {
 public:
  StallAccount(u32 schedulers, u32 sm, AccessPool& accesses);
  StallAccount(const StallAccount&) = delete;
  StallAccount& operator=(const StallAccount&) = delete;

  TimingStatistics& of(core::Account account) { return accounts_[account]; }
  StallCause idle() { return {&idle_slots_}; }

  /// Charges the cycles before `until` with the causes that held since the last step.
  void charge(Cycle until) {
    if (until <= charged_) return;
    const u64 cycles = until - charged_;
    charged_ = until;
    if (occupied_) active_cycles_ += cycles;
    for (u32 s = 0; s < schedulers_; ++s) *causes_[s].counter += cycles;
  }
  /// A step begins.
  void begin_step() { issued_ = 0; }
  /// The scheduler issues.
  void issues(u32 scheduler) { issued_ |= 1u << scheduler; }
  /// A step is over: charges its cycle. `cause_of(scheduler)` holds from now on; it is asked for where it may have
  /// changed: the scheduler has issued, or `changed()` says so (schedulers, one bit each, since it was called last).
  /// And not when the scheduler has issued and the SM is stepped again in the next cycle.
  /// `causes()` is called where some scheduler needs one, and returns what says which.
  template <class Changed, class Causes>
  void end_step(Cycle now, bool occupied, bool due_at_once, Changed&& changed, Causes&& causes) {
    charged_ = now + 1;
    active_cycles_ += occupied_ || occupied;
    occupied_ = occupied;
    const u32 later = due_at_once ? issued_ : 0;
    if (later != all_) {
      if (u32 left = (unknown_ | issued_ | changed()) & ~later; left) {
        const auto cause_of = causes();
        for (; left; left &= left - 1) {
          const u32 s = static_cast<u32>(std::countr_zero(left));
          causes_[s] = cause_of(s);
        }
      }
    }
    unknown_ = later;
    for (u32 left = all_ & ~issued_; left; left &= left - 1) ++*causes_[std::countr_zero(left)].counter;
  }
  /// Other causes hold, without a step.
  template <class CauseOf>
  void choose_anew(CauseOf&& cause_of) {
    for (u32 s = 0; s < schedulers_; ++s) causes_[s] = cause_of(s);
  }

  /// The access is over: what was lost to it goes on this counter.
  void move(Access&, u32 access, u64& counter, Cycle now);
  /// While this access was held, its warp would have issued in so many slots: they come from those that are lost to
  /// accesses of the SM, else from other lost slots of the launch.
  void issued_meanwhile(Access&, SlotCounts& warps, u64 slots, Cycle now);
  /// So many warps of the launch come to the SM.
  void enter(GridRun&, u32 warps, Cycle now);
  /// A warp leaves it.
  void count_residence(const WarpSlot&, Cycle now);

  /// Of all launches, up to this cycle. What is lost to accesses under way is not served yet, as far as it is known.
  TimingStatistics statistics(Cycle now);
  u64 global_stores() const {
    return accounts_.total([](const TimingStatistics& one) { return one.instructions.global_stores; });
  }
  /// Of one that has ended, up to this cycle.
  template <class CauseOf>
  TimingStatistics take(core::Account account, Cycle now, CauseOf&& cause_of) {
    charge(now);
    TimingStatistics& counts = accounts_[account];
    const auto is_in = [](const SlotCounts& set, const u64* counter) {
      const void *const begin = &set, *const end = &set + 1;
      return counter >= begin && counter < end;
    };
    for (u32 s = 0; s < schedulers_; ++s)  // of a warp that has ended in this cycle
      if (is_in(counts.slots, causes_[s].counter) || is_in(counts.helper_slots, causes_[s].counter))
        causes_[s] = cause_of(s);
    TimingStatistics figures = accounts_.take(account);
    figures.join_slots();
    return figures;
  }
  /// No more will run: what accesses under way cost is counted.
  void settle_accesses();
  /// The same of a warp on the SM.
  void settle(WarpSlot&, Cycle now);
  /// Idle slots are on no account: so many are there, up to this cycle.
  u64 idle_slots(Cycle now) {
    charge(now);
    return idle_slots_;
  }
  /// Every scheduler loses its slots to nobody.
  bool idles() const {
    if (unknown_) return false;
    for (u32 s = 0; s < schedulers_; ++s)
      if (causes_[s].counter != &idle_slots_) return false;
    return true;
  }

 private:
  u32 schedulers_, sm_;
  AccessPool& accesses_;
  core::Accounts<TimingStatistics> accounts_;
  u64 idle_slots_ = 0;
  u64 active_cycles_ = 0;  // of all launches together
  std::array<StallCause, 8> causes_;
  u32 issued_ = 0, all_;  // schedulers, one bit each
  Cycle charged_ = 0;
  bool occupied_ = false;  // it had a warp at the last step
  u32 unknown_ = 0;        // those whose cause nobody has asked for: they lose no slot before the next step
};

}  // namespace ew::simt
