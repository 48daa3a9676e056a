// Warps that the Executor has nothing to run for: all their lanes stand at a barrier, sleep, or wait for others of
// their warp. Who lets them go, and is a block in a deadlock? Owned by the SM.
#pragma once

#include <vector>

#include "simt/executor.hpp"
#include "simt/sm/endings.hpp"
#include "simt/sm/warp_table.hpp"

namespace ew::simt {

class ParkedWarps {
 public:
  ParkedWarps(u32 blocks, const SmTimingConfig& config, WarpTable& table, Executor& executor, core::TimeWheel& wheel,
              Alarm& alarm, Endings& endings);
  ParkedWarps(const ParkedWarps&) = delete;
  ParkedWarps& operator=(const ParkedWarps&) = delete;

  /// A place for the block, which is on the SM from now on. REQUIRES: there is one.
  ResidentBlock& enter(Block&, GridRun&);
  /// REQUIRES: the block is on the SM.
  ResidentBlock& of(const Block&);
  std::vector<ResidentBlock>& blocks() { return blocks_; }

  void park(u32 slot);
  /// The warp has issued a barrier. Its block's barriers take the arrival, if it was one, when they have taken those
  /// before it.
  void arrive(u32 slot, bool waits, Cycle now);
  /// An instruction of one of its warps has let others of the block go.
  void wake(ResidentBlock& block, Cycle now) {
    if (block.block->ready & block.parked) [[unlikely]]
      wake_over_barrier(block, now);
  }
  /// Others have: its warps whose bit in Block::ready is set may go on. False: there is none.
  bool let_go(ResidentBlock&);
  /// Lanes of the warp have fallen asleep.
  void wake_later(const ResidentBlock&, const Warp&, Cycle now);
  /// A warp has been parked, or has ended: fails the launch if nobody can let the block's warps go.
  void check_deadlock(ResidentBlock&);

 private:
  void wake_over_barrier(ResidentBlock&, Cycle now);
  /// When warps go on that no longer wait at a barrier of the block.
  Readiness behind_barrier(const ResidentBlock&, Cycle now) const;
  void sleepers_event(u64 place, u64);
  bool release_waiting(ResidentBlock&);

  std::vector<ResidentBlock> blocks_;
  u32 barrier_latency_, barrier_interval_;
  WarpTable& table_;
  Executor& executor_;
  core::TimeWheel& wheel_;
  Alarm& alarm_;
  Endings& endings_;
};

}  // namespace ew::simt
