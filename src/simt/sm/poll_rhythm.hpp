// At which pace does a warp poll? Owned by SteadyPolls, one for each slot.
#pragma once

#include "simt/sm/access_pool.hpp"

namespace ew::simt {

struct PollRhythm {
  ptx::Pc pc = 0;
  u64 line = 0;
  LaneMask lanes = 0;
  u32 generation = 0;    // of the slot's warp
  u32 news = 0;          // Spinning::news
  Cycle last = 0;        // when the last poll was sent
  Cycle period = 0;      // between the last two
  u32 issues = 0;        // WarpSlot::issues at that time
  u32 instructions = 0;  // between the last two
  u32 steady = 0;        // so many periods were alike
  Cycle since = 0;       // … since this cycle

  /// Another poll of the warp is sent, which has issued and found so much. True: it has polled the same for some time,
  /// at a steady pace.
  bool note(const Access&, u32 issued, u32 found_new, Cycle now);
  /// From one of the steady polls to the next. REQUIRES: note() was true.
  Cycle pace() const { return (last - since) / steady; }
  /// So many rounds have gone by.
  void skip(u32 rounds, Cycle cycles, u32 instructions_of_each) {
    last += cycles;
    steady += rounds;
    issues += rounds * instructions_of_each;
  }
};

}  // namespace ew::simt
