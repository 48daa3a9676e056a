// Tags of an SM's constant cache, least recently used out. Constants do not change while a kernel runs, so no values.
#pragma once

#include <algorithm>
#include <vector>

#include "core/types.hpp"

namespace ew::simt {

class ConstantCache {
 public:
  ConstantCache(u64 bytes, u32 line, u32 ways)
      : line_(line), ways_(ways), sets_(std::max<u64>(1, bytes / line / ways)), tags_(sets_ * ways, ~u64{0}) {}

  u32 line() const { return line_; }
  /// True: it was there. Now it is.
  bool look_up(u64 address) {
    const u64 tag = address / line_;
    const auto first = tags_.begin() + static_cast<std::ptrdiff_t>(tag % sets_ * ways_);
    const auto found = std::find(first, first + ways_, tag);
    const bool hit = found != first + ways_;
    std::rotate(first, hit ? found : first + ways_ - 1, (hit ? found : first + ways_ - 1) + 1);
    *first = tag;
    return hit;
  }
  /// A kernel begins: the host may have written constants.
  void clear() { std::fill(tags_.begin(), tags_.end(), ~u64{0}); }

 private:
  u32 line_, ways_;
  u64 sets_;
  std::vector<u64> tags_;
};

}  // namespace ew::simt
