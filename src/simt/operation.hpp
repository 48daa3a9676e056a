// The seam between function and time. An instruction that touches memory, in any state space, yields MemoryOps: a load,
// store, atomic or copy yields one, an mbarrier operation one, a surface access one, a texture fetch one for each texel
// that its filter weighs. A barrier, a fence, a sleep or a wait yields a SyncOp. Whoever performs it writes the
// destination registers. In functional mode a flat memory performs at once; in timing mode the hierarchy does. Nothing
// else differs between the two.
//
// What a performer may do, and when:
// - Answer `done`: it has been performed, the registers are written. Answer `faulted` (memory only): nothing of it was
//   performed, `refusal` says why. Either ends the matter.
// - Answer `pending`: copy the op (it is used again for the next one) and perform it later: write the
//   registers that the copy names, then call Executor::finish with the copy, `done` or `faulted`. finish() is called
//   once for each, between instructions (never from within memory() or sync()), in any order: several ops of one warp,
//   of its splits or of the texels of one instruction, may be pending at once. The lanes of the op stand still until
//   then, and after it the warp is as if the op had been performed at once. A SyncOp's effect on its warp (to have
//   arrived at the barrier, to fall asleep) comes with finish(), not before.
// - Answer `pending` after clearing `parks`, for a MemoryOp that is neither a texel nor an `update`: the lanes go on at
//   once. Then the performer has read the operands (store data, b, c) already, will not refuse, and writes only the
//   destinations later; the GPU keeps what reads or writes those rows from running until finish(), and keeps the warp's
//   storage until Warp::under_way is 0.
// - While a lane stands still its registers do not change, but the warp's rows may move: ask rows() each time.
// - When a grid fails, the GPU calls forget(): the performer drops what is pending of it, unfinished.
#pragma once

#include <array>

#include "core/types.hpp"
#include "ptx/kernel.hpp"
#include "simt/fault.hpp"
#include "simt/warp.hpp"

namespace ew::simt {

struct AccessPlan;
struct Grid;
struct TextureAccess;

/// How the lanes' addresses lie.
enum class Shape : u8 { uniform, consecutive, scattered };

struct MemoryOp {
  const ptx::MemoryForm* form = nullptr;  // the kernel's; of a texel, a surface or an mbarrier the grid's
  AccessPlan* plan = nullptr;             // what of the form does not change during a launch
  Warp* warp = nullptr;
  ptx::Pc pc = 0;
  LaneMask lanes = 0;     // that take part
  u32 frame = 0;          // the activation, in warp->frames
  Words* bank = nullptr;  // register rows lie there from row_base on: the activation's, or a texture's texels
  u32 row_base = 0;
  const u32* constants = nullptr;
  bool uniform = false;  // every lane has the same address, known without looking (no address row)
  bool parks = true;     // the lanes wait while it is pending
  const ptx::MbarrierForm* mbarrier = nullptr;  // kind `update`: see update()
  LaneMask completed = 0;                       // test_wait and try_wait: lanes whose phase has ended
  TextureAccess* texture = nullptr;             // of a texel: the TextureUnit's
  LaneMask shaped = 0;                          // for which lanes `shape` is known
  Shape shape;                                  // how their addresses lie
  // Byte addresses a lane: the form's offset is added already. Window generic, global and constant: host virtual
  // address or a window of address_space.hpp; shared: offset in the block's shared memory; local and frame: offset in
  // the lane's local memory; param: offset in the kernel's parameters.
  alignas(64) std::array<u64, warp_lanes> address;

  // What a performer that answers `faulted` says of the first lane that may not do this.
  struct Refusal {
    FaultKind kind = FaultKind::none;
    u32 lane = 0;
    u64 address = 0;  // as the program wrote it
    u32 bytes = 0;
    u32 arrivals = 0, expected = 0;  // of an mbarrier that gets more than it expects
  } refusal;

  /// Destinations and store data by form->data: row r of lane l at [r * 32 + l].
  u32* rows() const { return bank->data() + std::size_t{row_base} * warp_lanes; }
};

/// Performs what an mbarrier operation of one lane does to the barrier's word, at the place where the word is
/// performed, lane after lane; writes the lane's registers. False: refused, refusal is set. REQUIRES: kind `update`.
bool update(MemoryOp&, u32 lane, u64& word);

enum class SyncKind : u8 { block_barrier, warp_barrier, fence, sleep, async_commit, async_wait };

struct SyncOp {
  SyncKind kind = SyncKind::fence;
  Warp* warp = nullptr;
  ptx::Pc pc = 0;
  LaneMask lanes = 0;
  u32 barrier = 0;  // block_barrier: number; warp_barrier: the lanes that meet, 0 if they are not all the same
  u32 threads = 0;  // block_barrier: how many threads complete it (0: all of the block)
  u32 groups = 0;   // async_wait: how many of the youngest groups may go on (0: all is waited for, committed or not)
  ptx::Order order = ptx::Order::acq_rel;
  bool sequentially_consistent = false;
  Scope scope = Scope::none;
  u64 nanoseconds = 0;  // sleep
};

enum class Performed : u8 { done, pending, faulted };

/// Where functional mode's performers hand in what they had kept pending.
class Finisher {
 public:
  virtual ~Finisher() = default;
  virtual void finish(const MemoryOp&, Performed) = 0;
  virtual void finish(const SyncOp&) = 0;
};

/// Performs what warps ask for. One a machine mode; called by the SM only.
class Performer {
 public:
  virtual ~Performer() = default;
  virtual Performed memory(MemoryOp&) = 0;
  virtual Performed sync(SyncOp&) = 0;
  /// Drops what is pending of a grid that has failed. Nothing of the grid may be touched afterwards.
  virtual void forget(const Grid&) {}
  /// FunctionalGpu calls it before each turn of a warp: the place to finish what is pending. A timing machine has its
  /// own events for that, and never calls it.
  virtual void step(Finisher&) {}
  /// Does step() do anything? Asked once.
  virtual bool steps() const { return false; }
  /// For the report of a deadlock: a warp of this SM polls the word at `address` and finds `value` each time. What to
  /// say where memory has a newer value, which the polls cannot see; else empty.
  virtual std::string newer_elsewhere([[maybe_unused]] u32 sm, [[maybe_unused]] u64 address,
                                      [[maybe_unused]] u32 value) const {
    return {};
  }
};

}  // namespace ew::simt
