// Accesses of one SM that are under way: copies of the operations, with the data that they write, in a pool of fixed
// size. Owned by the SM; a number names an access to the private cache, and comes back with its answers.
#pragma once

#include <array>
#include <vector>

#include "core/time_wheel.hpp"
#include "memory/agent.hpp"
#include "simt/coalescer.hpp"
#include "simt/operation.hpp"
#include "simt/sm/grid_runs.hpp"
#include "simt/sm/scoreboard.hpp"

namespace ew::simt {

enum class AccessPath : u8 {
  line,    // through the private cache, performed there
  shadow,  // through the private cache for its time; the values are known
  shared   // shared memory or the constant cache: the values are known, the unit is busy for a while
};

struct Access {
  MemoryOp op;
  std::array<AccessPart, warp_lanes> parts;
  // What it writes; of a copy to shared memory, a row of offsets there and a row of bytes to copy.
  alignas(64) std::array<u32, most_captured_rows * warp_lanes> data;

  GridRun* grid = nullptr;  // nullptr: it failed; nobody waits any more
  IssuedInstruction instruction;
  u8* shared = nullptr;  // of a copy to shared memory: the block's
  memory::LineAccess line;
  core::Cycle ready = 0;                  // hits answer so late
  core::Cycle begun = 0;                  // its instruction issued
  TimingStatistics* counts_of = nullptr;  // of its launch on this SM
  u64 stalled = 0;                        // issue slots that were lost to it
  u32 leader = 0;                // another access of the same instruction, which the registers wait for; or itself
  u32 others = 0;                // of a leader: accesses that it waits for
  u32 slot = 0, generation = 0;  // the warp's
  u64 block = 0;                 // its number, and the warp's in it: when events are recorded
  u32 warp = 0;
  u32 serial = 0;     // counts its lives
  u32 next_held = 0;  // of its warp
  u32 busy = 1;       // cycles of the unit
  u32 latency = 0;    // of path shared
  u8 parts_count = 0, next_part = 0, to_perform = 0, to_complete = 0;
  Source source = Source::cached;  // of what it reads
  u8 group = 0;
  memory::ServedBy served_by = memory::ServedBy::none;
  AccessPath path = AccessPath::line;
  Shape shape = Shape::scattered;
  bool counts = false;    // in the order of its warp
  bool writes = false;    // store or reduction: nothing comes back to registers
  bool finishes = false;  // Executor::finish is owed
  bool copies = false;    // to shared memory
  bool acquires = false;
  bool mmio = false;       // the instruction says so
  bool retained = false;   // its instruction has issued without it
  bool done = false;       // of a leader that others keep
  bool placed = false;     // `line` is that of part line.part
  bool of_helper = false;  // of a helper warp
};

/// Where slots count that are lost to it.
inline SlotCounts& slots_of(const Access& a) {
  return a.counts_of->slots_of(a.of_helper);
}

/// An access comes into being when its number is first taken, lowest numbers first: what a short run does not use costs
/// it no page.
class AccessPool {
 public:
  explicit AccessPool(u32 size) {
    all_.reserve(size);
    for (u32 i = size; i-- > 0;) free_.push_back(i);
  }
  u32 take() {
    const u32 id = free_.back();
    free_.pop_back();
    if (id == all_.size()) all_.emplace_back();
    return id;
  }
  void give_back(u32 id) { free_.push_back(id); }
  Access& operator[](u32 id) { return all_[id]; }
  const Access& operator[](u32 id) const { return all_[id]; }
  /// The access will be sent soon: what decides about that comes into the host's caches. Decides nothing.
  void expect(u32 id) const {
    const Access& a = all_[id];
    core::prefetch(&a.op);
    core::prefetch(&a.parts[0]);
    core::prefetch(&a.line);
    core::prefetch(&a.parts_count);
  }
  /// The same of a part that will be performed.
  void expect(u32 id, u32 part) const {
    const Access& a = all_[id];
    core::prefetch(&a.parts[part]);
    core::prefetch(&a.grid);
    core::prefetch(&a.parts_count);
    core::prefetch(&a.op);
    core::prefetch(&a.op.address);
  }
  u32 number_of(const Access& a) const { return static_cast<u32>(&a - all_.data()); }
  u32 room() const { return static_cast<u32>(free_.size()); }
  /// Those that have been taken so far have the numbers below this.
  u32 made() const { return static_cast<u32>(all_.size()); }

 private:
  std::vector<Access> all_;
  std::vector<u32> free_;
};

}  // namespace ew::simt
