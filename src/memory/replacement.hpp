// The seam of replacement: which line of a full set makes room. A policy decides; TagArray, which asks it, keeps the
// tags and fills empty ways first. A policy has no clock and no statistics. Policies stand in replacement/, one file
// each, and in the list replacement/policies.inc.
//
// A way is a number; ways of one set follow each other: set * ways + 0, 1, 2 …
#pragma once

#include <bit>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace ew::memory {

/// Ways of a cache, one bit each.
class WaySet {
 public:
  explicit WaySet(u32 ways) : words_((ways + 63) / 64) {}

  bool operator[](u32 way) const { return words_[way / 64] >> way % 64 & 1; }
  void add(u32 way) { words_[way / 64] |= u64{1} << way % 64; }
  void remove(u32 way) { words_[way / 64] &= ~(u64{1} << way % 64); }
  /// Calls `visit` with each, in order. It may remove others.
  template <class Visitor>
  void each(Visitor&& visit) const {
    for (u32 word = 0; word < words_.size(); ++word)
      for (u64 ahead = ~u64{0}; const u64 left = words_[word] & ahead;) {
        ahead = ~((left & -left) * 2 - 1);
        visit(word * 64 + static_cast<u32>(std::countr_zero(left)));
      }
  }

 private:
  std::vector<u64> words_;
};

/// What a set's lines have done decides in that set alone. An emptied set is as a fresh one.
class Replacement {
 public:
  virtual ~Replacement() = default;
  /// A line has come into the way, which was empty.
  virtual void installed(u32 way) = 0;
  /// An access has hit the line.
  virtual void used(u32 way) = 0;
  /// The way is empty.
  virtual void removed(u32 way) = 0;
  /// Of a set without empty ways, the first that should go of those that are not pinned. A second
  /// question has the same answer, but where the policy draws at random. REQUIRES: there is one.
  virtual u32 victim(u32 set, const WaySet& pinned) = 0;
};

struct ReplacementPolicy {
  std::string_view name, sentence;
  /// For so many sets of so many ways.
  std::unique_ptr<Replacement> (*make)(u32 sets, u32 ways);
  // What the contract suite asks of it besides.
  bool spares_new = true;   // of lines that were not used, the one that came last does not go
  bool spares_used = true;  // a line that was just used does not go before lines that never were
  bool learns = false;      // from other sets, or from lines that are gone
};

std::span<const ReplacementPolicy> replacement_policies();
/// nullptr: there is none of that name.
const ReplacementPolicy* replacement_policy(std::string_view name);
std::vector<std::string_view> replacement_names();

}  // namespace ew::memory
