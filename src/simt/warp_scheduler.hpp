// The seam of warp schedulers: which of the ready warps issues next? A row of the table in schedulers/models.inc
// answers, in one of two ways. A function of the choice alone needs no memory of its own and costs one call. A
// scheduler that remembers (two-level, cache-conscious) is an object: one is made for each scheduler of each SM, and
// told what happens.
//
// A policy may prefer some warps for ever. The SM itself lets a warp issue that was passed over for too long
// (sm/scheduler.hpp).
#pragma once

#include <bit>
#include <memory>
#include <string_view>

#include "core/types.hpp"

namespace ew::simt {

/// Warps of an SM are numbered by slot, one bit each.
struct WarpChoice {
  u64 candidates = 0;        // not 0
  u32 last = 0;              // slot that issued last on this scheduler
  const u64* age = nullptr;  // per slot: order of arrival, smaller is older
};

/// What a scheduler remembers. It knows of its own warps only; owned by the SM.
class SchedulerState {
 public:
  virtual ~SchedulerState() = default;
  /// One of the candidates. These may be fewer than are ready: warps that were passed over for too long go first.
  virtual u32 choose(const WarpChoice&) = 0;
  /// An instruction of the warp issues.
  virtual void issued(u32) {}
  /// A warp has come to the slot; the one that was there has left the SM.
  virtual void arrived(u32) {}
  virtual void ended(u32) {}
  /// The warp's next instruction must wait for a memory access that is under way.
  virtual void waits_for_memory(u32) {}
};

/// What an object is made for.
struct SchedulerPlace {
  u64 slots = 0;  // that are dealt to the scheduler
  u64 seed = 0;   // for its random draws, if it makes any; equal runs have equal seeds
};

struct SchedulerPolicy {
  std::string_view name, sentence;
  // One of the two.
  u32 (*choose)(const WarpChoice&) = nullptr;
  std::unique_ptr<SchedulerState> (*make)(const SchedulerPlace&) = nullptr;
  // `choose` answers `last` whenever that is a candidate, and the oldest one otherwise: then it need not be asked.
  bool greedy = false;
};

/// Of these slots, the one whose warp has been on the SM for longest. REQUIRES: not 0.
inline u32 oldest_of(u64 slots, const u64* age) {
  u32 oldest = static_cast<u32>(std::countr_zero(slots));
  for (u64 left = slots & (slots - 1); left; left &= left - 1) {
    const u32 slot = static_cast<u32>(std::countr_zero(left));
    if (age[slot] < age[oldest]) oldest = slot;
  }
  return oldest;
}
/// Of these slots, the next behind `last`, all round. REQUIRES: not 0.
u32 next_behind(u64 slots, u32 last);

}  // namespace ew::simt
