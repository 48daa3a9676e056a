// Polls that find the same again and again at a steady pace: their home may hold them (memory::HeldPoll), so that a
// round costs the simulator next to nothing. Which polls are these, for how many rounds would their loop go round
// without doing anything else, and what do the rounds count that were not simulated? Owned by the SM.
//
// The loop of such a poll consists of arithmetic and of branches that all lanes take alike. It is run ahead on the
// warp's registers, which are then put back, to see how long it stays in step: a loop may count its rounds. When the
// home has answered, it is run again for the rounds that have gone by, with all that an executor does in them.
#pragma once

#include <array>
#include <vector>

#include "simt/sm/access_completion.hpp"
#include "simt/sm/machine_progress.hpp"
#include "simt/sm/poll_rhythm.hpp"
#include "simt/sm/polls.hpp"

namespace ew::simt {

class SteadyPolls {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    WarpTable& table;
    Executor& executor;
    MachineProgress& progress;
    Polls& polls;
    AccessCompletion& completion;
    StallAccount& stalls;
    AccessPool& accesses;
    AccessOrder& order;
    Alarm& alarm;
  };
  SteadyPolls(const SmSetup& setup, const Parts& parts)
      : with_(parts),
        holds_(setup.config.hold_polls),
        acquires_order_persists_(setup.persists.acquires),
        livelock_cycles_(setup.config.livelock_cycles) {}

  /// A warp's polling load is about to be sent, and its lines are known. True: its home may hold it.
  bool may_be_held(const Access&);
  /// What the home must know of it.
  void describe(const Access&, memory::HeldPoll&);
  /// The home has held it for so many rounds: they count, as if each had been asked and answered. Where other lanes of
  /// the warp have been let go meanwhile, the loop's own instructions do not count.
  void count_rounds(Access&, const memory::HeldPoll&);

 private:
  /// A poll that may be held.
  struct Held {
    Cycle sent = 0, period = 0;
    u32 instructions = 0;  // of a round
    u32 rounds = 0;        // that it may be held
    LaneMask lanes = 0;    // of its split
  };
  bool can_be_held(const Access&) const;
  u32 rounds_in_step(const Access&);
  bool goes_round(const WarpSlot&, ptx::Pc poll, u32 instructions);
  bool polls_again(const Access&) const;
  void execute(const Access&);
  void acquire_in_round(u64 access, u64 serial);
  bool undisturbed(const Access&) const;

  Parts with_;
  bool holds_, acquires_order_persists_;
  u32 livelock_cycles_;
  std::array<PollRhythm, WarpTable::slots> of_;
  std::array<Held, WarpTable::slots> held_;
  std::vector<u32> rows_, predicates_;  // of the warp that is run ahead
};

}  // namespace ew::simt
