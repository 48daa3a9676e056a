// Which warp issues in a cycle, and what becomes of its instruction. Owned by the SM, which calls it once a step.
//
// Before each instruction a warp is looked at: what does it wait for? A warp that waits for nothing is ready, and a
// scheduler may choose it. Then its instruction is executed at once; when its results count is for the scoreboard.
#pragma once

#include "simt/sm/load_store_unit.hpp"
#include "simt/sm/machine_progress.hpp"
#include "simt/sm/schedulers.hpp"

namespace ew::simt {

class WarpIssue {
 public:
  /// With whom it works.
  struct Parts {
    Executor& executor;
    MachineProgress& progress;
    Endings& endings;
    const SmTrace& trace;
    WarpTable& table;
    Schedulers& schedulers;
    const HeldWarps& held;
    AccessOrder& order;
    Polls& polls;
    ParkedWarps& parked;
    Residents& residents;
    StallAccount& stalls;
    const LoadStoreUnit& unit;
    Issuing& issuing;
  };
  WarpIssue(const SmSetup&, u32 sm, const Parts&);
  void attach(LinePort& port) { port_ = &port; }

  /// The SM will run until `end` soon, and these messages come to it: what it then looks at comes into the host's
  /// caches, in steps 0 to 2 (PrivateCache::expect); of its warps where the window is long. Decides nothing.
  void expect(const core::Inbox&, Cycle end, bool long_window, u32 step) const;
  /// Looks at the warps of which something may have changed: before the cycle's issue, and behind it.
  void look_before(Cycle now) {
    while (with_.table.any_to_look_at()) look_at(with_.table.next_to_look_at(), now, now);
  }
  void look_behind(Cycle now) {
    while (with_.table.any_to_look_at() && !with_.endings.failed())
      look_at(with_.table.next_to_look_at(), now, next(now));
  }
  /// Each scheduler issues. Behind a failure none does.
  void issue(Cycle now);
  /// The next cycle in which one of these warps could issue. They are ready, and no store holds them back.
  Cycle due(u64 warps, Cycle now) const;
  /// Two equal runs have the same: of every issue's cycle, SM, slot and pc.
  u64 digest() const { return digest_; }

 private:
  /// `next`: the cycle of the SM's next issue, in which the warp may be chosen if it is ready.
  void look_at(u32 slot, Cycle now, Cycle next);
  void look_at_next(u32 slot, WarpSlot&, Readiness latest, Cycle now, Cycle next);
  u64 candidates(Scheduler&, Cycle now) const;
  void issue(u32 index, Scheduler&, Cycle now);
  void issue_warp(u32 slot, WarpSlot&, u32 index, Scheduler&, Cycle now);
  void note_issue(u32 slot, WarpSlot&, Cycle now);
  void compute(WarpSlot&) const;
  void issue_other(u32 slot, WarpSlot&, Readiness result, Cycle now);
  Outcome execute(WarpSlot&, Cycle now);
  void after(u32 slot, const ptx::Instr&, Outcome, Cycle now);
  void go_on(u32 slot, Cycle now);
  /// Of a warp of a scheduler that has issued in this cycle, or behind the issue of all. A scheduler that issues twice
  /// a cycle could choose the warp again at once.
  Cycle next(Cycle now) const { return width_ > 1 ? now : now + 1; }

  Parts with_;
  LinePort* port_ = nullptr;
  const SmSetup& setup_;
  u32 width_;
  u64 sm_bits_;  // its number, for the digest
  u64 digest_ = 0x9e3779b97f4a7c15;
};

}  // namespace ew::simt
