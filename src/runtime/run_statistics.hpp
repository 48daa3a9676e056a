// What a run is counted in: the figures of `ew run --stats` and --json, described once for the file and for `ew
// explain`.
#pragma once

#include "core/types.hpp"

namespace ew::runtime {

struct RunStatistics {
  u64 launches = 0, simulated_nanoseconds = 0;
  u64 warp_instructions = 0, thread_instructions = 0, memory_instructions = 0, memory_lanes = 0;
  u64 blocks = 0, warps = 0, divergent_branches = 0, barriers = 0;
  u64 max_resident_bytes = 0;
  u64 unrepeatable = 0, early_reads = 0, abandoned = 0;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("launches", self.launches, "launches", "Kernels that were started.");
    visit("simulated_nanoseconds", self.simulated_nanoseconds, "ns",
          "Simulated time at the end. In functional mode one warp instruction takes one cycle of its SM.");
    visit("warp_instructions", self.warp_instructions, "instructions", "Instructions that warps executed.");
    visit("thread_instructions", self.thread_instructions, "instructions",
          "The same, counted once for each active thread.");
    visit("memory_instructions", self.memory_instructions, "instructions",
          "Loads, stores and atomics that warps executed.");
    visit("memory_lanes", self.memory_lanes, "accesses", "The same, counted once for each active thread.");
    visit("blocks", self.blocks, "blocks", "Thread blocks that ran.");
    visit("warps", self.warps, "warps", "Warps that ran.");
    visit("divergent_branches", self.divergent_branches, "branches", "Branches at which the lanes of a warp parted.");
    visit("barriers", self.barriers, "barriers", "Arrivals of warps, or of parts of them, at barriers of their block.");
    visit("max_resident_bytes", self.max_resident_bytes, "bytes",
          "Most memory that the simulator held for blocks in flight: registers, shared memory and stacks.");
    visit(
        "unrepeatable", self.unrepeatable, "times",
        "Times that the speed of the host decided something: from a host that polls memory which kernels write to the "
        "next synchronisation, and where a thread of the host did not come to rest. 0: the same seed gives the same "
        "run.");
    visit(
        "early_reads", self.early_reads, "times",
        "Times that the host read memory which kernels may write while work was queued and not yet simulated: the host "
        "saw the bytes from before that work.");
    visit("abandoned", self.abandoned, "commands",
          "Kernels, copies and host functions that had not ended when the program did.");
  }
};

}  // namespace ew::runtime
