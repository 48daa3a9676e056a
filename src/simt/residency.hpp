// Launches in flight and where their blocks and warps live: grids in order of start, the SMs with what is taken of
// each, blocks placed in order within the limits, storage of warps and blocks used again. Owned by a Gpu, which decides
// who runs when and owns the clock.
#pragma once

#include <memory>
#include <vector>

#include "simt/block.hpp"
#include "simt/occupancy.hpp"

namespace ew::simt {

class Residency {
 public:
  /// Both outlive it. `whole_blocks`: all warps of a block begin soon behind place_next(), else each when it is its
  /// turn; Counters::max_resident_bytes counts them so.
  Residency(const GpuLimits&, memory::AddressSpace&, bool whole_blocks);

  /// A grid of which no block is placed yet: thread ids, access plans, parameters and grid barrier are there.
  Grid& start(Launch, u64 now_ns, u64 cycle);
  /// Places the next block where there is room; nullptr: none waits, or none fits now. Blocks go out in order, grid
  /// after grid; a later grid gets the room that earlier ones have no more blocks for; a cooperative grid waits until
  /// all of it fits. The block is the last one of block->sm->blocks; its warps have not begun.
  Block* place_next();

  /// Gives a warp its storage; the first of a block gets the block its shared memory. REQUIRES: bit `index` of
  /// block.unfinished, and no warp there. Index Grid::warps: the block's assist warp.
  Warp& begin_warp(Block&, u32 index);
  /// All lanes have exited, and nothing of the warp is under way.
  void end_warp(Block&, u32 index);
  /// Takes a block off its SM. The caller looks at grid.unfinished: 0 means complete().
  void end_block(Sm&, u32 slot);
  void end_block(Block&);
  /// The grid's Completion can be taken; the grid is gone.
  void complete(Grid&, u64 now_ns);
  /// The same, after its blocks have been taken off.
  void fail(Grid&, Fault, u64 now_ns);

  std::vector<Sm>& sms() { return sms_; }
  const std::vector<Sm>& sms() const { return sms_; }
  /// In order of start.
  const std::vector<std::unique_ptr<Grid>>& grids() const { return grids_; }
  bool any_completion() const { return !completions_.empty(); }
  std::vector<Completion> take_completions();
  /// Of completed grids.
  const Counters& totals() const { return totals_; }
  /// And of those that run.
  Counters so_far() const;

 private:
  std::unique_ptr<Grid> make_grid();
  bool has_room(const Sm&, const BlockNeeds&) const;
  Sm* sm_with_room(const BlockNeeds&);
  bool all_fit(const Grid&, const BlockNeeds&) const;
  Block& place(Grid&, Sm&);
  void begin_assist(Warp&, Block&);
  void count_bytes(Grid&, u64 more);

  const GpuLimits& limits_;
  memory::AddressSpace& space_;
  std::vector<Sm> sms_;
  std::vector<std::unique_ptr<Grid>> grids_;  // in order of start: their ids rise
  std::size_t placed_ = 0;                    // all blocks of so many first ones have been placed
  std::vector<std::unique_ptr<Grid>> spare_grids_;
  u32 next_sm_ = 0;                             // where the next block goes if there is room
  std::vector<std::unique_ptr<Warp[]>> warps_;  // many at once
  std::vector<Warp*> free_warps_;
  std::vector<std::unique_ptr<Block>> free_blocks_;
  const bool whole_blocks_;
  u64 resident_bytes_ = 0;
  LaunchId next_id_ = 1;
  std::vector<Completion> completions_;
  Counters totals_;
};

}  // namespace ew::simt
