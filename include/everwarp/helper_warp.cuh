// Helper warps: warps of a program that work for the other warps of their block, and compute nothing themselves.
//
//   if (threadIdx.x >= workers) {
//     everwarp::mark_helper_warp();      // this warp is one, until it ends
//     …
//   }
//
// A mark changes nothing that a program does. Everwarp counts the issue slots of marked warps a second time, as
// `helper.slots.*`: docs/statistics.md. A warp is marked as a whole, even if some of its lanes are elsewhere.
#pragma once

#if defined(__CUDACC__)

#include "region.cuh"

namespace everwarp {

EVERWARP_DEVICE void mark_helper_warp() {
  [[maybe_unused]] unsigned lane;  // a region holds an instruction
  asm volatile(EVERWARP_REGION("helper_warp", "mov.u32 %0, %%laneid;") : "=r"(lane));
}

}  // namespace everwarp

#endif  // __CUDACC__
