// Which warps of an SM could issue now, and which unit each warp's next instruction needs. One bit a slot. Owned by the
// warp table.
#pragma once

#include <array>
#include <bit>

#include "simt/kernel_timing.hpp"

namespace ew::simt {

class ReadySets {
 public:
  u64 of(Unit unit) const { return all_ & needing(unit); }
  u64 all() const { return all_; }
  /// Ready or not.
  u64 needing(Unit unit) const { return needing_[static_cast<u32>(unit)]; }
  /// The warp's next instruction needs this unit.
  void needs(u32 slot, Unit unit) {
    Unit& now = unit_[slot];
    if (now == unit) return;
    needing_[static_cast<u32>(now)] &= ~(u64{1} << slot);
    needing_[static_cast<u32>(unit)] |= u64{1} << slot;
    now = unit;
  }
  void add(u64 slots) { all_ |= slots; }
  /// Those of these slots that were ready.
  u64 remove(u64 slots) {
    const u64 found = all_ & slots;
    all_ &= ~slots;
    return found;
  }

 private:
  u64 all_ = 0;
  std::array<u64, units> needing_{~u64{0}};  // Unit::none at first
  std::array<Unit, most_warps> unit_{};
};

}  // namespace ew::simt
