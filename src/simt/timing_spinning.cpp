// Warps that poll for ever. A warp spins when its polls find the same values again and again; it makes no progress when
// its lanes' registers are the same at each of these polls, too: a loop that counts its attempts, or looks at a clock,
// ends by itself. Looked at now and then, so that spinning costs nothing but its instructions.
#include <bit>
#include <utility>

#include "simt/spinning.hpp"
#include "simt/timing_sm.hpp"

namespace ew::simt {

namespace {

constexpr Cycle cycles_between_states = 4096;

}  // namespace

/// The current split stands behind a poll that found what it has found before.
void TimingSm::see_spinning(Slot& w, Cycle now) {
  const Split& split = w.warp->split();
  if (!(split.mask & ~w.spun) && now < w.spin_seen + cycles_between_states) return;
  w.spin_seen = now;
  w.spun |= split.mask;
  u64& before = w.spin_states[static_cast<u32>(std::countr_zero(split.mask))];
  const u64 state = state_of(*w.warp, split);
  shared_.changes += std::exchange(before, state) != state;
}

bool TimingSm::only_spins(bool& any) {
  bool only = true;
  for (u64 left = occupied_; left; left &= left - 1) {
    Slot& w = warps_[std::countr_zero(left)];
    LaneMask running = 0, held_back = w.warp->live;
    for (u32 s = 0; s < w.warp->split_count; ++s) {
      held_back &= ~w.warp->splits[s].mask;
      if (const Split& split = w.warp->splits[s];
          split.state == SplitState::running || split.state == SplitState::at_performer)
        running |= split.mask;
    }
    const bool spins = w.spun && !(running & ~w.spun), issued = w.releases != w.releases_at_look;
    only &= (spins || !issued) && !held_back;  // lanes that wait to meet those that spin are let go in the end
    any |= spins && issued;
    w.spun = 0;
    w.releases_at_look = w.releases;
  }
  return only;
}

}  // namespace ew::simt
