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
  /// A load of the kernel's parameters. REQUIRES: reads_parameters().
  void read_parameters(Warp&, const ptx::Instr&, LaneMask, u32 row_base);
  bool mbarrier(Warp&, const ptx::Instr&, LaneMask);

 private:
  Performer& performer_;
  FaultReports& faults_;
  SpinDetector& spins_;
  MemoryOp op_;  // of the instruction at hand
};

/// The instruction reads the kernel's parameters, at a place that is known and is theirs.
bool reads_parameters(const Grid&, const ptx::Instr&);

/// An access of grid.made, complete but for its addresses.
void begin_access(MemoryOp&, Warp&, LaneMask, u32 made);

}  // namespace ew::simt
