// Warps that contend for words: who writes what others poll in vain. docs/semantics/timing-sm.md, "Loops that stay in
// step".
#pragma once

#include <vector>

#include "core/time_wheel.hpp"
#include "simt/warp.hpp"

namespace ew::simt {

/// Who writes the words that warps poll in vain, while there are such warps (sm/polls.cpp). Words share an entry
/// when their addresses' hashes do: the one that was changed last has it.
struct ContestedWords {
  struct Word {
    u64 place = 0;
    u32 writer = 0, writes = 0;  // the last; so many changes
    u32 wanted_by = 0;           // a warp that came too late again and again, so often, and when it last did
    u32 missed = 0;
    core::Cycle wanted = 0;
  };
  std::vector<Word> words = std::vector<Word>(4096);
  bool watched = false, needed = false;  // now; since TimingGpu's last look
  u64 changes = 0;                       // of any word
  u64 changes_before_standstill = 0;     // when the machine last got on
  bool stand_still = false;              // the machine seems to: no poll of any warp finds anything new

  /// A look at the machine: does it seem to stand still?
  void note_standstill(bool still) {
    stand_still = still;
    if (!still) changes_before_standstill = changes;
  }
  /// A word has been changed since the machine last got on.
  bool changed_in_standstill() const { return changes != changes_before_standstill; }

  /// So often in a row a warp may come too late before it pauses, and before others give way to it. Who gets a lock
  /// that many want is chance: without a pause, warps of programs that end come too late up to 362 times (workloads/,
  /// three protocols). So while any warp of the machine gets on, only who waits much longer is helped.
  u32 most_missed() const { return stand_still ? 32 : 1024; }
  u32 starving() const { return stand_still ? 256 : 2048; }

  /// nullptr: nobody has changed it of late.
  Word* find(u64 place) {
    Word& word = entry(place);
    return word.place == place ? &word : nullptr;
  }
  /// To note a change of it.
  Word& claim(u64 place) {
    Word& word = entry(place);
    if (word.place != place) word = {.place = place};
    return word;
  }

 private:
  Word& entry(u64 place) { return words[(place >> 2) * 0x9e3779b97f4a7c15 >> 52]; }
};

/// What all warps have done between two looks at them.
struct PollsLook {
  // Warps that did anything have polled what does not change, in the same state at each poll; and there is one.
  bool only_spins = true, any_spins = false;
  // They have gone round loops whose polls found what they had found before; and there is one.
  bool only_loops = true, any_loops = false;
  bool timed = false;  // one has looked at a clock
};

/// A warp whose polls may be in vain.
struct Contender {
  ptx::Pc latch = ptx::no_pc;  // of its last round
  u32 news = 0;                // Spinning::news up to this round
  u32 in_vain = 0;             // rounds in a row of one loop that found nothing new and gave back what they took
  // Others' writes of the words that it polls, up to this round and the last; how many rounds came behind such writes;
  // and of this round, whether it wrote, and the sum of its changes: 0 when it has given back what it took.
  u64 others = 0, others_before = 0;
  u32 missed = 0, staggers = 0;
  bool wrote = false;
  u64 changed = 0;

  u32 rounds_at_look = 0, news_at_look = 0;  // of TimingGpu at warps that spin

  /// Another warp is in its place.
  void begin() { *this = {.staggers = staggers}; }
};

}  // namespace ew::simt
