// Which cores of the host have a line in their own caches (a snoop filter). As large as those caches together, so it
// never lacks room. Owned by TracedCores.
#pragma once

#include <bit>
#include <cassert>
#include <vector>

#include "core/types.hpp"

namespace ew::host {

class Sharers {
 public:
  static constexpr u32 most_cores = 64;

  /// For so many lines of all caches together.
  explicit Sharers(u64 lines) : slots_(std::bit_ceil(2 * lines)), shift_(64 - std::countr_zero(slots_.size())) {}

  /// A bit for each core.
  u64 of(u64 key) const { return slots_[find(key)].cores; }
  void add(u64 key, u32 core) {
    Slot& slot = slots_[find(key)];
    slot.key = key;
    slot.cores |= u64{1} << core;
  }
  /// REQUIRES: the core has the line.
  void remove(u64 key, u32 core) {
    u64 at = find(key);
    assert(slots_[at].cores >> core & 1);
    slots_[at].cores &= ~(u64{1} << core);
    if (slots_[at].cores) return;
    // Those behind it that stand where they do because this slot was taken move up.
    for (u64 next = at;;) {
      next = (next + 1) & mask();
      if (!slots_[next].cores) break;
      const u64 home = home_of(slots_[next].key);
      if (((next - home) & mask()) < ((next - at) & mask())) continue;
      slots_[at] = slots_[next];
      at = next;
    }
    slots_[at] = {};
  }

 private:
  struct Slot {
    u64 key = 0, cores = 0;  // no core: the slot is empty
  };
  u64 mask() const { return slots_.size() - 1; }
  u64 home_of(u64 key) const { return key * 0x9e37'79b9'7f4a'7c15 >> shift_; }
  /// The key's slot, or the empty one where it goes.
  u64 find(u64 key) const {
    u64 at = home_of(key);
    while (slots_[at].cores && slots_[at].key != key) at = (at + 1) & mask();
    return at;
  }

  std::vector<Slot> slots_;
  const u32 shift_;
};

}  // namespace ew::host
