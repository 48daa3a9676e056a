// Instructions that wait or order, as SyncOps: block barriers (counted by threads, as Volta and later do), barriers of
// a warp, fences, waits for asynchronous copies, nanosleep. What an operation does to its warp is said once
// (carry_out), for those that are performed at once and for those that a performer kept pending. Owned by an Executor.
#pragma once

#include "simt/operation.hpp"
#include "simt/reports.hpp"
#include "simt/spin_detector.hpp"

namespace ew::simt {

class SyncUnit {
 public:
  /// All outlive it.
  SyncUnit(Performer&, FaultReports&, SpinDetector&, const GpuLimits&);

  // Each leaves a current split that can go on, or answers false: none can, or a fault.
  bool barrier(Warp&, const ptx::BarrierForm&, LaneMask);
  bool warp_sync(Warp&, const ptx::Instr&, LaneMask);
  bool sleep(Warp&, const ptx::Instr&, LaneMask);
  /// A fence, or a commit of or wait for asynchronous copies.
  bool order(Warp&, const ptx::Instr&, LaneMask);

  /// What was pending has been performed.
  void finish(const SyncOp&);
  /// Threads of the block have exited: they are no longer waited for.
  void threads_exited(Block&);
  /// Wakes splits of the block's sleeping warps whose time has come; the earliest wake of the others.
  static u64 wake_sleepers(Block&, u64 cycle);

 private:
  bool synchronise(Warp&, SyncOp&);
  void carry_out(Warp&, Split&, const SyncOp&);
  void arrive(Warp&, Split&, const SyncOp&);
  void complete(Block&, u32 barrier);
  void fall_asleep(Warp&, Split&, const SyncOp&) const;

  Performer& performer_;
  FaultReports& faults_;
  SpinDetector& spins_;
  const GpuLimits& limits_;
};

}  // namespace ew::simt
