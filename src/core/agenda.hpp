// When each part of a machine has something to do next. A part that has nothing to do is not looked at, so a look costs
// what the busy parts cost, however many there are. Owned by whoever runs the parts in turn.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "core/time_wheel.hpp"

namespace ew::core {

class Agenda {
 public:
  explicit Agenda(u32 parts) : due_(parts, never), busy_((parts + 63) / 64) {}

  /// A part's own line. REQUIRES: the agenda stays where it is.
  class Line {
   public:
    Line(Agenda& agenda, u32 part)
        : due_(&agenda.due_[part]), busy_(&agenda.busy_[part / 64]), bit_(u64{1} << part % 64) {}
    /// At this cycle, if not earlier.
    void sooner(Cycle when) {
      if (when >= *due_) return;
      *due_ = when;
      *busy_ |= bit_;
    }
    /// At this cycle, or `never`.
    void set(Cycle when) {
      *due_ = when;
      *busy_ = when == never ? *busy_ & ~bit_ : *busy_ | bit_;
    }

   private:
    Cycle* due_;
    u64* busy_;
    u64 bit_;
  };

  /// The first cycle in which any part has something to do, or `never`.
  Cycle next() const {
    Cycle first = never;
    for (u32 word = 0; word < busy_.size(); ++word)
      for (u64 left = busy_[word]; left; left &= left - 1) first = std::min(first, due_[part_of(word, left)]);
    return first;
  }
  Cycle due(u32 part) const { return due_[part]; }
  /// Calls `run` with each part that has something to do before `end`, in their order. `run` sets the part's line; it
  /// may bring others forward.
  template <class Run>
  void each_before(Cycle end, Run&& run) {
    for (u32 word = 0; word < busy_.size(); ++word)
      for (u64 ahead = ~u64{0}; const u64 left = busy_[word] & ahead;) {
        ahead = ~((left & -left) * 2 - 1);
        if (const u32 part = part_of(word, left); due_[part] < end) run(part);
      }
  }

 private:
  static u32 part_of(u32 word, u64 bits) { return word * 64 + static_cast<u32>(std::countr_zero(bits)); }

  std::vector<Cycle> due_;  // by part
  std::vector<u64> busy_;   // a bit a part: it is due at some time
};

}  // namespace ew::core
