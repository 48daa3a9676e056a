// Warps that the persistency model holds: because of an access, or at an order operation. One bit a slot. Owned by the
// SM.
#pragma once

#include <array>
#include <utility>

#include "memory/cache/private_cache.hpp"
#include "memory/persistency.hpp"

namespace ew::simt {

class HeldWarps {
 public:
  /// They issue nothing.
  u64 at_accesses() const { return at_accesses_; }
  u64 at_order() const { return at_order_; }
  u64 at_accesses(memory::Stall why) const { return by_[index_of(why)]; }

  /// Has any of this changed since the last call?
  bool take_changed() { return std::exchange(changed_, false); }

  /// True: it has not been held before.
  bool hold(u32 slot, memory::Stall why) {
    changed_ = true;
    const u64 warp = u64{1} << slot;
    by_[index_of(why)] |= warp;
    if (at_accesses_ & warp) return false;
    at_accesses_ |= warp;
    return true;
  }
  void hold_at_order(u64 warps) {
    changed_ = true;
    at_order_ |= warps;
  }
  void resume_at_order(u64 warps) {
    changed_ = true;
    at_order_ &= ~warps;
  }
  void resume_at_accesses(u64 warps) {
    changed_ = true;
    at_accesses_ &= ~warps;
    for (u64& by : by_) by &= ~warps;
  }

 private:
  static u32 index_of(memory::Stall why) {
    return static_cast<u32>(why) - static_cast<u32>(memory::Stall::persist_buffer);
  }

  bool changed_ = false;
  u64 at_accesses_ = 0, at_order_ = 0;
  std::array<u64, memory::stalls - static_cast<u32>(memory::Stall::persist_buffer)> by_{};
};

}  // namespace ew::simt
