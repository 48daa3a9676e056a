// What the SMs note together about warps that poll: the words that they contend for, and whether anything but polling
// happens. Owned by TimingGpu, which looks now and then (livelock.hpp); told by the SMs.
#pragma once

#include <utility>

#include "simt/contention.hpp"

namespace ew::simt {

class PollWatch {
 public:
  ContestedWords contested;

  /// A warp has ended, or has another state at a poll than before.
  void changed(bool has = true) { changes_ += has; }
  u64 changes() const { return changes_; }
  /// A warp has accessed memory that the host may change at any time.
  void met_host(bool has) { met_host_ |= has; }
  bool has_met_host() const { return met_host_; }
  bool take_met_host() { return std::exchange(met_host_, false); }

 private:
  u64 changes_ = 0;
  bool met_host_ = false;
};

}  // namespace ew::simt
