// The local memory of an SM: what CUDA calls shared memory. A scratchpad is one (scratchpad.hpp); a stash would be
// another. Owned by the SM, which asks when a memory instruction issues.
//
// The load/store unit takes local accesses in the order of issue. So an access may be performed at issue: nobody sees
// that its time comes later. REQUIRES of both functions: no lane of the access is in global memory.
#pragma once

#include "simt/operation.hpp"
#include "simt/timing_statistics.hpp"

namespace ew::simt {

/// What an access costs.
struct LocalCost {
  u32 busy = 1;     // cycles for which it keeps the load/store unit
  u32 latency = 1;  // cycles from the first of these until the result is there
};

class LocalMemory {
 public:
  virtual ~LocalMemory() = default;
  /// Performs the access of the warp in this slot: `done` or `faulted`, as operation.hpp says. Some lanes of a generic
  /// access may be in their own local windows; these are performed with it.
  virtual Performed perform(MemoryOp&, u32 slot) = 0;
  /// Counts it, and says what it costs. REQUIRES: all lanes are in the block's local memory.
  virtual LocalCost cost(const MemoryOp&, TimingStatistics&) const = 0;
};

}  // namespace ew::simt
