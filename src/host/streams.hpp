// The prefetcher of a core of the host: finds lines that are used in order, and says which ones come next. A stream
// begins at a line that was missed, and is known at the next line behind it. It runs so many lines ahead, within a page
// of 4 KiB. Owned by TracedCore.
#pragma once

#include <algorithm>
#include <array>

#include "host/work.hpp"

namespace ew::host {

class Streams {
 public:
  explicit Streams(u32 ahead) : ahead_(ahead) {}

  /// The line is used. Answers the lines [begin, end) that should be fetched now; none: both are 0.
  struct Stretch {
    u64 begin = 0, end = 0;
  };
  Stretch use(u64 line, bool missed) {
    const u64 page_end = (line & ~(page_bytes - 1)) + page_bytes;
    for (One& one : streams_) {
      if (one.next != line) continue;
      one.next = line + host_line;
      const u64 end = std::min(page_end, line + (1 + ahead_) * host_line),
                begin = std::max(one.fetched, line + host_line);
      one.fetched = std::max(one.fetched, end);
      return begin < end ? Stretch{begin, end} : Stretch{};
    }
    if (missed && ahead_ != 0) {
      streams_[oldest_] = {line + host_line, 0};
      oldest_ = (oldest_ + 1) % streams_.size();
    }
    return {};
  }

 private:
  static constexpr u64 page_bytes = 4096;
  struct One {
    u64 next = 1;     // the line that would go on with it; no line ends in a 1
    u64 fetched = 0;  // up to here
  };

  const u64 ahead_;
  std::array<One, 32> streams_;  // a choice: Intel's manual tells of one forward or backward stream a page, 32 of them
  u32 oldest_ = 0;
};

}  // namespace ew::host
