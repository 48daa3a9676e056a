#include "runtime/derived_figures.hpp"

namespace ew::runtime {

namespace {

constexpr DerivedFigure table[] = {
    {"duration", "cycles / machine.ghz / 1000", "us", "Simulated time.", "gpu__time_duration.sum"},
    {"ipc", "issued.* / cycles / machine.sms", "instructions a cycle",
     "Instructions of a warp that an SM issued in a cycle, of all cycles and SMs.",
     "sm__inst_executed.avg.per_cycle_elapsed"},
    {"ipc.active", "issued.* / active_cycles", "instructions a cycle",
     "The same, of cycles in which the SM had a warp.", "sm__inst_executed.avg.per_cycle_active"},
    {"issue.utilisation", "100 * slots.issued / (cycles * machine.sms * machine.schedulers)", "%",
     "Issue slots in which an instruction issued.", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed"},
    {"lanes.instruction", "kernel.thread_instructions / kernel.warp_instructions", "threads",
     "Threads that execute an instruction of a warp: active, and not switched off by a predicate.",
     "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
    {"occupancy.achieved", "100 * warp_cycles / (active_cycles * machine.warps)", "%",
     "Resident warps of an SM, of those that it may have, over cycles in which it had one.",
     "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"occupancy.theoretical", "100 * kernel.resident_warps / machine.warps", "%",
     "The same if every SM had all the blocks of the kernel that fit; the limiter says what keeps more out.",
     "sm__maximum_warps_per_active_cycle_pct"},
    // Caches
    {"l1.hit_rate", "100 * l1.load_hits / l1.loads", "%", "Loads that private caches had.",
     "l1tex__t_sector_hit_rate.pct"},
    {"l2.hit_rate", "100 * l2.read_hits / (l2.read_hits + l2.read_misses)", "%",
     "Reads of which the L2 had every sector, of those that it may have.", "lts__t_sector_op_read_hit_rate.pct"},
    {"l2.atomic_hit_rate", "100 * l2.atomic_hits / l2.atomics", "%", "Atomics of which the L2 had every sector.",
     "lts__t_sector_op_atom_hit_rate.pct"},
    // Bandwidths
    {"l1.bandwidth", "sectors * 32 * machine.ghz / cycles", "GB/s", "Sectors that accesses of global memory fell into.",
     "l1tex__t_bytes.sum.per_second"},
    {"l1.bandwidth.share", "100 * sectors * 32 / (cycles * machine.l1_bytes_a_cycle)", "%",
     "Of what the banks of private caches can move.", "l1tex__t_bytes.avg.pct_of_peak_sustained_elapsed"},
    {"l2.bandwidth",
     "((l1.sectors_fetched + l1.sectors_past) * machine.l1_sector + l1.bytes_written + l1.bytes_through) * machine.ghz "
     "/ cycles",
     "GB/s", "Bytes between SMs and L2, without those of atomics.", "lts__t_bytes.sum.per_second"},
    {"l2.bandwidth.share",
     "100 * ((l1.sectors_fetched + l1.sectors_past) * machine.l1_sector + l1.bytes_written + l1.bytes_through) / "
     "(cycles * "
     "machine.l2_bytes_a_cycle)",
     "%", "Of what the ports of the L2's slices on the network can move in one direction.",
     "lts__t_bytes.avg.pct_of_peak_sustained_elapsed"},
    {"memory.bandwidth", "(memory.read_bytes + memory.written_bytes) * machine.ghz / cycles", "GB/s",
     "Bytes between L2 and the GPU's memory.", "dram__bytes.sum.per_second"},
    {"memory.bandwidth.share",
     "100 * (memory.read_bytes + memory.written_bytes) / (cycles * machine.memory_bytes_a_cycle)", "%",
     "Of what the channels' data buses can move.", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"memory.row_hit_rate", "100 * memory.row_hits / (memory.row_hits + memory.row_misses + memory.row_conflicts)", "%",
     "Requests that found their row open.", ""},
    {"host.bandwidth", "(host_memory.read_bytes + host_memory.written_bytes) * machine.ghz / cycles", "GB/s",
     "Bytes to and from the host's memory, without pages of managed memory. Of a whole run, those of the host's cores, "
     "too.",
     "pcie__read_bytes.sum.per_second"},
    {"host.bandwidth.share",
     "100 * (host_memory.read_bytes + host_memory.written_bytes) / (2 * cycles * machine.host_link_bytes_a_cycle)", "%",
     "Of what both directions of the host link can move.", ""},
    {"host_link.share", "100 * (host_link.to_host.busy_cycles + host_link.to_device.busy_cycles) / (2 * cycles)", "%",
     "Time in which a direction of the host link was busy, with whatever crosses it.", "", false},
    // Latencies
    {"latency.private.average", "latency.private.sum / latency.private.count", "cycles",
     "Of loads and atomics, from issue to value, where the private cache had the line.", ""},
    {"latency.home.average", "latency.home.sum / latency.home.count", "cycles", "Where the home (L2) had it.", ""},
    {"latency.device.average", "latency.device.sum / latency.device.count", "cycles",
     "Where it came from the GPU's memory.", ""},
    {"latency.remote.average", "latency.remote.sum / latency.remote.count", "cycles",
     "Where another private cache had it.", ""},
    {"latency.merged.average", "latency.merged.sum / latency.merged.count", "cycles",
     "Where another access had asked for it.", ""},
    {"latency.host.average", "latency.host.sum / latency.host.count", "cycles", "Where it came from the host.", ""},
    {"latency.private.p50", "percentile(latency.private, 50)", "cycles", "Half of them took no longer.", ""},
    {"latency.private.p99", "percentile(latency.private, 99)", "cycles", "Of 100 of them 99 took no longer.", ""},
    {"latency.home.p50", "percentile(latency.home, 50)", "cycles", "Half of them took no longer.", ""},
    {"latency.home.p99", "percentile(latency.home, 99)", "cycles", "Of 100 of them 99 took no longer.", ""},
    {"latency.device.p50", "percentile(latency.device, 50)", "cycles", "Half of them took no longer.", ""},
    {"latency.device.p99", "percentile(latency.device, 99)", "cycles", "Of 100 of them 99 took no longer.", ""},
    {"latency.host.p50", "percentile(latency.host, 50)", "cycles", "Half of them took no longer.", ""},
    {"latency.host.p99", "percentile(latency.host, 99)", "cycles", "Of 100 of them 99 took no longer.", ""},
    // Shapes of accesses
    {"coalescing.sectors", "sectors / requests", "sectors", "Sectors that an access of global memory fell into.",
     "l1tex__average_t_sectors_per_request_pipe_lsu.ratio"},
    {"coalescing.lines", "lines / requests", "lines", "Lines that it fell into.", ""},
    {"shared.conflicts", "shared_passes - shared_requests", "passes",
     "Passes through shared memory beyond one an access: bank conflicts, and accesses wider than a pass.",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"shared.passes", "shared_passes / shared_requests", "passes", "Passes of an access of shared memory.",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum / smsp__sass_inst_executed_op_shared.sum"},
    {"atomics.lanes", "l2.atomic_lanes / l2.atomics", "threads", "Threads of an atomic that the L2 performs.", ""},
    {"atomics.waited", "l2.atomic_wait_cycles / l2.atomics", "cycles",
     "Contention: an atomic waited for its turn at the L2, behind other requests of its slice.", ""},
    {"l2.waited_share", "100 * l2.waited / (l2.reads + l2.owns + l2.writes + l2.atomics)", "%",
     "Requests that waited for a line that was held or on its way.", ""},
    {"network.flits", "network.flit_crossings.*", "flits", "Flits times the links that they crossed.", ""},
    // Energy
    {"energy.total", "energy.*", "pJ", "Of all classes together.", ""},
    {"energy.instruction", "energy.* / issued.*", "pJ", "Of an instruction of a warp, with everything.", ""},
    {"power", "energy.* / (1000 * cycles / machine.ghz)", "W", "Energy over time, with energy.idle of the machine.",
     ""},
    // The roofline in instructions of a warp and transactions of 32 bytes (Ding and Williams, PMBS 2019).
    {"roofline.intensity", "32 * issued.* / (memory.read_bytes + memory.written_bytes)", "instructions",
     "Instructions of a warp for each 32 bytes of the GPU's memory.", ""},
    {"roofline.performance", "issued.* * machine.ghz / cycles", "GIPS", "Instructions of a warp in a nanosecond.", ""},
    {"roofline.ceiling", "machine.sms * machine.schedulers * machine.issue_width * machine.ghz", "GIPS",
     "What the schedulers can issue.", ""},
    {"roofline.slope",
     "issued.* / (memory.read_bytes + memory.written_bytes) * machine.memory_bytes_a_cycle * machine.ghz", "GIPS",
     "What the memory's bandwidth allows at this intensity: the roof is the lesser of the two.", ""},
};

constexpr NsightName stalls[] = {
    {"slots.issued", "smsp__issue_active"},
    {"slots.idle", "smsp__warps_eligible: no warp"},
    {"slots.control", "stalled_branch_resolving"},
    {"slots.synchronisation", "stalled_barrier, stalled_membar, stalled_sleeping"},
    {"slots.compute_data", "stalled_wait, stalled_short_scoreboard"},
    {"slots.compute_structural", "stalled_math_pipe_throttle"},
    {"slots.data_private", "stalled_long_scoreboard (L1 hit)"},
    {"slots.data_merged", "stalled_long_scoreboard"},
    {"slots.data_home", "stalled_long_scoreboard (L2)"},
    {"slots.data_device", "stalled_long_scoreboard (DRAM)"},
    {"slots.data_host", "stalled_long_scoreboard (system memory)"},
    {"slots.data_shared", "stalled_short_scoreboard (shared memory)"},
    {"slots.data_constant", "stalled_imc_miss"},
    {"slots.structural_unit", "stalled_lg_throttle, stalled_mio_throttle"},
    {"slots.structural_mshr", "stalled_lg_throttle"},
    {"memory.read_bytes", "dram__bytes_read.sum"},
    {"memory.written_bytes", "dram__bytes_write.sum"},
    {"l1.loads", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum, in lines"},
    {"l2.reads", "lts__t_requests_srcunit_tex_op_read.sum"},
    {"l2.atomics", "lts__t_sectors_op_atom.sum and lts__t_sectors_op_red.sum, in sectors"},
    {"requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum, and _st, _atom, _red"},
    {"sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum, and _st, _atom, _red"},
    {"shared_passes", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {"active_cycles", "sm__cycles_active.sum"},
    {"cycles", "sm__cycles_elapsed.max"},
    {"warp_instructions", "smsp__inst_executed.sum"},
    {"thread_instructions", "smsp__thread_inst_executed_pred_on.sum"},
};

}  // namespace

std::span<const DerivedFigure> derived_figures() {
  return table;
}

std::span<const NsightName> nsight_names() {
  return stalls;
}

std::vector<std::pair<const DerivedFigure*, double>> derive(const NamedFigures& figures, bool of_launch) {
  std::vector<std::pair<const DerivedFigure*, double>> list;
  for (const DerivedFigure& one : table) {
    if (of_launch && !one.of_launches) continue;
    if (const auto value = core::evaluate(one.expression, figures))
      list.emplace_back(&one, static_cast<double>(*value));
  }
  return list;
}

}  // namespace ew::runtime
