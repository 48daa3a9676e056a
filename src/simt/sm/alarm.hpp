// When does this SM do something by itself next? Owned by the SM; its controllers set it earlier.
#pragma once

#include <algorithm>

#include "core/inbox.hpp"

namespace ew::simt {

class Alarm {
 public:
  explicit Alarm(core::Partition& partition) : partition_(partition) {}

  core::Cycle due() const { return due_; }
  /// The SM has been stepped: it knows.
  void set(core::Cycle due) { due_ = due; }
  /// At this cycle, if not earlier.
  void wake(core::Cycle when) {
    due_ = std::min(due_, when);
    partition_.due.sooner(when);
  }
  void wake_now() { wake(partition_.wheel.now()); }

 private:
  core::Partition& partition_;
  core::Cycle due_ = core::never;
};

}  // namespace ew::simt
