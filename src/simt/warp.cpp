#include "simt/warp.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "simt/block.hpp"

namespace ew::simt {

const SpinningLanes Spinning::none_;
namespace {

constexpr u32 turn = 4;              // backward branches of one split before the next gets its turn
constexpr u32 longest_period = 256;  // of the polls that are seen to repeat: a loop that looks at so many places

}  // namespace

// Before the words stands where their storage begins. An aligned allocation of the C library costs ten times as much.
void Words::Free::operator()(u32* words) const {
  std::free(reinterpret_cast<void**>(words)[-1]);
}

void Words::grow(u32 size) {
  if (size <= size_) return;
  const u32 wanted = std::max(size, size_ + size_ / 2);
  const std::size_t bytes = (std::size_t{wanted} * 4 + 63) / 64 * 64;
  void* const storage = std::calloc(bytes + 64 + sizeof(void*), 1);
  if (!storage) throw std::bad_alloc();
  auto* const fresh =
      reinterpret_cast<u32*>((reinterpret_cast<std::uintptr_t>(storage) + sizeof(void*) + 63) & ~u64{63});
  reinterpret_cast<void**>(fresh)[-1] = storage;
  if (size_) std::memcpy(fresh, data_.get(), std::size_t{size_} * 4);
  data_.reset(fresh);
  size_ = wanted;
}

void Warp::begin(Block& of, u32 number, LaneMask lanes, const ptx::Kernel& kernel, u32 function) {
  block = &of;
  index = number;
  live = lanes;
  const ptx::Function& entry = kernel.functions[function];
  const u32 local_words = (entry.frame_bytes + 3) / 4 * warp_lanes;
  const u32 used_rows = std::min(rows.size(), entry.rows * warp_lanes);
  rows.grow(entry.rows * warp_lanes);
  predicates.grow(entry.predicates);
  local.grow(local_words);
  // What a program reads without having written it must not depend on who used this storage before.
  if (used_rows) std::memset(rows.data(), 0, used_rows * sizeof(u32));
  if (entry.predicates) std::memset(predicates.data(), 0, entry.predicates * sizeof(u32));
  if (local_words) std::memset(local.data(), 0, local_words * sizeof(u32));
  splits[0] = {.pc = entry.begin, .mask = lanes};
  split_count = 1;
  turns = 0;
  under_way = 0;
  current = 0;
  reconvergences.clear();
  free_reconvergence = nothing;
  used_reconvergences = 0;
  frames.begin(lanes, function);
  branches_until_turn = turn;
  spin.begin();
}

/// Brent's search for a cycle: the anchor moves on in ever longer steps until the folds come back to it.
u32 Period::add(u64 fold) {
  sequence = sequence * 0x9e3779b97f4a7c15 + fold;
  ++length;
  if (fold == anchor) {
    repeats = sequence == sequence_before ? repeats + 1 : 0;
    sequence_before = sequence;
    length_before = length;
  } else if (length >= longest) {
    anchor = fold;
    longest = std::min(longest * 2, longest_period);
    repeats = 0;
  } else {
    if (length >= length_before) repeats = 0;
    return repeats;
  }
  sequence = 0;
  length = 0;
  return repeats;
}

u32 Warp::meet_at(ptx::Pc pc) {
  const Split& now = split();
  u32 in_frame = now.frame;
  if (pc == ptx::no_pc) {  // the function's exit: lanes meet behind the call
    if (frames[in_frame].parent == nothing) return now.reconvergence;
    pc = frames[in_frame].call_pc + 1;
    in_frame = frames[in_frame].parent;
  }
  if (now.reconvergence != nothing) {
    const Reconvergence& meeting = reconvergences[now.reconvergence];
    if (meeting.pc == pc && meeting.frame == in_frame) return now.reconvergence;
  }
  u32 fresh = free_reconvergence;
  if (fresh == nothing) {
    fresh = static_cast<u32>(reconvergences.size());
    reconvergences.emplace_back();
  } else {
    free_reconvergence = reconvergences[fresh].parent;
  }
  reconvergences[fresh] = Reconvergence{pc,
                                        in_frame,
                                        now.mask,
                                        0,
                                        now.reconvergence,
                                        true,
                                        now.pc,
                                        std::as_const(spin).by_lane().before[std::countr_zero(now.mask)],
                                        spin.rounds};
  ++used_reconvergences;
  return fresh;
}

void Warp::leave_waiting(LaneMask mask, u32 where) {
  Reconvergence& meeting = reconvergences[where];
  meeting.pending &= ~mask;
  meeting.arrived |= mask;
  split().mask &= ~mask;
  split().reconvergence = where;
}

/// Frees a Reconvergence that nobody is left to reach and nobody waits at.
void Warp::settle(u32 where) {
  Reconvergence& meeting = reconvergences[where];
  meeting.used = false;
  meeting.parent = free_reconvergence;
  free_reconvergence = where;
  --used_reconvergences;
}

void Warp::leave_meeting() {
  Split& now = split();
  const u32 where = now.reconvergence;
  Reconvergence& meeting = reconvergences[where];
  now.reconvergence = meeting.parent;
  meeting.pending &= ~now.mask;
  if (meeting.pending) return;
  if (meeting.arrived)
    resume(where);
  else
    settle(where);
}

bool Warp::arrive() {
  const BranchMemory& branches = block->grid->branches;
  for (;;) {
    Split& now = split();
    const u32 where = now.reconvergence;
    Reconvergence& meeting = reconvergences[where];
    meeting.pending &= ~now.mask;
    if (meeting.pending && branches.separates(meeting.branch)) {
      now.reconvergence = meeting.parent;
      if (stop() == now.pc) continue;
      return true;
    }
    if (meeting.pending) {
      meeting.arrived |= now.mask;
      remove_split(current);
      return pick();
    }
    now.mask |= meeting.arrived;
    now.reconvergence = meeting.parent;
    settle(where);
    if (stop() != now.pc) return true;
  }
}

/// The waiting group goes on as a split of its own, or joins those who wait at the same place further out.
void Warp::resume(u32 where) {
  const Reconvergence meeting = reconvergences[where];
  reconvergences[where].arrived = 0;
  if (!meeting.pending) settle(where);
  LaneMask group = meeting.arrived;
  u32 outer = meeting.parent;
  while (outer != nothing && reconvergences[outer].pc == meeting.pc && reconvergences[outer].frame == meeting.frame) {
    Reconvergence& next = reconvergences[outer];
    next.pending &= ~group;
    next.arrived |= group;
    if (next.pending) return;
    group = next.arrived;
    const u32 parent = next.parent;
    settle(outer);
    outer = parent;
  }
  splits[split_count] = {.pc = meeting.pc, .mask = group, .frame = meeting.frame, .reconvergence = outer};
  splits[split_count++].chosen = turns;
}

Split& Warp::part(LaneMask mask, ptx::Pc pc, u32 reconvergence) {
  Split& now = split();
  now.mask &= ~mask;
  Split& fresh = splits[split_count++];
  fresh = {.pc = pc, .mask = mask, .frame = now.frame, .reconvergence = reconvergence};
  fresh.chosen = now.chosen;
  return fresh;
}

void Warp::remove_split(u32 which) {
  --split_count;
  for (u32 i = which; i < split_count; ++i) splits[i] = splits[i + 1];
  // `current` stays a split's index, even where none of them runs; pick() chooses another.
  if (current >= which) current = current ? current - 1 : split_count ? split_count - 1 : 0;
}

bool Warp::any_running() const {
  for (u32 i = 0; i < split_count; ++i)
    if (splits[i].state == SplitState::running) return true;
  return false;
}

bool Warp::pick() {
  if (split_count == 0) return false;
  branches_until_turn = turn;
  // The one whose last turn is longest ago: whatever the others do, parting, meeting and parting again, its turn comes.
  u32 chosen = nothing;
  for (u32 i = 0; i < split_count; ++i)
    if (splits[i].state == SplitState::running && (chosen == nothing || splits[i].chosen < splits[chosen].chosen))
      chosen = i;
  if (chosen == nothing) return false;
  current = chosen;
  splits[chosen].chosen = ++turns;
  merge();
  return true;
}

void Warp::merge() {
  for (u32 i = split_count; i-- > 0 && split_count > 1;) {
    const Split& other = splits[i];
    Split& now = split();
    if (i == current || other.state != SplitState::running || other.pc != now.pc || other.frame != now.frame ||
        other.reconvergence != now.reconvergence)
      continue;
    now.mask |= other.mask;
    remove_split(i);
  }
}

bool Warp::exit(LaneMask mask) {
  live &= ~mask;
  frames.leave_all(split().frame, mask);
  split().mask &= ~mask;
  for (u32 i = 0; used_reconvergences && i < reconvergences.size(); ++i) {
    Reconvergence& meeting = reconvergences[i];
    if (!meeting.used || !(meeting.pending & mask)) continue;
    meeting.pending &= ~mask;
    if (meeting.pending) continue;
    if (meeting.arrived)
      resume(i);
    else
      settle(i);
  }
  if (split().mask) return true;
  remove_split(current);
  return false;
}

bool Warp::in_its_loop(const Split& those) const {
  const Spinning::Loop& loop = spin.by_lane().loops[static_cast<u32>(std::countr_zero(those.mask))];
  if (those.frame == loop.frame) return those.pc >= loop.begin && those.pc <= loop.end;
  for (u32 frame = those.frame; frame != nothing; frame = frames[frame].parent)
    if (frame == loop.frame) return true;
  return false;
}

u32 Warp::who_waits_for(const Split& those) const {
  u32 where = those.reconvergence;
  while (where != nothing && !reconvergences[where].arrived) where = reconvergences[where].parent;
  return where;
}

bool Warp::release_waiting() {
  bool any = false;
  for (u32 i = 0; i < reconvergences.size(); ++i) {
    if (!reconvergences[i].used || !reconvergences[i].arrived) continue;
    resume(i);
    any = true;
  }
  return any;
}

}  // namespace ew::simt
