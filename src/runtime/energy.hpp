// Energy of a timing machine: events, which the components count, times what the machine file says one event takes.
// Split as the thesis splits it (section 4.7): GPU core+, scratchpad, L1, L2, network, memory. The
// host link and the host's memory are a seventh part, and the idle power over time is an eighth.
#pragma once

#include "core/fields.hpp"
#include "core/types.hpp"

namespace ew::runtime {

struct EnergyConfig {
  core::Femtojoules lane_instruction{50'000};
  core::Femtojoules scratchpad{55'300};
  core::Femtojoules l1_hit{177'000}, l1_miss{197'000}, tlb{14'100};
  core::Femtojoules l2_access{200'000};
  core::Femtojoules flit_crossing{325'000};
  core::Femtojoules memory_sector{3'584'000};
  core::Femtojoules host_sector{8'000'000};
  u32 idle = 0;  // mW

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    const Range range{0, 1e9};
    const char* thesis = "thesis, Table 4.5 (GPUWattch)";
    visit("lane_instruction", self.lane_instruction, range, "",
          "GPU core+: an instruction of one thread, with its share of fetch, decode, scheduling and registers.",
          "GPUJoule (Arunkumar et al., HPCA 2019): FFMA32 on a Tesla K40, 0.05 nJ");
    visit("scratchpad", self.scratchpad, range, "", "A pass of a warp through shared memory.", thesis);
    visit("l1_hit", self.l1_hit, range, "", "An access of a line in the private cache that hits.", thesis);
    visit("l1_miss", self.l1_miss, range, "", "An access of a line in the private cache that misses.", thesis);
    visit("tlb", self.tlb, range, "", "The address translation of either.", thesis);
    visit("l2_access", self.l2_access, range, "", "A sector read or written in the L2.",
          "assumed: four reads of 256 bits from 8 KiB of SRAM at 50 pJ (Keckler et al., IEEE Micro 2011, 28 nm)");
    visit(
        "flit_crossing", self.flit_crossing, range, "", "A flit over one link of the network.",
        "26 pJ/mm for 256 bits (Keckler et al. 2011), a flit of 40 bytes, 10 mm: assumed length of a crossbar's wires");
    visit("memory_sector", self.memory_sector, range, "", "32 bytes read from or written to the GPU's memory.",
          "O'Connor et al., MICRO 2017: GDDR5 14 pJ/bit");
    visit("host_sector", self.host_sector, range, "", "32 bytes over the host link to or from the host's memory.",
          "assumed: 31 pJ/bit for link and DDR4 together");
    visit("idle", self.idle, Range{0, 1'000'000}, "mW",
          "The whole GPU's power while it runs a kernel that does nothing; counted for the time of kernels.",
          "none for most GPUs: 0 counts nothing");
  }
};

/// In picojoules.
struct Energy {
#define STATISTICS "runtime/energy.inc"
#include "core/statistics_set.inc"
};

struct HierarchyStatistics;

/// `nanoseconds`: in which the GPU takes its idle power.
Energy energy_of(const EnergyConfig&, const HierarchyStatistics&, u64 lane_instructions, u64 shared_passes,
                 u64 nanoseconds);

}  // namespace ew::runtime
