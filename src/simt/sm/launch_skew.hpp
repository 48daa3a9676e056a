// How late blocks and warps begin on a machine with a seed: a skew of some cycles, drawn in the order in which they are
// placed. Without a seed there is none. Owned by TimingGpu.
#pragma once

#include <random>

#include "core/types.hpp"

namespace ew::simt {

class LaunchSkew {
 public:
  explicit LaunchSkew(u64 seed) : on_(seed != 0), random_(seed) {}
  u64 of_block() { return on_ ? random_() % most_of_block : 0; }
  u64 of_warp() { return on_ ? random_() % most_of_warp : 0; }

 private:
  static constexpr u32 most_of_warp = 64, most_of_block = 1024;  // cycles
  bool on_;
  std::mt19937_64 random_;
};

}  // namespace ew::simt
