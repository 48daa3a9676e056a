// The tags of a cache: which way holds which line, and which was used last. Owned by a private cache or a home, which
// keep what they know of a line in arrays of their own, by way.
//
// A way is a number from 0 to lines - 1; ways of one set follow each other. The order of use is a list a set, so that a
// hit and the choice of a victim cost the same in a cache of any associativity; a set of more than 16 ways has an index
// from line to way (open addressing). Sets are chosen by simulated physical address, so that host addresses decide
// nothing.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace ew::memory {

inline constexpr u32 no_way = ~u32{0};
inline constexpr u64 no_line = ~u64{0};

class TagArray {
 public:
  /// ways 0: fully associative. `hashed`: sets are chosen by a hash of the address, else by its low bits.
  /// REQUIRES: bytes is a multiple of line * ways.
  TagArray(u64 bytes, u32 line_bytes, u32 ways, bool hashed);

  u32 lines() const { return static_cast<u32>(tags_.size()); }
  u32 find(u64 line, u64 physical) const {
    if (!index_.empty()) return find_in_index(line);
    const u32 first = set_of(physical) * ways_;
    for (u32 way = first; way < first + ways_; ++way)
      if (tags_[way] == line) return way;
    return no_way;
  }
  u64 line_of(u32 way) const { return tags_[way]; }

  /// The way of the line's set that was not used for longest and is not pinned; empty ways first. no_way: all are
  /// pinned.
  template <class Pinned>
  u32 victim(u64 physical, Pinned&& pinned) const {
    for (u32 way = sets_[set_of(physical)].last; way != no_way; way = order_[way].before)
      if (!pinned(way)) return way;
    return no_way;
  }
  template <class Visitor>
  void each_of_set(u64 physical, Visitor&& visit) const {
    const u32 first = set_of(physical) * ways_;
    for (u32 way = first; way < first + ways_; ++way) visit(way);
  }

  /// REQUIRES: the way is empty.
  void install(u32 way, u64 line);
  void remove(u32 way);
  void used(u32 way) {
    if (sets_[way / ways_].first != way) move(way, true);
  }
  /// Next to be evicted.
  void used_last(u32 way) { move(way, false); }

 private:
  struct Order {
    u32 before = no_way, behind = no_way;  // used more, less recently
  };
  struct Set {
    u32 first, last;
  };
  u32 set_of(u64 physical) const {
    u64 number = physical >> line_shift_;
    if (hashed_) {
      number *= 0x9e37'79b9'7f4a'7c15;
      number ^= number >> 32;
    }
    return static_cast<u32>(set_mask_ != no_mask ? number & set_mask_ : number % sets_.size());
  }
  u32 find_in_index(u64 line) const;
  u64 slot_of(u64 line) const { return line * 0x9e37'79b9'7f4a'7c15 >> index_shift_; }
  void move(u32 way, bool to_front);
  void forget(u64 line);

  static constexpr u64 no_mask = ~u64{0};
  u32 ways_, line_shift_, index_shift_ = 0;
  bool hashed_;
  u64 set_mask_ = no_mask;
  std::vector<u64> tags_;
  std::vector<Order> order_;
  std::vector<Set> sets_;
  std::vector<u32> index_;  // ways; empty when sets are scanned
};

}  // namespace ew::memory
