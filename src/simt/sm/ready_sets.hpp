// Which warps of an SM could issue now, by the unit that their next instruction needs. One bit a slot. Owned by the
// warp table.
#pragma once

#include <array>
#include <bit>

#include "simt/kernel_timing.hpp"

namespace ew::simt {

class ReadySets {
 public:
  u64 of(Unit unit) const { return sets_[static_cast<u32>(unit)]; }
  u64 all() const { return all_; }
  /// `act(unit, slots)` for each unit that a warp is ready for.
  template <class Do>
  void each(Do&& act) const {
    for (u32 left = units_; left; left &= left - 1) {
      const u32 unit = static_cast<u32>(std::countr_zero(left));
      act(unit, sets_[unit]);
    }
  }
  void add(u32 slot, Unit unit) {
    sets_[static_cast<u32>(unit)] |= u64{1} << slot;
    all_ |= u64{1} << slot;
    units_ |= 1u << static_cast<u32>(unit);
  }
  void remove(u32 slot, Unit unit) {
    keep(static_cast<u32>(unit), ~(u64{1} << slot));
    all_ &= ~(u64{1} << slot);
  }
  /// Those of these slots that were ready.
  u64 remove(u64 slots) {
    const u64 found = all_ & slots;
    all_ &= ~slots;
    for (u32 unit = 0; unit < units; ++unit) keep(unit, ~slots);
    return found;
  }

 private:
  void keep(u32 unit, u64 slots) {
    if (!(sets_[unit] &= slots)) units_ &= ~(1u << unit);
  }

  std::array<u64, units> sets_{};
  u64 all_ = 0;    // the sets together
  u32 units_ = 0;  // whose set is not empty
};

}  // namespace ew::simt
