// Warps that wait for a cycle. Near cycles are a ring of sets, one bit a slot; a farther one is an event of the
// machine's clock. Owned by the warp table.
#pragma once

#include <array>
#include <bit>

#include "core/time_wheel.hpp"

namespace ew::simt {

class WakeCalendar {
 public:
  static constexpr u32 days = 64;

  /// The warp waits for a cycle, which is entered here or is an event's. `look`: it must be looked at then.
  void waits(u32 slot, bool look) {
    waiting_ |= u64{1} << slot;
    look_ = (look_ & ~(u64{1} << slot)) | u64{look} << slot;
  }
  bool waiting(u32 slot) const { return waiting_ >> slot & 1; }
  /// Their cycle has come. Those that must be looked at.
  u64 over(u64 slots) {
    waiting_ &= ~slots;
    return look_ & slots;
  }
  /// Those of these warps that wait must be looked at, too.
  void look_at(u64 slots) { look_ |= slots; }

  /// REQUIRES: now < when < now + days.
  void enter(u32 slot, core::Cycle when) {
    sets_[when % days] |= u64{1} << slot;
    in_use_ |= u64{1} << when % days;
  }
  /// The warps that wait for this cycle. They are taken out.
  u64 take(core::Cycle now) {
    const u32 day = now % days;
    if (!(in_use_ >> day & 1)) return 0;
    in_use_ &= ~(u64{1} << day);
    const u64 slots = sets_[day];
    sets_[day] = 0;
    return slots;
  }
  /// The first cycle behind `now` that a warp waits for, or never.
  core::Cycle next(core::Cycle now) const {
    if (!in_use_) return core::never;
    return now + 1 + static_cast<u32>(std::countr_zero(std::rotr(in_use_, static_cast<int>((now + 1) % days))));
  }
  void remove(u64 slots) {
    for (u64& set : sets_) set &= ~slots;
    waiting_ &= ~slots;
  }

 private:
  std::array<u64, days> sets_{};
  u64 in_use_ = 0;              // days
  u64 waiting_ = 0, look_ = 0;  // warps
};

}  // namespace ew::simt
