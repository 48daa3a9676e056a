// A warp on an SM, as the SM's controllers see it. Owned by the warp table.
#pragma once

#include "simt/block.hpp"
#include "simt/sm/grid_runs.hpp"
#include "simt/sm/scoreboard.hpp"

namespace ew::simt {

/// What a warp waits for, for the charge of lost issue slots: causes that come first are charged first.
enum class Wait : u8 { memory, order, data, control };
inline constexpr u32 waits = 4;

/// A block on the SM.
struct ResidentBlock {
  Block* block = nullptr;               // nullptr: there is none
  GridRun* run = nullptr;               // of its launch
  u32 place = 0;                        // of the block among those of its SM
  u64 parked = 0;                       // warps that the Executor has no split to run for, by their index
  u32 arrivals = 0, barriers_over = 0;  // at its barriers, seen
  Cycle barrier_free = 0;               // when its barriers take another arrival
  std::array<u8, 64> slot_of{};
};

/// Two lines of the host's caches.
struct alignas(64) WarpSlot {
  Warp* warp = nullptr;    // nullptr: the slot is vacant
  IssuedInstruction next;  // whose unit and order it is that the warp waits for
  Scoreboard scoreboard;
  TimingStatistics* counts = nullptr;  // of its launch
  SlotCounts* slots = nullptr;         // of these, where its issue slots count: those of a helper warp apart
  ResidentBlock* block = nullptr;
  Cycle begun = 0;
  u32 generation = 0;      // so many warps have left the slot
  u32 issues = 0;          // so many instructions of warps in this slot
  u32 access = no_access;  // that the warp waits for
  u16 ahead = 0;           // so many instructions from `next` have been executed: straight arithmetic
  Source source{};         // of what it waits for, when that has a cycle
  bool draining = false;   // its lanes have exited, loads are under way

  GridRun& run() const { return *block->run; }
  bool helper() const { return slots == &counts->helper_slots; }
};
static_assert(sizeof(WarpSlot) == 128);

}  // namespace ew::simt
