// Warps that poll: which of them spin, which come too late again and again, and how long they pause. Owned by the SM;
// what the machine's SMs know together is in PollWatch.
//
// A warp spins when its polls find the same values again and again. It makes no progress when its lanes' registers are
// the same at each of these polls, too: a loop that counts its attempts, or looks at a clock, ends by itself. Looked at
// now and then, so that spinning costs nothing but its instructions.
#pragma once

#include <array>
#include <cstring>

#include "simt/sm/endings.hpp"
#include "simt/sm/poll_watch.hpp"
#include "simt/sm/sm_setup.hpp"
#include "simt/sm/warp_table.hpp"
#include "simt/spinning.hpp"

namespace ew::simt {

/// A warp that may poll, in its slot.
struct PollingWarp {
  // What its lanes had in their registers when they were seen to spin, by the first lane of their split.
  std::array<u64, warp_lanes> states{};
  LaneMask spun = 0;   // since the last look
  bool timed = false;  // it has read a clock since then
  u32 issues_at_look = 0;
  Cycle spin_seen = 0;
  u32 rounds = 0;  // Spinning::rounds that have been looked at
  u32 pause = 0;   // cycles, before its next strong access
  Contender contender;
};

class Polls {
 public:
  Polls(const SmSetup& setup, u32 sm, const core::TimeWheel& wheel, WarpTable& table, PollWatch& watch,
        Endings& endings)
      : wheel_(wheel),
        table_(table),
        watch_(watch),
        endings_(endings),
        stagger_(setup.config.poll_stagger),
        seed_(setup.seed),
        sm_(sm) {}

  void begin(u32 slot);
  /// The warp has read a clock.
  void note_clock(u32 slot) { of_[slot].timed = true; }
  /// The warp stands behind a poll that found what it has found before.
  void see_spinning(u32 slot, Cycle now);
  /// The warp has branched.
  void branched(u32 slot) {
    if (table_[slot].warp->spin.rounds != of_[slot].rounds) [[unlikely]]
      stagger(slot);
  }
  /// Its next instruction is a strong access.
  bool pauses(u32 slot) const { return pausing_ >> slot & 1; }
  u32 take_pause(u32 slot) {
    pausing_ &= ~bit(slot);
    return std::exchange(of_[slot].pause, 0);
  }

  /// Must strong accesses be watched?
  bool watching() const { return watch_.contested.watched; }
  /// The warp is about to access words that a warp of another SM may starve for.
  void give_way(u32 slot, const MemoryOp&, LaneMask);
  /// Performs an access of these lanes, with a note of who changed which words, and of what its own polls see of that.
  /// `place(lane)` names a lane's word, `bytes(lane)` is where it stands.
  template <class Place, class Bytes, class Perform>
  auto watched(u32 slot, const MemoryOp& op, LaneMask lanes, Place place, Bytes bytes, Perform perform);
  /// Such an access has been performed: what a lane's word held before, and what it holds now.
  template <class Place, class Before, class After>
  void note(u32 slot, const MemoryOp& op, LaneMask lanes, Place place, Before before, After after);

  /// Adds what the SM's warps have done since the last call.
  void look(PollsLook&);

 private:
  void stagger(u32 slot);
  void pause_below(u32 slot, u32 bound);
  bool someone_starves_for(const ContestedWords::Word&) const;
  bool starves(u32 slot) const { return of_[slot].contender.missed > watch_.contested.most_missed(); }
  u32 writer_of(u32 slot) const { return (sm_ + 1) * WarpTable::slots + slot; }
  bool of_this_sm(u32 writer) const { return writer / WarpTable::slots == sm_ + 1; }

  const core::TimeWheel& wheel_;
  WarpTable& table_;
  PollWatch& watch_;
  Endings& endings_;
  u32 stagger_;  // the longest pause
  u64 seed_;
  u32 sm_;
  u64 pausing_ = 0;
  std::array<PollingWarp, WarpTable::slots> of_;
};

template <class Place, class Bytes, class Perform>
auto Polls::watched(u32 slot, const MemoryOp& op, LaneMask lanes, Place place, Bytes bytes, Perform perform) {
  const u32 size = std::min(op.plan->bytes, 8u);
  const auto value_of = [&](u32 lane) {
    u64 value = 0;
    std::memcpy(&value, bytes(lane), size);
    return value;
  };
  std::array<u64, warp_lanes> before;
  for (LaneMask left = lanes; left; left &= left - 1) before[first_of(left)] = value_of(first_of(left));
  const auto performed = perform();
  note(
      slot, op, lanes, place, [&](u32 lane) { return before[lane]; }, value_of);
  return performed;
}

template <class Place, class Before, class After>
void Polls::note(u32 slot, const MemoryOp& op, LaneMask lanes, Place place, Before before, After after) {
  const u32 unused_bits = 64 - 8 * std::min(op.plan->bytes, 8u), me = writer_of(slot);
  const Cycle now = wheel_.now();
  Contender& c = of_[slot].contender;
  for (LaneMask left = lanes; left; left &= left - 1) {
    const u32 lane = first_of(left);
    if (ContestedWords::Word* const word = watch_.contested.find(place(lane))) {
      if (op.plan->polls && word->writer != me) c.others += word->writes;
      if (starves(slot) && (c.missed >= word->missed || word->wanted_by == me || !someone_starves_for(*word)))
        word->wanted_by = me, word->missed = c.missed, word->wanted = now;
    }
    const u64 was = before(lane), is = after(lane);
    if (is == was) continue;
    ContestedWords::Word& word = watch_.contested.claim(place(lane));
    if (someone_starves_for(word) && !of_this_sm(word.wanted_by) && !starves(slot)) pause_below(slot, stagger_);
    word.writer = me;
    ++word.writes;
    ++watch_.contested.changes;
    c.wrote = true;
    c.changed += ((is - was) << unused_bits) * (place(lane) | 1);
  }
}

}  // namespace ew::simt
