// A warp: register rows, and the splits its lanes have parted into. Owned by Residency, lent to a Block while lanes of
// it live.
//
// Every live lane is in exactly one place: in a split (it runs, or its split waits for a barrier or for other lanes),
// or in the `arrived` group of one Reconvergence. A divergent branch makes a Reconvergence at the immediate
// post-dominator; splits that get there wait until `pending` is empty and go on as one. A Reconvergence whose lanes are
// all gone (exited or released early) is freed; lanes of inner ones stay pending in the outer ones. Which rows a lane's
// registers are, its frame says (frames.hpp).
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "ptx/kernel.hpp"
#include "simt/branch_memory.hpp"
#include "simt/frames.hpp"

namespace ew::simt {

struct Block;

inline constexpr LaneMask all_lanes = 0xffffffff;

enum class SplitState : u8 {
  running,
  at_barrier,    // pc: the barrier instruction
  at_warp_sync,  // pc: the instruction; runs when all lanes of its member mask are there
  asleep,        // pc: the instruction after nanosleep; until `wake`
  at_performer   // pc: the instruction; the performer has it
};

struct Split {
  ptx::Pc pc = 0;
  LaneMask mask = 0;
  u32 frame = 0;
  SplitState state = SplitState::running;
  u8 barrier = 0;
  u32 reconvergence = nothing;
  u64 wake = 0;    // cycle
  u64 chosen = 0;  // when it last had a turn, by Warp::turns; splits that come of it inherit that
};

struct Reconvergence {
  ptx::Pc pc = 0;
  u32 frame = 0;
  LaneMask pending = 0, arrived = 0;
  u32 parent = nothing;  // the next free one, when free
  bool used = false;
  ptx::Pc branch = 0;  // that made it
  u32 born = 0;        // Spinning::polls at the last backward branch of a lane that made it
  u32 rounds = 0;      // Spinning::rounds at that time
};

/// Uninitialised words at 64-byte alignment; growing keeps the old content.
class Words {
 public:
  u32* data() const { return data_.get(); }
  u32 size() const { return size_; }
  void grow(u32 size);  // new words are zero

 private:
  struct Free {
    void operator()(u32* words) const;
  };
  std::unique_ptr<u32[], Free> data_;
  u32 size_ = 0;
};

/// Of so many backward branches without polls, the first few are looked at: does the warp go round and do nothing?
inline constexpr u32 plain_branches_between_looks = 1u << 14, looks_at_plain_branches = 16;

/// The same sequence of numbers again and again.
struct Period {
  u64 anchor = 0, sequence = 0, sequence_before = 0;
  u32 length = 0, length_before = 0, longest = 1, repeats = 0;
  /// The sequence begins anew with the next.
  bool complete() const { return length == 0; }
  /// One more. Answers how often in a row the same sequence has come, as far as it can be told.
  u32 add(u64 number);
};

/// What a warp's polling instructions have found: the same few things, in any order, or ever new ones? A count of
/// attempts or of tickets is new each time; the state of a lock or of a semaphore is not.
class KnownFinds {
 public:
  /// Whether `found` had not been added before, as far as it can be told.
  bool add(u64 found) {
    const u64 hash = found * 0x9e3779b97f4a7c15 >> 54;
    u64& word = bits_[hash / 64];
    const u64 bit = u64{1} << hash % 64;
    if (word & bit) return false;
    if (++count_ > most) {
      bits_ = {};
      count_ = 1;
    }
    word |= bit;
    return true;
  }

 private:
  static constexpr u32 most = 256;  // at most every fourth new thing is taken for an old one
  std::array<u64, 16> bits_{};      // a bit for each thing, by hash
  u32 count_ = 0;
};

/// Which lanes wait for someone? `seen` folds what a lane's polling instructions (atomics, volatile and ordered loads
/// …) found since its last backward branch. Where a split sees the same sequence of folds again and again, its lanes
/// spin. So do lanes whose loop, without polls and stores, comes back with every register as it was. What is said of a
/// split is kept with its first lane.
struct SpinningWarp {
  LaneMask polled = 0;         // lanes that have since their last backward branch
  LaneMask spins = 0;          // lanes that did at their last one behind a poll
  bool timed = false;          // a clock was read since the last backward branch: the loop may end by itself
  bool wrote = false;          // since `loop_state`
  u32 polls = 0;               // polling instructions
  u32 rounds = 0;              // backward branches behind a poll
  ptx::Pc latch = ptx::no_pc;  // the last of them
  u32 news = 0;                // polling instructions that found what none before them had
  u32 plain_branches = looks_at_plain_branches;  // backward branches without a poll
  u64 loop_state = 0;                            // at one of them
  u64 next_look = 0;                             // cycle of the SM: whether lanes should be let go
  LaneMask spun = 0;                             // lanes that were seen to spin since the look `spun_look` of all warps
  u32 spun_look = 0;
};

/// The same, lane by lane.
struct SpinningLanes {
  PolledWords words;
  KnownFinds known;
  std::array<u64, warp_lanes> seen{};
  std::array<u32, warp_lanes> when{};    // each lane's last poll, by `polls`
  std::array<u32, warp_lanes> before{};  // `polls` at each lane's last backward branch behind a poll
  std::array<u64, warp_lanes> since{};   // a split's: it spins, by the cycle of its SM
  std::array<Period, warp_lanes> periods{};
  struct Loop {
    ptx::Pc begin = 0, end = 0;
    u32 frame = 0;
  };
  std::array<Loop, warp_lanes> loops{};  // a split's: in which it spins
  std::array<u64, warp_lanes> states{};  // a split's registers, while SpinWatch::judges
};

/// Most warps never poll: what is kept of their lanes is made when they do.
class Spinning : public SpinningWarp {
 public:
  using Loop = SpinningLanes::Loop;

  const SpinningLanes& by_lane() const { return lanes_ ? *lanes_ : none_; }
  SpinningLanes& by_lane() {
    if (!lanes_) [[unlikely]]
      lanes_ = std::make_unique<SpinningLanes>();
    touched_ = true;
    return *lanes_;
  }
  /// Of another warp.
  void begin() {
    static_cast<SpinningWarp&>(*this) = {};
    if (std::exchange(touched_, false)) *lanes_ = {};
  }
  /// A lane has polled; before the first of an instruction, ++polls.
  void note(u32 lane, u64 place, u64 found) {
    polled |= LaneMask{1} << lane;
    SpinningLanes& of = by_lane();
    of.words.place[lane] = place;
    of.words.found[lane] = found;
    of.when[lane] = polls;
    of.seen[lane] = of.seen[lane] * 31 + place * 0x9e3779b9u + found;
  }

 private:
  static const SpinningLanes none_;

  bool touched_ = false;
  std::unique_ptr<SpinningLanes> lanes_;
};

/// What straight code reads of it comes first and is on two lines of the host's caches; of the splits that is the start
/// of the first.
struct alignas(64) Warp {
  Block* block = nullptr;
  u32 index = 0;  // in its block
  LaneMask live = 0;
  Words rows, predicates;
  u32 split_count = 0, current = 0;
  Frames frames;
  std::array<Split, warp_lanes> splits;
  u64 turns = 0;                // that splits have had
  u32 under_way = 0;            // operations that a performer keeps pending
  u32 branches_until_turn = 0;  // backward branches until the next split gets its turn
  std::vector<Reconvergence> reconvergences;
  u32 free_reconvergence = nothing, used_reconvergences = 0;
  Words local;  // word w of lane l at [w * 32 + l]
  Spinning spin;

  Split& split() { return splits[current]; }
  Frame& frame() { return frames[split().frame]; }

  /// Ready for the lanes of `lanes` to begin this function of the kernel; 0: its entry.
  void begin(Block&, u32 index, LaneMask lanes, const ptx::Kernel&, u32 function = 0);

  /// The place where the current split must stop and wait, or no_pc.
  ptx::Pc stop() const {
    const Split& now = splits[current];
    if (now.reconvergence == nothing) return ptx::no_pc;
    const Reconvergence& meeting = reconvergences[now.reconvergence];
    return meeting.frame == now.frame ? meeting.pc : ptx::no_pc;
  }
  /// Where lanes that part at a branch with post-dominator `pc` meet again; nothing for the exit of the entry function.
  u32 meet_at(ptx::Pc pc);
  /// Lanes `mask` of the current split wait at `reconvergence`, which others will still reach. REQUIRES: the split
  /// keeps some lanes.
  void leave_waiting(LaneMask mask, u32 reconvergence);
  /// The current split, which was to meet others there, goes on without.
  void leave_meeting();
  /// The current split stands at stop(). True: there is a current running split to go on with.
  bool arrive();
  /// Takes `mask` out of the current split into one of its own at `pc`, running, after the current one.
  Split& part(LaneMask mask, ptx::Pc pc, u32 reconvergence);
  /// Makes another running split current (merging those that have met). False: none runs.
  bool pick();
  /// Splits that run at the place of the current one join it.
  void merge();
  bool any_running() const;
  /// These lanes of the current split end. True: the current split keeps lanes.
  bool exit(LaneMask);
  /// Lets the group that waits there go on alone.
  void release(u32 reconvergence) { resume(reconvergence); }
  /// Lets every waiting group go on alone. True: there was one.
  bool release_waiting();
  /// The split is still in the loop in which it was seen to spin, or in a function called there.
  bool in_its_loop(const Split&) const;
  /// The innermost place where lanes wait for those of this split; or nothing.
  u32 who_waits_for(const Split&) const;

 private:
  void resume(u32 reconvergence);
  void settle(u32 reconvergence);
  void remove_split(u32 index);
};

}  // namespace ew::simt
