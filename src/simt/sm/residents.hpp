// Blocks and warps come to an SM and leave it. Owned by the SM, whose controllers it tells.
#pragma once

#include "simt/residency.hpp"
#include "simt/sm/access_order.hpp"
#include "simt/sm/assist_slots.hpp"
#include "simt/sm/launch_skew.hpp"
#include "simt/sm/parked_warps.hpp"
#include "simt/sm/polls.hpp"
#include "simt/sm/schedulers.hpp"
#include "simt/sm/sm_trace.hpp"
#include "simt/sm/stall_account.hpp"

namespace ew::simt {

class Residents {
 public:
  /// Who is told.
  struct Told {
    WarpTable& table;
    Schedulers& schedulers;
    ParkedWarps& parked;
    AccessOrder& order;
    Polls& polls;
    StallAccount& stalls;
    const SmTrace& trace;
  };
  Residents(Sm& sm, const core::TimeWheel& wheel, Residency& residency, const LaunchSkew& skew, PollWatch& watch,
            Endings& endings, Alarm& alarm, const AssistLimits& assist, const Told& told)
      : sm_(sm),
        wheel_(wheel),
        residency_(residency),
        skew_(skew),
        watch_(watch),
        endings_(endings),
        alarm_(alarm),
        assists_(assist),
        told_(told) {}

  void add(Block&, GridRun&);
  /// A warp of the block has asked for its assist routine.
  void wake_assist(u32 slot);
  /// All lanes of the warp have exited. It leaves when nothing of it is under way.
  void end_warp(u32 slot) {
    WarpSlot& w = told_.table[slot];
    if (w.warp->under_way)
      w.draining = true;
    else
      leave(slot);
  }
  /// Something of the warp is no longer under way.
  void one_less_under_way(u32 slot) {
    const WarpSlot& w = told_.table[slot];
    if (w.draining && w.warp->under_way == 0) leave(slot);
  }
  /// The launch has failed: its blocks and warps are gone.
  void forget(const GridRun&);

 private:
  void begin_warp(u32 slot, ResidentBlock&, u32 index, GridRun&, Cycle first_issue);
  void begin_assists();
  void ask(ResidentBlock&, GridRun&);
  void leave(u32 slot);
  void vacate(u32 slot);

  Sm& sm_;
  const core::TimeWheel& wheel_;
  Residency& residency_;
  const LaunchSkew& skew_;
  PollWatch& watch_;
  Endings& endings_;
  Alarm& alarm_;
  AssistSlots assists_;
  Told told_;
};

}  // namespace ew::simt
