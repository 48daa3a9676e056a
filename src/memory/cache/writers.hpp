// Which warps have written the dirty lines of a private cache, for releases that drain one warp's stores
// (Consistency::drained). Owned by the write buffer. A warp that has written nothing but words on their way may be
// noted too: its release then drains the line, although it need not.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace ew::memory {

class Writers {
 public:
  /// Without it nothing is noted.
  void begin(u32 lines) {
    warps_.resize(lines);
    on_ = true;
  }

  /// The line's dirty bytes have left.
  void forget(u32 way) {
    if (on_) [[unlikely]]
      warps_[way] = 0;
  }
  void wrote(u32 way, u32 warp) {
    if (on_) [[unlikely]]
      warps_[way] |= u64{1} << warp;
  }
  /// REQUIRES: begin().
  bool has(u32 way, u32 warp) const { return warps_[way] >> warp & 1; }

 private:
  std::vector<u64> warps_;  // of each line, one bit each
  bool on_ = false;
};

}  // namespace ew::memory
