// Branches, calls, returns, exits: what parts and joins the lanes of a warp. Owned by an Executor. Each function leaves
// a current split that can go on, or answers false: none can, or a fault.
#pragma once

#include "simt/reports.hpp"
#include "simt/spin_detector.hpp"
#include "simt/sync_unit.hpp"
#include "simt/system_calls.hpp"

namespace ew::simt {

class ControlFlow {
 public:
  /// All outlive it.
  ControlFlow(FaultReports&, SpinDetector&, SyncUnit&, SystemCalls&);

  bool branch(Warp&, const ptx::Instr&, LaneMask taken);
  bool branch_table(Warp&, const ptx::Instr&, LaneMask);
  bool call(Warp&, const ptx::Instr&, LaneMask);
  bool return_from(Warp&, LaneMask);
  bool exit(Warp&, LaneMask);

 private:
  bool find_target(Warp&, const ptx::CallForm&, LaneMask, u32& function);
  bool enter(Warp&, const ptx::CallForm&, u32 function);
  bool backward_branch(Warp&, ptx::Pc from);

  FaultReports& faults_;
  SpinDetector& spins_;
  SyncUnit& syncs_;
  SystemCalls& system_calls_;
};

}  // namespace ew::simt
