// The tracks of a timeline that spans of unknown number share: each takes the lowest one that is free.
#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "core/types.hpp"

namespace ew::runtime {

class FreeTracks {
 public:
  u32 take() {
    if (free_.empty()) return used_++;
    const u32 track = free_.top();
    free_.pop();
    return track;
  }
  void give_back(u32 track) { free_.push(track); }

 private:
  std::priority_queue<u32, std::vector<u32>, std::greater<>> free_;
  u32 used_ = 0;
};

}  // namespace ew::runtime
