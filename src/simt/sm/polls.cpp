#include "simt/sm/polls.hpp"

#include <algorithm>
#include <utility>

#include "core/split_mix.hpp"

namespace ew::simt {
namespace {

constexpr Cycle cycles_between_states = 4096;
constexpr u32 rounds_until_watched = 16;
constexpr Cycle wanted_for = 1u << 16;  // behind the last poll that found too little

}  // namespace

void Polls::begin(u32 slot) {
  PollingWarp& w = of_[slot];
  w.contender.begin();
  w.rounds = w.pause = 0;
  pausing_ &= ~bit(slot);
}

/// The current split stands behind a poll that found what it has found before.
void Polls::see_spinning(u32 slot, Cycle now) {
  const Warp& warp = *table_[slot].warp;
  PollingWarp& w = of_[slot];
  const Split& split = warp.splits[warp.current];
  if (!(split.mask & ~w.spun) && now < w.spin_seen + cycles_between_states) return;
  w.spin_seen = now;
  w.spun |= split.mask;
  u64& before = w.states[first_of(split.mask)];
  const u64 state = state_of(warp, split);
  watch_.changed(std::exchange(before, state) != state);
}

/// Two loops of a machine with one exact clock can stay in step for ever: one polls always when the other has the lock.
/// On hardware they drift apart. So a warp whose polls are in vain pauses for some cycles before the next of them once
/// it came too late again and again: others wrote what it polls between two of its polls, and it found nothing new.
void Polls::stagger(u32 slot) {
  const Warp& warp = *table_[slot].warp;
  PollingWarp& w = of_[slot];
  Contender& c = w.contender;
  const Spinning& spin = warp.spin;
  w.rounds = spin.rounds;
  if (!stagger_) return;
  const bool same_loop = std::exchange(c.latch, spin.latch) == spin.latch;
  const bool found_new = std::exchange(c.news, spin.news) != spin.news;
  if (warp.split_count > 1)
    for (u32 i = 0; i < warp.split_count; ++i)  // others of the warp get on
      if (warp.splits[i].state == SplitState::running && warp.splits[i].mask & ~spin.spins) return;
  const Period& period = spin.by_lane().periods[static_cast<u32>(std::countr_zero(spin.spins)) % warp_lanes];
  const bool repeats = spin.spins && period.repeats >= rounds_until_watched;
  if (repeats && period.length) return;  // within a round
  const bool wrote = std::exchange(c.wrote, false), gave_back = std::exchange(c.changed, 0) == 0;
  c.in_vain = same_loop && !found_new && gave_back ? c.in_vain + 1 : 0;
  if (!repeats && c.in_vain < rounds_until_watched) {
    c.missed = 0;
    return;
  }
  watch_.contested.needed = true;
  if (!watching()) endings_.contended();
  const u64 others = std::exchange(c.others, 0);
  c.missed += std::exchange(c.others_before, others) != others;
  const u32 most = watch_.contested.most_missed();
  if (c.missed <= most) return;
  const u32 bound = (c.missed - most) * 8;
  pause_below(slot, wrote ? std::min(bound, 64u) : bound);  // who wrote may be getting on, with a lock that it frees
}

/// Before its next strong access, from a fixed sequence.
void Polls::pause_below(u32 slot, u32 bound) {
  Contender& c = of_[slot].contender;
  core::SplitMix64 draw(seed_ ^ u64{sm_} << 48 ^ u64{slot} << 40 ^ c.staggers++);
  of_[slot].pause = 1 + static_cast<u32>(draw.below(std::min(bound, stagger_)));
  pausing_ |= bit(slot);
}

bool Polls::someone_starves_for(const ContestedWords::Word& word) const {
  return word.missed > watch_.contested.starving() && wheel_.now() - word.wanted < wanted_for;
}

/// Who is about to use what its SM was the last to write, while a warp of another SM starves for it, leaves it alone
/// for some cycles behind that: it may free a lock and take it before the line can leave. A warp that starves itself
/// does so where it was the last to write, for any other: it had the word.
void Polls::give_way(u32 slot, const MemoryOp& op, LaneMask lanes) {
  const u32 me = writer_of(slot);
  for (LaneMask left = lanes; left; left &= left - 1) {
    const ContestedWords::Word* const word = watch_.contested.find(place_of(op, first_of(left)));
    if (!word || !someone_starves_for(*word)) continue;
    const bool had_it = word->writer == me && word->wanted_by != me;
    if (had_it || (of_this_sm(word->writer) && !of_this_sm(word->wanted_by) && !starves(slot)))
      return pause_below(slot, stagger_);
  }
}

void Polls::look(PollsLook& look) {
  for (u64 left = table_.occupied(); left; left &= left - 1) {
    const u32 slot = first_of(left);
    const WarpSlot& in = table_[slot];
    const Warp& warp = *in.warp;
    PollingWarp& w = of_[slot];
    Contender& c = w.contender;
    LaneMask running = 0, held_back = warp.live;
    for (u32 s = 0; s < warp.split_count; ++s) {
      held_back &= ~warp.splits[s].mask;
      if (const Split& split = warp.splits[s];
          split.state == SplitState::running || split.state == SplitState::at_performer)
        running |= split.mask;
    }
    const bool issued = in.issues != w.issues_at_look, spins = w.spun && !(running & ~w.spun);
    const bool loops = warp.spin.rounds != c.rounds_at_look && warp.spin.news == c.news_at_look;
    // Lanes that wait to meet those that spin are let go in the end.
    look.only_spins &= (spins || !issued) && !held_back;
    look.only_loops &= (loops || !issued) && !held_back;
    look.any_spins |= spins && issued;
    look.any_loops |= loops && issued;
    look.timed |= std::exchange(w.timed, false);
    w.spun = 0;
    w.issues_at_look = in.issues;
    c.rounds_at_look = warp.spin.rounds;
    c.news_at_look = warp.spin.news;
  }
}

}  // namespace ew::simt
