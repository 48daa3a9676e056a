// What a launch has learned of its branches: whether it helped to let lanes that wait behind one go on before the
// others came. Owned by the Grid. docs/semantics/execution.md has the rule; spin_detector.cpp applies it.
//
// A trial begins when waiting lanes are let go. It remembers the words that the other lanes poll and what these found.
// It has helped when a thread of the launch finds something else in one of these words, and has failed when the same
// warp's turn comes again before that. A branch that helped once separates from then on: nobody waits behind it.
#pragma once

#include <array>
#include <vector>

#include "core/types.hpp"
#include "ptx/kernel.hpp"

namespace ew::simt {

struct Warp;
struct Block;

/// Words that the lanes of a warp polled last, with what they found there.
struct PolledWords {
  std::array<u64, warp_lanes> place{};  // an address; one in shared memory names its block, too
  std::array<u64, warp_lanes> found{};
};

class BranchMemory {
 public:
  void begin(u32 instructions) {
    branches_.assign(instructions, {});
    trials_.clear();
  }

  bool separates(ptx::Pc branch) const { return branches_[branch].separates; }
  /// How often letting lanes go behind it has not helped.
  u32 failures(ptx::Pc branch) const { return branches_[branch].failures; }

  /// Lanes of the warp go on that waited behind the branch; `lanes` of it poll these words. None: others wait for a
  /// barrier of the block, and it helps when one completes.
  void begin_trial(ptx::Pc branch, const Warp&, LaneMask lanes, const PolledWords&);
  bool trying() const { return !trials_.empty(); }
  /// One lane has polled.
  void polled(u64 place, u64 found);
  void barrier_over(const Block&);
  /// The warp, or whoever is on trial, still polls what it polled.
  void trial_failed(const Warp&);
  void all_trials_failed();

 private:
  struct Branch {
    bool separates = false;
    u8 failures = 0;
  };
  struct Trial {
    ptx::Pc branch = 0;
    const Warp* warp = nullptr;
    const Block* block = nullptr;
    LaneMask lanes = 0;
    PolledWords words;
  };
  void failed(const Trial&);

  std::vector<Branch> branches_;  // by pc
  std::vector<Trial> trials_;
};

}  // namespace ew::simt
