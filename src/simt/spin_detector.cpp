#include "simt/spin_detector.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "simt/spinning.hpp"

namespace ew::simt {
namespace {

// Who sees the same sequence so often after the first time waits for someone.
constexpr u32 same_sequences = 4;
// How long lanes are kept from going on alone while others of their warp spin, in cycles of the SM. Short: one of them
// left the loop with what the others poll. Long: nothing says that they could help, but other warps might run for ever.
constexpr u64 short_patience = 4096, long_patience = u64{1} << 24, between_looks = 1024;
constexpr u32 most_doublings = 6;  // of the long patience, one for each time that it did not help
// Rounds of a loop whose polls find ever new values: it may still wait for lanes of its own warp.
constexpr u32 most_rounds = 1u << 22;

}  // namespace

u64 state_of(const Warp& warp, const Split& split) {
  u64 state = split.pc;
  const auto fold = [&](u64 value) { state = (state ^ value) * 0x9e3779b97f4a7c15 + (state >> 29); };
  fold(split.mask);
  for (u32 at = 0; at + warp_lanes <= warp.rows.size(); at += warp_lanes)  // storage may end within a row
    for (u32 lane = 0; lane < warp_lanes; ++lane)
      if (split.mask >> lane & 1) fold(warp.rows.data()[at + lane]);
  for (u32 at = 0; at < warp.predicates.size(); ++at) fold(warp.predicates.data()[at] & split.mask);
  return state;
}

bool left_with_what_they_want(const Warp& warp, const Split& split, const Reconvergence& meeting) {
  const Spinning& spin = warp.spin;
  for (LaneMask left = meeting.arrived; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    if (spin.by_lane().when[lane] <= meeting.born) continue;
    for (LaneMask others = split.mask; others; others &= others - 1) {
      const u32 other = static_cast<u32>(std::countr_zero(others));
      if (spin.by_lane().when[other] && spin.by_lane().words.place[other] == spin.by_lane().words.place[lane])
        return true;
    }
  }
  return false;
}

namespace {

/// The current split spins. Lanes that wait to meet it are let go after some patience: short where one of them left the
/// loop with what the split polls.
void consider_release(Warp& warp) {
  Spinning& spin = warp.spin;
  const Split& split = warp.split();
  const u32 where = warp.who_waits_for(split);
  const u64 now = warp.block->sm->cycle;
  u64& since = spin.by_lane().since[static_cast<u32>(std::countr_zero(split.mask))];
  spin.next_look = now + between_looks;
  if (where == nothing) return;
  const Reconvergence& meeting = warp.reconvergences[where];
  BranchMemory& branches = warp.block->grid->branches;
  if (!branches.separates(meeting.branch)) {
    const u32 failures = branches.failures(meeting.branch);
    const bool soon = !failures && left_with_what_they_want(warp, split, meeting);
    if (now - since < (soon ? short_patience : long_patience << std::min(failures, most_doublings))) return;
    branches.begin_trial(meeting.branch, warp, split.mask, spin.by_lane().words);
  }
  warp.release(where);
  since = now;
}

/// Polls find ever new values. Lanes that wait for the warp, or for warps of its block, may hold what it waits for.
void too_many_rounds(Warp& warp) {
  Block& block = *warp.block;
  BranchMemory& branches = block.grid->branches;
  for (u32 i = 0; warp.used_reconvergences && i < warp.reconvergences.size(); ++i) {
    const Reconvergence& meeting = warp.reconvergences[i];
    if (!meeting.used || !meeting.arrived) continue;
    const u32 doublings = std::min(branches.failures(meeting.branch), most_doublings);
    if (warp.spin.rounds - meeting.rounds < most_rounds << doublings) continue;
    branches.begin_trial(meeting.branch, warp, meeting.pending, warp.spin.by_lane().words);
    warp.release(i);
  }
  if (warp.spin.rounds % most_rounds) return;
  for (Warp* other : block.warps)  // lanes of these may hold what this one waits for
    if (other && !other->any_running() && !other->under_way && other->release_waiting())
      block.ready |= u64{1} << other->index;
}

}  // namespace

bool SpinDetector::went_back(Warp& warp, ptx::Pc from) {
  Spinning& spin = warp.spin;
  const bool polled = spin.polled & warp.split().mask;
  if (polled)
    after_poll(warp, from);
  else if (spin.plain_branches++ % plain_branches_between_looks < looks_at_plain_branches)
    look_at_loop(warp, from);
  spin.timed = false;
  return polled;
}

void SpinDetector::after_poll(Warp& warp, ptx::Pc from) {
  Spinning& spin = warp.spin;
  const Split& split = warp.split();
  const u32 first = static_cast<u32>(std::countr_zero(split.mask));
  u64 seen = split.pc + u64{split.mask} * 0x9e3779b97f4a7c15;
  for (LaneMask left = split.mask; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    seen = seen * 0xd1342543de82ef95 + spin.by_lane().seen[lane];
    spin.by_lane().seen[lane] = 0;
    spin.by_lane().before[lane] = spin.polls;
  }
  spin.polled &= ~split.mask;
  spin.latch = from;
  const bool spun = spin.spins >> first & 1;
  if (spin.by_lane().periods[first].add(seen) >= same_sequences) {
    if (watch_.judges && spin.by_lane().periods[first].complete()) {
      const u64 state = state_of(warp, split);
      watch_.moves += std::exchange(spin.by_lane().states[first], state) != state;
    }
    spins(warp, from, !spun);
  } else {
    watch_.changes += spun;
    spin.spins &= ~split.mask;
  }
  if (++spin.rounds % rounds_between_looks == 0) too_many_rounds(warp);
}

void SpinDetector::spins(Warp& warp, ptx::Pc from, bool begins) {
  Spinning& spin = warp.spin;
  const LaneMask mask = warp.split().mask;
  const u32 first = static_cast<u32>(std::countr_zero(mask));
  const u64 cycle = warp.block->sm->cycle;
  u64& since = spin.by_lane().since[first];
  Spinning::Loop& loop = spin.by_lane().loops[first];
  if (begins || loop.frame != warp.split().frame) loop = {warp.split().pc, from, warp.split().frame};
  loop.begin = std::min(loop.begin, warp.split().pc);
  loop.end = std::max(loop.end, from);
  yields_ = watch_.any = true;
  if (begins) since = cycle;
  spin.spins |= mask;
  if (spin.spun_look != watch_.look) {
    spin.spun_look = watch_.look;
    spin.spun = 0;
  }
  if (!spin.timed || cycle - since > long_patience) spin.spun |= mask;
  if (warp.used_reconvergences && (begins || cycle >= spin.next_look)) consider_release(warp);
}

/// Behind a backward branch without a poll. A loop that comes back with the same registers and has stored nothing spins
/// on plain loads, or on nothing.
void SpinDetector::look_at_loop(Warp& warp, ptx::Pc from) {
  Spinning& spin = warp.spin;
  const bool anchor = spin.plain_branches % plain_branches_between_looks == 1;
  const u64 state = state_of(warp, warp.split());
  if (anchor) {
    spin.loop_state = state;
    spin.wrote = false;
    return;
  }
  if (state != spin.loop_state || spin.wrote) return;
  --spin.plain_branches;  // the next time round is looked at, too
  spins(warp, from, !(spin.spins & warp.split().mask));
}

}  // namespace ew::simt
