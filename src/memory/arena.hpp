// A stretch of reserved host addresses in which one region's allocations live: first fit in address order, freed blocks
// kept apart for a while. Owned by AddressSpace, which holds its lock around every call. Invariant: blocks_ (live and
// quarantined) never overlap, and a gap of at least `guard_bytes` follows each, so that the first bytes past an
// allocation belong to nobody.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "core/types.hpp"
#include "memory/gaps.hpp"

namespace ew::memory {

class Arena {
 public:
  static constexpr u64 guard_bytes = 256;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Reserves `size` bytes at `base`; false when something else stands there. base 0: wherever the host has room.
  bool reserve(u64 base, u64 size);
  /// From now on a block makes the whole pages of so many bytes accessible in which it lies. A multiple of 4096.
  void open_by(u64 bytes) { opened_at_once_ = bytes; }
  /// Gives the addresses back.
  void close();

  /// A place for `size` bytes, made accessible. `zero`: reads as zero even where an earlier allocation stood. 0 when
  /// full.
  u64 allocate(u64 size, u64 alignment, bool zero);
  /// Puts a block into quarantine; it is reused when the quarantine overflows or the arena is full.
  void release(u64 begin);

  /// Takes exactly [begin, begin + size), or the first fit when begin is 0, without making it accessible. 0 when taken.
  u64 take(u64 begin, u64 size);
  void give_back(u64 begin);

  u64 begin() const { return begin_; }
  u64 size() const { return size_; }
  /// End of what has been made accessible, whole pages from begin().
  u64 opened_end() const { return high_water_; }
  bool holds(u64 address) const { return address - begin_ < size_; }

 private:
  using Blocks = std::map<u64, u64>;  // begin -> bytes

  u64 first_fit(u64 size, u64 alignment) const;
  void add(u64 begin, u64 size);
  void remove(Blocks::iterator);
  void set_gap_behind(Blocks::const_iterator);
  void open(u64 begin, u64 size, bool zero);
  void shrink_quarantine(u64 bytes);

  u64 begin_ = 0, size_ = 0, high_water_ = 0, opened_at_once_ = 4096;
  Blocks blocks_;
  Gaps gaps_;  // what is free behind each block and its guard, and at the arena's begin, from multiples of 256 on
  std::deque<std::pair<u64, u64>> quarantine_;
  u64 quarantined_bytes_ = 0;
};

}  // namespace ew::memory
