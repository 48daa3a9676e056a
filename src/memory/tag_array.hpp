// The tags of a cache: which way holds which line. Owned by a private cache or a home, which keep what they know of a
// line in arrays of their own, by way. Which line of a full set goes is a replacement policy's decision.
//
// A way is a number from 0 to lines - 1; ways of one set follow each other. A hit costs the same in a cache of any
// associativity: a set of more than 16 ways has an index from line to way (open addressing). Sets are chosen by
// simulated physical address, so that host addresses decide nothing.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/host_caches.hpp"
#include "core/types.hpp"
#include "memory/replacement.hpp"

namespace ew::memory {

inline constexpr u32 no_way = ~u32{0};
inline constexpr u64 no_line = ~u64{0};
inline constexpr u32 no_number = ~u32{0};  // of an MSHR, a waiting request, an entry of a list: there is none

class TagArray {
 public:
  struct Shape {
    u64 bytes;
    u32 line_bytes;
    u32 ways;         // 0: fully associative
    bool hashed;      // sets are chosen by a hash of the address, else by its low bits
    u32 stretch = 1;  // so many lines that follow each other lie in as many sets that do
  };
  /// REQUIRES: bytes is a multiple of line * ways; the stretch is a power of two that divides the sets; there is a
  /// policy of that name.
  explicit TagArray(const Shape&, std::string_view replacement = "lru");

  u32 lines() const { return static_cast<u32>(tags_.size()); }
  u32 find(u64 line, u64 physical) const {
    if (!index_.empty()) return find_in_index(line);
    const u32 first = set_of(physical) * ways_;
    for (u32 way = first; way < first + ways_; ++way)
      if (tags_[way] == line) return way;
    return no_way;
  }
  // Decide nothing. The line will be looked for soon: where find() begins comes into the host's caches.
  void expect(u64 line, u64 physical) const {
    if (!index_.empty()) return expect_in_index(line);
    const u64* const first = &tags_[set_of(physical) * ways_];
    core::prefetch(first);
    core::prefetch(first + ways_ / 2);
  }
  void expect_in_index(u64 line) const {
    if (!index_.empty()) core::prefetch(&index_[hash_of(line) >> index_shift_]);
  }
  void expect_way(u32 way) const { core::prefetch(&tags_[way]); }
  u64 line_of(u32 way) const { return tags_[way]; }

  /// An empty way of the line's set, or the way whose line goes: the policy's choice of those that are not pinned.
  /// no_way: all are pinned.
  u32 victim(u64 physical) const {
    const u32 set = set_of(physical);
    if (empty_[set] != no_way) return empty_[set];
    return pinned_of_[set] == ways_ ? no_way : policy_->victim(set, pinned_);
  }
  /// The way's line stays. REQUIRES: the way is not pinned.
  void pin(u32 way) {
    pinned_.add(way);
    ++pinned_of_[way / ways_];
  }
  /// REQUIRES: it is pinned.
  void unpin(u32 way) {
    pinned_.remove(way);
    --pinned_of_[way / ways_];
  }
  template <class Visitor>
  void each_of_set(u64 physical, Visitor&& visit) const {
    const u32 first = set_of(physical) * ways_;
    for (u32 way = first; way < first + ways_; ++way) visit(way);
  }

  /// Calls `visit` with each way that has a line, in order. It may remove lines.
  template <class Visitor>
  void each_line(Visitor&& visit) const {
    filled_.each(visit);
  }

  /// REQUIRES: the way is what victim() answers for this line, and empty.
  void install(u32 way, u64 line);
  void remove(u32 way);
  void used(u32 way) { policy_->used(way); }

 private:
  u32 set_of(u64 physical) const {
    u64 number = physical >> line_shift_;
    if (hashed_) {
      const u64 within = number & ((u64{1} << stretch_shift_) - 1);
      number = (number >> stretch_shift_) * 0x9e37'79b9'7f4a'7c15;
      number = (number ^ number >> 32) << stretch_shift_ | within;
    }
    return static_cast<u32>(set_mask_ ? number & set_mask_ : number % empty_.size());
  }
  u32 find_in_index(u64 line) const;
  /// Where a search begins, and what tells most lines apart without a look at their tags.
  struct Entry {
    u32 way = no_way;
    u32 hash = 0;
  };
  static u32 hash_of(u64 line) { return static_cast<u32>(line * 0x9e37'79b9'7f4a'7c15 >> 32); }
  void forget(u32 way);

  u32 ways_, line_shift_, stretch_shift_, index_shift_ = 0;
  bool hashed_;
  u64 set_mask_ = 0;  // of a power of two of sets, but one
  std::vector<u64> tags_;
  std::unique_ptr<Replacement> policy_;
  std::vector<u32> empty_, next_empty_;  // of a set; behind an empty way: the one that became empty last comes first
  WaySet filled_, pinned_;
  std::vector<u32> pinned_of_;  // so many of a set
  std::vector<Entry> index_;    // empty when sets are scanned
};

}  // namespace ew::memory
