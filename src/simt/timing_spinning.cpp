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
constexpr u32 rounds_until_watched = 16;
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
  with_.polls.changed(std::exchange(before, state) != state);
}

/// Two loops of a machine with one exact clock can stay in step for ever: one polls always when the other has the lock.
/// On hardware they drift apart. So a warp whose polls are in vain pauses for some cycles before the next of them once
/// it came too late again and again: others wrote what it polls between two of its polls, and it found nothing new.
void TimingSm::stagger(u32 slot) {
  Slot& w = warps_[slot];
  Contender& c = contenders_[slot];
  const Spinning& spin = w.warp->spin;
  w.rounds = spin.rounds;
  if (!setup_.config.poll_stagger) return;
  const bool same_loop = std::exchange(c.latch, spin.latch) == spin.latch;
  const bool found_new = std::exchange(c.news, spin.news) != spin.news;
  if (w.warp->split_count > 1)
    for (u32 i = 0; i < w.warp->split_count; ++i)  // others of the warp get on
      if (w.warp->splits[i].state == SplitState::running && w.warp->splits[i].mask & ~spin.spins) return;
  const Period& period = spin.periods[static_cast<u32>(std::countr_zero(spin.spins)) % warp_lanes];
  const bool repeats = spin.spins && period.repeats >= rounds_until_watched;
  if (repeats && period.length) return;  // within a round
  const bool wrote = std::exchange(c.wrote, false), gave_back = std::exchange(c.changed, 0) == 0;
  c.in_vain = same_loop && !found_new && gave_back ? c.in_vain + 1 : 0;
  if (!repeats && c.in_vain < rounds_until_watched) {
    c.missed = 0;
    return;
  }
  with_.polls.contested.watched = with_.polls.contested.needed = true;
  const u64 others = std::exchange(c.others, 0);
  c.missed += std::exchange(c.others_before, others) != others;
  const u32 most = with_.polls.contested.most_missed();
  if (c.missed <= most) return;
  const u32 bound = (c.missed - most) * 8;
  pause_below(slot, wrote ? std::min(bound, 64u) : bound);  // who wrote may be getting on, with a lock that it frees
}

/// Before its next strong access, from a fixed sequence.
void TimingSm::pause_below(u32 slot, u32 bound) {
  Contender& c = contenders_[slot];
  core::SplitMix64 draw(setup_.seed ^ u64{sm_.index} << 48 ^ u64{slot} << 40 ^ c.staggers++);
  warps_[slot].pause = 1 + static_cast<u32>(draw.below(std::min(bound, setup_.config.poll_stagger)));
}

/// A warp of another SM starves for the word, and this one does not.
bool TimingSm::starves_another(const ContestedWords::Word& word, u32 slot) const {
  const ContestedWords& words = with_.polls.contested;
  return word.missed > words.starving() && contenders_[slot].missed <= words.most_missed() &&
         word.wanted_by / slots != sm_.index + 1 && with_.wheel.now() - word.wanted < wanted_for;
}

/// Who is about to use what its SM was the last to write, while a warp of another SM starves for it, leaves it alone
/// for some cycles behind that: it may free a lock and take it before the line can leave.
void TimingSm::give_way(u32 slot, const MemoryOp& op, LaneMask lanes) {
  for (LaneMask left = lanes; left; left &= left - 1) {
    const ContestedWords::Word* const word =
        with_.polls.contested.find(place_of(op, static_cast<u32>(std::countr_zero(left))));
    if (word && starves_another(*word, slot) && word->writer / slots == sm_.index + 1)
      return pause_below(slot, setup_.config.poll_stagger);
  }
}

/// Performs an access of these lanes, with a note of who changed which words, and of what its own polls see of that.
template <class Place, class Bytes, class Perform>
auto TimingSm::watch(u32 slot, const MemoryOp& op, LaneMask lanes, Place place, Bytes bytes, Perform perform) {
  const u32 size = std::min(op.plan->bytes, 8u), me = writer_of(slot);
  const Cycle now = with_.wheel.now();
  const auto value_of = [&](u32 lane) {
    u64 value = 0;
    std::memcpy(&value, bytes(lane), size);
    return value;
  };
  std::array<u64, warp_lanes> before;
  for (LaneMask left = lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    before[lane] = value_of(lane);
  }
  const auto performed = perform();
  Contender& c = contenders_[slot];
  for (LaneMask left = lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    if (ContestedWords::Word* const word = with_.polls.contested.find(place(lane))) {
      if (op.plan->polls && word->writer != me) c.others += word->writes;
      if (c.missed > with_.polls.contested.most_missed())
        word->wanted_by = me, word->missed = c.missed, word->wanted = now;
    }
    if (value_of(lane) == before[lane]) continue;
    ContestedWords::Word& word = with_.polls.contested.claim(place(lane));
    if (starves_another(word, slot)) pause_below(slot, setup_.config.poll_stagger);
    word.writer = me;
    ++word.writes;
    ++with_.polls.contested.changes;
    c.wrote = true;
    c.changed += ((value_of(lane) - before[lane]) << (64 - 8 * size)) * (place(lane) | 1);
  }
  return performed;
}

memory::ByteMask TimingSm::perform_watched(Access& a, u32 number, u8* bytes) {
  const AccessPart& part = a.parts[number];
  return watch(
      a.slot, a.op, part.lanes, [&](u32 lane) { return a.op.address[lane]; },
      [&](u32 lane) { return bytes + (a.op.address[lane] - part.line); },
      [&] { return perform_now(a, number, bytes); });
}

/// An access that is performed where it stands; words of shared memory are watched.
Performed TimingSm::flat_watched(MemoryOp& op) {
  Block& block = *op.warp->block;
  LaneMask shared = 0;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    if (shared_offset(place_of(op, lane), block) + op.plan->bytes <= block.grid->shared_bytes)
      shared |= LaneMask{1} << lane;
  }
  return watch(
      issuing_, op, shared, [&](u32 lane) { return place_of(op, lane); },
      [&](u32 lane) { return block.shared_data() + shared_offset(place_of(op, lane), block); },
      [&] { return flat_now(op); });
}

void TimingSm::look_at_polls(PollsLook& look) {
  for (u64 left = occupied_; left; left &= left - 1) {
    const u32 slot = static_cast<u32>(std::countr_zero(left));
    Slot& w = warps_[slot];
    Contender& c = contenders_[slot];
    LaneMask running = 0, held_back = w.warp->live;
    for (u32 s = 0; s < w.warp->split_count; ++s) {
      held_back &= ~w.warp->splits[s].mask;
      if (const Split& split = w.warp->splits[s];
          split.state == SplitState::running || split.state == SplitState::at_performer)
        running |= split.mask;
    }
    const bool issued = w.releases != w.releases_at_look, spins = w.spun && !(running & ~w.spun);
    const bool loops = w.warp->spin.rounds != c.rounds_at_look && w.warp->spin.news == c.news_at_look;
    // Lanes that wait to meet those that spin are let go in the end.
    look.only_spins &= (spins || !issued) && !held_back;
    look.only_loops &= (loops || !issued) && !held_back;
    look.any_spins |= spins && issued;
    look.any_loops |= loops && issued;
    look.timed |= std::exchange(w.timed, false);
    w.spun = 0;
    w.releases_at_look = w.releases;
    c.rounds_at_look = w.warp->spin.rounds;
    c.news_at_look = w.warp->spin.news;
  }
}

}  // namespace ew::simt
