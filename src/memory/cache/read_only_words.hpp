// Words of a private cache that an acquire does not drop, because they were loaded as read-only
// (AgentPolicy::keeps_read_only). Owned by the line store.
//
// Each begin of a kernel ends the time of words that a kernel may only read (ld.nc); each copy, or the host's own
// store, that of words which the program has declared to be read-only (everwarp::read_only). Both are counted; a line's
// words count when they are of the present.
#pragma once

#include <vector>

#include "memory/agent.hpp"

namespace ew::memory {

class ReadOnlyWords {
 public:
  /// Without it no words are kept.
  void begin(u32 lines) {
    lines_.resize(lines);
    on_ = true;
  }

  WordMask words(u32 way) const {
    if (!on_) [[likely]]
      return 0;
    const Line& line = lines_[way];
    return (line.kernel == kernel_ ? line.of_kernel : 0) | (line.copy == copy_ ? line.declared : 0);
  }
  /// A read-only load reads these words of the line. What it promises holds whatever becomes of this copy.
  void keep(u32 way, const LineAccess& a) {
    if (!on_) return;
    Line& line = lines_[way];
    if (line.kernel != kernel_) line.of_kernel = 0, line.kernel = kernel_;
    if (line.copy != copy_) line.declared = 0, line.copy = copy_;
    (a.declared ? line.declared : line.of_kernel) |= a.words;
  }
  /// Another line stands there now.
  void forget(u32 way) {
    if (on_) [[unlikely]]
      lines_[way] = {};
  }
  /// What the last kernel might only read may be written now. An acquire follows.
  void kernel_begins() { ++kernel_; }
  /// The same for what was declared.
  void memory_changes() { ++copy_; }

 private:
  struct Line {
    WordMask of_kernel = 0, declared = 0;
    u32 kernel = 0, copy = 0;
  };
  std::vector<Line> lines_;
  u32 kernel_ = 0, copy_ = 0;
  bool on_ = false;
};

}  // namespace ew::memory
