// How an SM's memory is divided between shared memory and the L1 while a kernel runs. Before the first block of a
// kernel comes to an empty SM, the driver chooses one of a few sizes of shared memory; the L1 has the rest. CUDA C++
// Programming Guide, section Shared Memory of each compute capability.
#pragma once

#include <span>

#include "core/units.hpp"
#include "simt/occupancy.hpp"

namespace ew::simt {

/// The sizes of shared memory that there are, in KiB, ascending. Empty: this capability has no choice, or none is
/// known.
std::span<const u32> carveouts_of(core::ComputeCapability);

/// Bytes of the L1 while such blocks are on the SM; 0: it has one size (GpuLimits::unified_bytes is 0). Without a
/// preference (-1) shared memory is large enough for all blocks that fit otherwise. `preferred`: percent of the most
/// shared memory (cudaFuncAttributePreferredSharedMemoryCarveout); a block always fits.
u64 l1_bytes_of(const GpuLimits&, const BlockNeeds&, int preferred);

}  // namespace ew::simt
