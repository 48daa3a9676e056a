// A time for each of the lines that a host has written last: up to when a line is busy. It remembers 1,024 lines. A new
// line takes the place of the one of its set whose time is the least. A value of its owner.
#pragma once

#include <algorithm>
#include <array>

#include "core/time_wheel.hpp"
#include "core/types.hpp"

namespace ew::media {

class LineTimes {
 public:
  /// The time of line `number`, to read and to set; 0 if it is not known. Good until the next call.
  core::Cycle& of(u64 number) {
    // Threads often have lines that are a power of two apart.
    std::array<Line, ways>& set = lines_[(number ^ number >> 8 ^ number >> 16) % sets];
    for (Line& line : set)
      if (line.number == number) return line.busy_until;
    Line& taken = *std::ranges::min_element(set, {}, &Line::busy_until);
    taken = {number, 0};
    return taken.busy_until;
  }

 private:
  struct Line {
    u64 number;
    core::Cycle busy_until;
  };
  static constexpr u32 sets = 256, ways = 4;

  std::array<std::array<Line, ways>, sets> lines_{};  // as if line 0 had been written at cycle 0
};

}  // namespace ew::media
