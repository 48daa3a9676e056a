// Warps that poll for ever. A warp spins when its polls find the same values again and again; it makes no progress when
// its lanes' registers are the same at each of these polls, too: a loop that counts its attempts, or looks at a clock,
// ends by itself. Looked at now and then, so that spinning costs nothing but its instructions.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/split_mix.hpp"
#include "simt/spinning.hpp"
#include "simt/timing_sm.hpp"

namespace ew::simt {

namespace {

constexpr Cycle cycles_between_states = 4096;
constexpr u32 rounds_until_watched = 16, most_missed = 32;
constexpr Cycle wanted_for = 1u << 16;  // behind the last poll that found too little

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

/// Two loops of a machine with one exact clock can stay in step for ever: one polls always when the other has the lock.
/// On hardware they drift apart. So a warp whose polls repeat pauses for some cycles before the next of them once it
/// came too late again and again: others wrote what it polls between two of its polls, and it found the same. And so
/// does a warp that in each round takes and gives back what such a warp wants.
void TimingSm::stagger(u32 slot) {
  Slot& w = warps_[slot];
  const u32 longest = shared_.config.poll_stagger;
  if (!longest || !w.warp) return;
  const Spinning& spin = w.warp->spin;
  for (u32 i = 0; i < w.warp->split_count; ++i)  // others of the warp get on
    if (w.warp->splits[i].state == SplitState::running && w.warp->splits[i].mask & ~spin.spins) return;
  const Period& period = spin.periods[static_cast<u32>(std::countr_zero(spin.spins)) % warp_lanes];
  if (period.repeats < rounds_until_watched) {
    w.missed = 0;
    return;
  }
  if (period.length) return;  // within a round
  shared_.contested.watched = shared_.contested.needed = true;
  const u64 others = std::exchange(w.others, 0);
  const bool wrote = std::exchange(w.wrote, false), takes = std::exchange(w.wanted, false) && wrote;
  w.missed += std::exchange(w.others_before, others) != others;
  if (w.missed <= most_missed && !takes) return;
  u32 bound = takes ? longest : std::min((w.missed - most_missed) * 8, longest);
  if (wrote && !takes) bound = std::min(bound, 64u);  // it may be getting on, with a lock that it takes and frees
  core::SplitMix64 draw(shared_.seed ^ u64{sm_.index} << 48 ^ u64{slot} << 40 ^ w.staggers++);
  w.pause = 1 + static_cast<u32>(draw.below(bound));
}

/// The same as perform_now, with a note of who changed which words, and of what its own polls see of that.
memory::ByteMask TimingSm::perform_watched(Access& a, u32 number, u8* bytes) {
  const AccessPart& part = a.parts[number];
  const u32 size = std::min(a.op.plan->bytes, 8u), me = (sm_.index + 1) * slots + a.slot;
  const u64 bias = reinterpret_cast<u64>(bytes) - part.line;
  const Cycle now = shared_.wheel.now();
  const auto value_of = [&](u32 lane) {
    u64 value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(a.op.address[lane] + bias), size);
    return value;
  };
  std::array<u64, warp_lanes> before;
  for (LaneMask left = part.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    before[lane] = value_of(lane);
  }
  const memory::ByteMask written = perform_now(a, number, bytes);
  Slot& w = warps_[a.slot];
  for (LaneMask left = part.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    ContestedWords::Word& word = shared_.contested.of(a.op.address[lane]);
    if (a.op.plan->polls && word.writer != me) w.others += word.writes;
    if (value_of(lane) == before[lane]) {
      if (w.missed > most_missed) word.wanted_by = me, word.wanted = now;
      continue;
    }
    word.writer = me;
    ++word.writes;
    w.wrote = true;
    w.wanted |= word.wanted_by && word.wanted_by != me && now - word.wanted < wanted_for;
  }
  return written;
}

bool TimingSm::only_spins(bool& any, bool& timed) {
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
    timed |= std::exchange(w.timed, false);
    w.spun = 0;
    w.releases_at_look = w.releases;
  }
  return only;
}

}  // namespace ew::simt
