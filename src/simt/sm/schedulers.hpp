// The warp schedulers of an SM. Warp slots are dealt to them in turn. Owned by the SM.
#pragma once

#include <bit>
#include <vector>

#include "simt/sm/scheduler.hpp"
#include "simt/sm/sm_setup.hpp"

namespace ew::simt {

class Schedulers {
 public:
  Schedulers(const SmSetup& setup, u32 sm)
      : remember_(setup.policy.make != nullptr), wide_shared_(setup.config.wide_shared) {
    const u32 count = setup.config.schedulers;
    const AssistLimits& assist = setup.limits.assist;
    const bool apart = assist.warps && assist.priority != AssistPriority::equal;
    const u64 assists = apart ? ~u64{0} << (most_warps - assist.warps) : 0;
    for (u32 s = 0; s < count; ++s) {
      u64 mine = 0;
      for (u32 slot = s; slot < most_warps; slot += count) mine |= u64{1} << slot;
      all_.emplace_back(setup.policy, SchedulerPlace{mine, setup.seed ^ u64{sm} << 32 ^ s}, s,
                        ApartWarps{assists & mine, assist.priority == AssistPriority::high});
    }
    if (std::has_single_bit(count)) folded_ = count;
  }

  u32 size() const { return static_cast<u32>(all_.size()); }
  Scheduler& operator[](u32 scheduler) { return all_[scheduler]; }
  const Scheduler& operator[](u32 scheduler) const { return all_[scheduler]; }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  /// Those to which any of these slots is dealt, one bit each.
  u32 of_slots(u64 slots) const {
    if (!folded_) [[unlikely]] {
      u32 found = 0;
      for (u32 s = 0; s < size(); ++s) found |= u32{(slots & all_[s].mine()) != 0} << s;
      return found;
    }
    slots |= slots >> 32;
    slots |= slots >> 16;
    slots |= slots >> 8;
    for (u32 shift = 4; shift >= folded_; shift /= 2) slots |= slots >> shift;
    return static_cast<u32>(slots) & ((1u << folded_) - 1);
  }

  /// A warp of the scheduler has issued: the unit takes no other instruction before `until`. If it is the others' unit,
  /// too, theirs does not, either. In a cycle the schedulers issue one after another: those behind this one come first,
  /// so that they take turns.
  void has_occupied(u32 scheduler, Unit unit, Cycle until) {
    if (unit != Unit::wide || !wide_shared_) [[likely]]
      return;
    for (u32 s = 0; s < all_.size(); ++s) all_[s].occupy(unit, until + (s <= scheduler));
  }

  /// They will issue soon: they come into the host's caches. Decides nothing.
  void expect() const {
    const char* const begin = reinterpret_cast<const char*>(all_.data());
    for (u32 at = 0; at < all_.size() * sizeof(Scheduler); at += 64) core::prefetch(begin + at);
  }

  // What happens to a warp, for schedulers that remember.
  void arrived(u32 slot) {
    if (remember_) of(slot).state()->arrived(slot);
  }
  void ended(u32 slot) {
    if (remember_) of(slot).state()->ended(slot);
  }
  void waits_for_memory(u32 slot) {
    if (remember_) [[unlikely]]
      of(slot).state()->waits_for_memory(slot);
  }

 private:
  Scheduler& of(u32 slot) { return all_[slot % all_.size()]; }

  bool remember_, wide_shared_;
  u32 folded_ = 0;  // their number where it is a power of two, else 0
  std::vector<Scheduler> all_;
};

}  // namespace ew::simt
