// What a block of a kernel takes from an SM, and how many fit.
#pragma once

#include "simt/gpu.hpp"

namespace ew::simt {

struct BlockNeeds {
  u32 threads = 0, warps = 0, registers = 0, shared_bytes = 0;
};

/// What the kernel needs, at most what its launch bounds and the GPU leave.
u32 registers_of_thread(const GpuLimits&, const ptx::Kernel&);
/// What an SM gives: the next multiple of 8.
u32 registers_taken(const GpuLimits&, const ptx::Kernel&);

BlockNeeds needs_of(const GpuLimits&, const ptx::Kernel&, u32 threads, u32 dynamic_shared);
/// Most such blocks on one SM (0: none fits).
u32 blocks_per_sm(const GpuLimits&, const BlockNeeds&);
/// Most warps of such blocks on one SM, and what keeps more out: "blocks", "warps", "registers" or "shared memory".
struct Occupancy {
  u32 warps = 0;
  std::string_view limiter;
};
Occupancy occupancy_of(const GpuLimits&, const BlockNeeds&);
/// Empty when the launch fits; else one sentence that names the limit it exceeds.
std::string refusal(const GpuLimits&, const Launch&);

}  // namespace ew::simt
