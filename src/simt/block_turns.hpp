// One turn of a block in functional mode: its warps run one after the other, until the turn's instructions are spent or
// none of them can go on. Owned by FunctionalGpu, which says whose turn it is.
//
// A grid that fails is taken off its SMs here. Between turns no grid is half failed: what the performer hands in of a
// grid whose fault is known already is dropped.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "simt/executor.hpp"
#include "simt/functional_clock.hpp"
#include "simt/residency.hpp"

namespace ew::simt {

class BlockTurns final : public Finisher {
 public:
  /// All outlive it.
  BlockTurns(Performer&, Executor&, Residency&, const FunctionalClock&);

  /// A launch fails that has executed so many warp instructions. 0: none does.
  void set_instruction_limit(u64 limit) { instruction_limit_ = limit; }
  /// Calls `crash` when the machine has executed so many.
  void set_crash_point(u64 warp_instruction, std::function<void()> crash);

  struct Stretch {
    u64 used = 0;         // warp instructions
    bool useful = false;  // someone did more than wait
    bool failed = false;  // the grid is gone
  };
  Stretch run(Block&, u64 budget);

  void fail(Grid&, Fault);

  // What the performer had kept pending.
  void finish(const MemoryOp&, Performed) override;
  void finish(const SyncOp&) override;

 private:
  /// What came of one warp's turn.
  enum class Ran : u8 { waited, usefully, failed };
  Ran run_warp(Block&, u32 index, u64 budget, u64& used);
  u64 turn_within(u64 wanted, const Grid&) const;
  bool step();
  bool is_failing(const Grid&) const;
  void end_if_over(Warp&);

  Performer& performer_;
  const bool steps_;  // the performer keeps operations pending
  Executor& executor_;
  Residency& residency_;
  const FunctionalClock& clock_;
  u64 executed_ = 0;
  u64 instruction_limit_ = 0, crash_at_ = 0;
  std::function<void()> crash_;
  std::vector<std::pair<Grid*, Fault>> failing_;  // what was pending of them has been refused
};

}  // namespace ew::simt
