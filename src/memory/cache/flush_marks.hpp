// Which lines on their way home a flush waits for. Each line that leaves is marked with the parity of the flush that it
// belongs to (Request::flush), and the mark comes back with `written`. Owned by the write buffer.
#pragma once

#include <array>

#include "core/types.hpp"

namespace ew::memory {

class FlushMarks {
 public:
  /// Of lines that leave now.
  u8 mark() const { return static_cast<u8>(1 + flushes_ % 2); }
  /// One leaves now (0), or with the mark of one that could not leave. It is counted until arrived().
  u8 take(u8 mark = 0) {
    if (!mark) mark = this->mark();
    ++leaving_[mark - 1u];
    return mark;
  }
  /// The bytes of a line with this mark are in the image. True: the last of a flush whose lines have all left.
  bool arrived(u8 mark) {
    const u32 parity = mark - 1u;
    return --leaving_[parity] == 0 && parity != flushes_ % 2;
  }

  void begin() { under_way_ = true; }
  /// The last line of the flush has left; a new mark begins. True: none of them is on its way.
  bool end_of_lines() {
    ++flushes_;
    return !leaving_[(flushes_ - 1) % 2];
  }
  void end() { under_way_ = false; }
  bool under_way() const { return under_way_; }

 private:
  bool under_way_ = false;
  u32 flushes_ = 0;
  std::array<u32, 2> leaving_{};
};

}  // namespace ew::memory
