// From a memory instruction, or an mbarrier instruction, to the one MemoryOp that it is. Owned by an Executor.
#pragma once

#include "simt/operation.hpp"
#include "simt/reports.hpp"
#include "simt/spin_detector.hpp"

namespace ew::simt {

class MemoryOps {
 public:
  /// All outlive it.
  MemoryOps(Performer& performer, FaultReports& faults, SpinDetector& spins)
      : performer_(performer), faults_(faults), spins_(spins) {}

  // True: it has been performed. False: a fault, or the current split waits for it.
  bool access(Warp&, const ptx::Instr&, LaneMask);
  bool mbarrier(Warp&, const ptx::Instr&, LaneMask);

 private:
  Performer& performer_;
  FaultReports& faults_;
  SpinDetector& spins_;
  MemoryOp op_;  // of the instruction at hand
};

/// An access of grid.made, complete but for its addresses.
void begin_access(MemoryOp&, Warp&, LaneMask, u32 made);

}  // namespace ew::simt
