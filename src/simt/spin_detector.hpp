// Which lanes spin, that is: poll in vain, or go round a loop that does nothing? And when are lanes of their warp that
// wait to meet them let go? Asked at each backward branch. Owned by an Executor; what it knows of a warp is in
// Warp::spin. standstill.hpp looks at all warps together. docs/semantics/execution.md gives the rule.
#pragma once

#include "simt/block.hpp"

namespace ew::simt {

/// What the looks at all warps of a machine (standstill.hpp) need to know of those that spin.
struct SpinWatch {
  u32 look = 1;      // lanes seen to spin since then are in Spinning::spun
  u64 changes = 0;   // of values that were polled in vain before; other ends of waits
  bool any = false;  // a warp spins, since this was last cleared
  // Whether registers of lanes that spin are compared from round to round, and how often they differed: a loop that
  // counts ends by itself.
  bool judges = false;
  u64 moves = 0;
};

class SpinDetector {
 public:
  /// Of a warp that polls: behind so many rounds, lanes may be let go that wait for it.
  static constexpr u32 rounds_between_looks = 1u << 16;

  SpinWatch& watch() { return watch_; }

  /// A warp begins to run.
  void begin() { yields_ = false; }
  /// The running warp waits for someone: others should go first.
  bool yields() const { return yields_; }
  void yield() { yields_ = true; }

  /// All lanes of the current split take this branch of the instruction at `from`, and nobody need look at it: it leads
  /// forwards, or back in a warp whose lanes are together and do not poll, of which few rounds are looked at.
  static bool is_plain(Warp& warp, ptx::Pc from, ptx::Pc to) {
    if (to > from) return true;
    if (warp.spin.polled & warp.split().mask || warp.used_reconvergences || warp.split_count != 1) return false;
    if (warp.spin.plain_branches % plain_branches_between_looks < looks_at_plain_branches) return false;
    ++warp.spin.plain_branches;
    return true;
  }
  /// The current split has taken a backward branch at `from`. True: it has polled since the last one.
  bool went_back(Warp&, ptx::Pc from);
  /// A wait has ended that is no poll: at a barrier, or because threads have exited.
  void changed() { ++watch_.changes; }

 private:
  void after_poll(Warp&, ptx::Pc from);
  void look_at_loop(Warp&, ptx::Pc from);
  void spins(Warp&, ptx::Pc from, bool begins);

  SpinWatch watch_;
  bool yields_ = false;
};

}  // namespace ew::simt
