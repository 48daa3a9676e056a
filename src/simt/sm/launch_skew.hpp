// How late blocks and warps begin: what every block's start takes (sm_timing.block_start) and, on a machine with a
// seed, some cycles more, a function of the seed, the launch, the block and the warp. Owned by TimingGpu.
#pragma once

#include "core/split_mix.hpp"
#include "simt/block.hpp"

namespace ew::simt {

class LaunchSkew {
 public:
  LaunchSkew(u64 seed, u64 block_start) : seed_(seed), block_start_(block_start) {}
  u64 of_block(const Block& block) const { return block_start_ + (seed_ ? draw(block, 0).below(most_of_block) : 0); }
  u64 of_warp(const Block& block, u32 warp) const { return seed_ ? draw(block, warp + 1).below(most_of_warp) : 0; }

 private:
  static constexpr u32 most_of_warp = 64, most_of_block = 1024;  // cycles

  core::SplitMix64 draw(const Block& block, u64 which) const {
    return core::SplitMix64(core::SplitMix64(seed_ ^ block.grid->id << 40 ^ block.number << 8).next() ^ which);
  }

  u64 seed_, block_start_;
};

}  // namespace ew::simt
