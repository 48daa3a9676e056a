// What an SM tells the rest of the machine: a block has ended, a private cache has sent everything home, the last
// access of a launch is over, a launch has failed, a warp waits for a fence of the GPU. The rest hears of it in the
// cycle in which it is told (LaunchControl), and answers some cycles later. Owned by the SM.
#pragma once

#include <utility>

#include "core/cycle_buckets.hpp"
#include "simt/block.hpp"
#include "simt/sm/grid_runs.hpp"

namespace ew::simt {

struct Notice {
  enum class What : u8 {
    block_over,  // `waits`: it was the launch's last here, and accesses of the launch are still under way
    drained,     // these are over
    flushed,     // what end_kernel() was asked for is done
    failed,      // Endings::failure() says which launch, and why
    contended,   // warps poll in vain: strong accesses are to be watched
    fence        // of system scope: SystemFences answers, with `run` as its token
  };
  What what = What::block_over;
  bool waits = false;
  u16 sm = 0;
  u32 run = 0;  // index of the launch; a token
  Block* block = nullptr;
};

/// Of all SMs, by cycle.
using Notices = core::CycleBuckets<Notice>;

class Endings {
 public:
  Endings(u32 sm, const core::TimeWheel& wheel, Notices& notices)
      : sm_(static_cast<u16>(sm)), wheel_(wheel), notices_(notices) {}

  /// All warps of the block have left the SM.
  void block_over(Block& block, GridRun& run) {
    GridRun::OnSm& here = run.on_sm[sm_];
    const bool waits = --here.blocks == 0 && here.accesses && !std::exchange(here.drains, true);
    tell({.what = Notice::What::block_over, .waits = waits, .run = run.index, .block = &block});
  }
  void access_begins(GridRun& run) { ++run.on_sm[sm_].accesses; }
  void access_over(GridRun& run) {
    GridRun::OnSm& here = run.on_sm[sm_];
    if (--here.accesses || !std::exchange(here.drains, false)) return;
    tell({.what = Notice::What::drained, .run = run.index});
  }
  void flushed(u32 run) { tell({.what = Notice::What::flushed, .run = run}); }
  void contended() { tell({.what = Notice::What::contended}); }
  void fence(u32 token) { tell({.what = Notice::What::fence, .run = token}); }

  /// The first failure counts; nothing issues on this SM behind it, until the launch is forgotten.
  void fail(Grid& grid, Fault fault) {
    if (failed_) return;
    failed_ = &grid;
    fault_ = std::move(fault);
    tell({.what = Notice::What::failed});
  }
  bool failed() const { return failed_ != nullptr; }
  /// Whose failure it is. REQUIRES: failed().
  Grid& failure() const { return *failed_; }
  const Fault& fault() const { return fault_; }
  void forget(const Grid& grid) {
    if (failed_ == &grid) failed_ = nullptr;
  }

 private:
  void tell(Notice notice) {
    notice.sm = sm_;
    notices_.put(wheel_.now(), notice);
  }

  u16 sm_;
  const core::TimeWheel& wheel_;
  Notices& notices_;
  Grid* failed_ = nullptr;
  Fault fault_;
};

}  // namespace ew::simt
