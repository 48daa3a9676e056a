// When does this SM do something by itself next? Owned by the SM; its controllers set it earlier. The SM's bit in the
// array of SMs is set while it is due at all.
#pragma once

#include <algorithm>

#include "core/time_wheel.hpp"

namespace ew::simt {

class Alarm {
 public:
  Alarm(const core::TimeWheel& wheel, u64& active, u32 sm) : wheel_(wheel), active_(active), mine_(u64{1} << sm % 64) {}

  core::Cycle due() const { return due_; }
  /// The SM has been stepped: it knows.
  void set(core::Cycle due) { due_ = due; }
  /// At this cycle, if not earlier.
  void wake(core::Cycle when) {
    due_ = std::min(due_, when);
    active_ |= mine_;
  }
  void wake_now() { wake(wheel_.now()); }

 private:
  const core::TimeWheel& wheel_;
  u64& active_;
  u64 mine_;
  core::Cycle due_ = core::never;
};

}  // namespace ew::simt
