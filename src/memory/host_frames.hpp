// Frames of the host's own pages (malloc, static variables), which no allocation of the machine names. A page gets its
// frame at its first use, so that address randomisation of the host changes no result.
#pragma once

#include <unordered_map>

#include "core/types.hpp"

namespace ew::memory {

class HostFrames {
 public:
  /// The simulated physical address of this byte.
  u64 physical(u64 address) {
    const u64 page = address / page_bytes;
    if (page != last_page_) {
      const auto [frame, fresh] = frames_.try_emplace(page, next_);
      if (fresh) ++next_;
      last_page_ = page;
      last_frame_ = frame->second;
    }
    return first + last_frame_ * page_bytes + address % page_bytes;
  }

  static constexpr u64 first = u64{1} << 51;  // allocations end far below

 private:
  static constexpr u64 page_bytes = 4096;

  std::unordered_map<u64, u64> frames_;  // by page
  u64 next_ = 0, last_page_ = ~u64{0}, last_frame_ = 0;
};

}  // namespace ew::memory
