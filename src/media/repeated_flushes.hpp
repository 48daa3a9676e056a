// How long a core's flush of a line waits that it has just flushed. The line is durable in the memory controller at
// once, but Optane takes it again only when the write before has left the controller. Owned by the device.
#pragma once

#include "media/line_times.hpp"

namespace ew::media {

class RepeatedFlushes {
 public:
  /// `interval`: cycles from one flush of a line to the next that goes on. 0: none waits.
  explicit RepeatedFlushes(core::Cycle interval) : interval_(interval) {}

  /// A flush of line `number` arrives, and may go on in the cycle that is returned.
  core::Cycle turn_of(u64 number, core::Cycle now) {
    if (interval_ == 0) return now;
    core::Cycle& busy_until = lines_.of(number);
    const core::Cycle turn = std::max(busy_until, now);
    busy_until = turn + interval_;
    return turn;
  }

 private:
  const core::Cycle interval_;
  LineTimes lines_;
};

}  // namespace ew::media
