// The bars that a timeline shows: who was busy with what, from when to when. Kept without a timeline, too: two bars of
// one track that overlap say that a part of the machine did two things at a time that it can only do in turn, or that a
// time is wrong. Owned by MachineTimeline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace ew::runtime {

class Bars {
 public:
  /// Times in simulated nanoseconds. Bars of one track are told in the order of their ends.
  void add(u32 group, u32 track, u64 begin, u64 end, std::string_view what);
  /// What is wrong with the first bar of which something is; empty: nothing with any.
  const std::string& mistake() const { return mistake_; }

 private:
  std::vector<std::vector<u64>> ends_;  // of the last bar, by group and track
  std::string mistake_;
};

}  // namespace ew::runtime
