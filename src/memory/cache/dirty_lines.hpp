// A list of dirty lines of a private cache, oldest first, through their own entries of the line store. A line may leave
// by itself when it has been there for so long. Owned by the write buffer.
#pragma once

#include "memory/cache/line_store.hpp"

namespace ew::memory {

class DirtyLines {
 public:
  explicit DirtyLines(LineStore& lines) : lines_(lines) {}

  u32 leave_after = 0;       // cycles; 0: they do not leave by themselves
  bool timer_armed = false;  // for the oldest

  /// no_number: there is none.
  u32 oldest() const { return oldest_; }
  u32 count() const { return count_; }
  /// REQUIRES: the line is in no list.
  void append(u32 way) {
    CacheLine& line = lines_[way];
    line.listed = true;
    line.older = youngest_;
    line.younger = no_number;
    (youngest_ == no_number ? oldest_ : lines_[youngest_].younger) = way;
    youngest_ = way;
    ++count_;
  }
  /// REQUIRES: the line is in this list.
  void leave(u32 way) {
    CacheLine& line = lines_[way];
    (line.older == no_number ? oldest_ : lines_[line.older].younger) = line.younger;
    (line.younger == no_number ? youngest_ : lines_[line.younger].older) = line.older;
    line.older = line.younger = no_number;
    line.listed = false;
    --count_;
  }

 private:
  LineStore& lines_;
  u32 oldest_ = no_number, youngest_ = no_number, count_ = 0;
};

}  // namespace ew::memory
