// Runs the instructions of one warp at a time. Owned by a Gpu; knows nothing of dispatch. A warp runs until its
// budget is spent or it cannot go on; what it wakes (a barrier's other warps) shows in Block::ready.
//
// Arithmetic and uniform branches are executed here (execute.cpp, step.cpp). Every other kind of instruction has a unit
// of its own, which is handed the warp: control_flow.hpp, memory_ops.hpp, texture_unit.hpp, sync_unit.hpp,
// system_calls.hpp, lane_values.hpp.
#pragma once

#include <string_view>

#include "simt/block.hpp"
#include "simt/control_flow.hpp"
#include "simt/memory_ops.hpp"
#include "simt/operation.hpp"
#include "simt/reports.hpp"
#include "simt/spin_detector.hpp"
#include "simt/spinning.hpp"
#include "simt/sync_unit.hpp"
#include "simt/system_calls.hpp"
#include "simt/texture_unit.hpp"

namespace ew::simt {

enum class Outcome : u8 {
  running,   // budget spent
  spinning,  // it runs but waits for someone: let the others go first
  blocked,   // no split of it can run
  ended,     // all lanes have exited
  faulted    // fault() says why
};

class Executor {
 public:
  /// All outlive it.
  Executor(Performer&, DeviceServices&, memory::AddressSpace&, const GpuLimits&);

  /// Runs at most `budget` warp instructions of `warp` and says how many in `executed`.
  Outcome run(Warp& warp, u64 budget, u64& executed);
  /// Makes a split that runs current, at the instruction that it executes next. False: none runs. For a GPU that must
  /// know the next instruction before it executes it.
  bool make_ready(Warp& warp) { return is_together(warp) || find_ready(warp); }
  /// All lanes run, and none of them is met by others: make_ready() changes nothing.
  static bool is_together(const Warp& warp) {
    const Split& split = warp.splits[warp.current];
    return warp.split_count == 1 && split.state == SplitState::running && split.reconvergence == nothing;
  }
  /// The instruction touches registers only, and they are the same whenever it is executed: arithmetic of the ALU, a
  /// special register that is no clock, a parameter of the kernel.
  static bool is_arithmetic(const Grid&, const ptx::Instr&);
  /// Executes that instruction and those behind it, `count` in all; the registers of their function begin at these rows
  /// and predicates. REQUIRES: make_ready() was true, all are arithmetic, and all but the last are straight (PcTiming).
  void compute(Warp&, const ptx::Instr* first, u32 count, u32 row_base, u32 predicate_base);
  /// Executes one that is not arithmetic: run() with a budget of 1.
  Outcome run_alone(Warp&);
  /// What a performer had kept pending has been performed, or refused; operation.hpp says when to call it. The warp is
  /// as if that had been done at once, its bit in Block::ready is set. False: faulted, take_fault() says why.
  bool finish(const MemoryOp&, Performed);
  void finish(const SyncOp& op) { syncs_.finish(op); }
  /// The grid has failed: what it had pending will not be finished.
  void forget(const Grid& grid) { textures_.forget(grid); }
  /// The fault of the last run() or finish() that ended in one.
  Fault take_fault() { return faults_.take(); }
  /// All warps of this block wait and nobody can come: who waits where.
  Fault deadlock(const Block&) const;
  /// The same under a heading of the caller's.
  Fault deadlock(const Block&, std::string_view what, FaultKind kind = FaultKind::barrier_deadlock) const;
  /// A fault that no single instruction caused.
  static Fault fault_of(const Warp& warp, FaultKind kind, std::string_view what) {
    return simt::fault_of(warp, kind, what);
  }
  /// Wakes splits of the block's sleeping warps whose time has come; the earliest wake of the others.
  static u64 wake_sleepers(Block& block, u64 cycle) { return SyncUnit::wake_sleepers(block, cycle); }
  /// For Standstill.
  SpinWatch& watch() { return spins_.watch(); }
  /// op.lanes have polled, and their registers hold what they found. Of lanes that a performer answers at once while
  /// others of the instruction are pending, the performer says so.
  static void note_poll(const MemoryOp& op) { simt::note_poll(op); }

 private:
  bool find_ready(Warp&);
  /// Arithmetic that is not the ALU's.
  void value(Warp&, const ptx::Instr&, LaneMask, u32 row_base);
  /// Anything but arithmetic; the current split stands at the instruction. False: no split is left to go on with, or a
  /// fault.
  bool other(Warp&, const ptx::Instr&, LaneMask);
  /// The same, of what run() does not perform itself.
  bool control(Warp&, const ptx::Instr&, LaneMask);
  /// No split is left to go on with, or there is a fault.
  Outcome stuck(const Warp&) const;

  DeviceServices& services_;
  memory::AddressSpace& space_;
  const GpuLimits& limits_;
  SpinDetector spins_;
  FaultReports faults_;
  DeadlockReports deadlocks_;
  SyncUnit syncs_;
  SystemCalls system_calls_;
  ControlFlow flow_;
  MemoryOps memory_;
  TextureUnit textures_;
};

}  // namespace ew::simt
