// Do all warps of a timing machine poll values that nobody is left to change? Looked at now and then. Owned by
// StuckWatch, which ends the first launch with the report.
#pragma once

#include <string>

#include "core/time_wheel.hpp"
#include "simt/sm/poll_watch.hpp"

namespace ew::simt {

class Livelock {
 public:
  explicit Livelock(u64 cycles) : cycles_(cycles) {}

  /// One look, at what all warps have done since the last. Empty: they may get on yet; else what is the matter.
  /// `alone`: nothing but warps can change what warps poll. `stores` to global memory and `changes` (PollWatch) are
  /// counts of the whole run.
  std::string look(core::Cycle now, const PollsLook&, bool alone, u64 stores, u64 changes);

 private:
  u64 cycles_;  // for so long they may do nothing else
  core::Cycle spinning_since_ = 0, looping_since_ = 0, looked_at_ = 0;
  u64 stores_before_ = 0, changes_before_ = 0;
};

}  // namespace ew::simt
