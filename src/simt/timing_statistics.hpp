// What the SMs of a timing machine did with their issue slots. One slot is one scheduler in one cycle; each is charged
// to exactly one cause, so the causes add up to schedulers x SMs x cycles. The categories are those of GSI (Alsop et
// al., ISPASS 2016; the thesis, section 1.2), weakest cause first: an instruction issued; else memory structural,
// memory data, synchronisation, compute structural, compute data, control, idle, by the first that holds for any warp
// of the scheduler.
#pragma once

#include <array>

#include "core/types.hpp"
#include "simt/latency_histogram.hpp"

namespace ew::simt {

/// Warp instructions by the unit that took them.
struct InstructionCounts {
  u64 integer = 0, single = 0, half = 0, wide = 0, special = 0, convert = 0, shuffle = 0, branch = 0, synchronising = 0;
  u64 global_loads = 0, global_stores = 0, atomics = 0, shared_accesses = 0, local_accesses = 0, constant_accesses = 0;
  u64 texture = 0, other = 0;
};

struct MemoryCounts {
  u64 requests = 0, lines = 0, sectors = 0;  // accesses of global memory, and what they fell into
  u64 parts = 0;                             // lines that private caches were asked for
  u64 shared_requests = 0, shared_passes = 0;
  u64 constant_misses = 0;
};

/// Issue slots by cause.
struct SlotCounts {
  u64 issued = 0, idle = 0, control = 0, synchronisation = 0, compute_data = 0, compute_structural = 0;
  u64 data_private = 0, data_merged = 0, data_home = 0, data_remote = 0, data_device = 0, data_host = 0;
  u64 data_shared = 0, data_constant = 0, data_unserved = 0;
  u64 structural_unit = 0, structural_bank = 0, structural_mshr = 0, structural_merge = 0, structural_line = 0;
  u64 structural_write_buffer = 0, structural_release = 0, structural_network = 0;
  u64 persist_buffer = 0, persist_order = 0, persist_eviction = 0, persist_durable = 0, persist_fence = 0;
};

struct TimingStatistics {
  u64 cycles = 0;         // simulated
  u64 active_cycles = 0;  // in which an SM had a warp, added over SMs
  u64 warp_cycles = 0;    // in which a warp was on its SM, added over warps
  InstructionCounts instructions;
  MemoryCounts memory;
  SlotCounts slots;
  // From issue to value, by who served it (memory::ServedBy).
  std::array<u64, latency_levels> latency_count{}, latency_sum{};

  /// Every issue slot once.
  u64 all_slots() const;
  void add(const TimingStatistics&);

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

template <class Self, class Visitor>
void TimingStatistics::fields(Self& self, Visitor&& visit) {
  visit("cycles", self.cycles, "cycles", "Simulated time, in cycles of the SMs.");
  visit("active_cycles", self.active_cycles, "cycles", "Cycles in which an SM had a warp, added over all SMs.");
  visit("warp_cycles", self.warp_cycles, "cycles", "Cycles in which a warp was on its SM, added over warps.");
  visit("issued.integer", self.instructions.integer, "instructions",
        "Integer, logic, comparison and move instructions of a warp.");
  visit("issued.single", self.instructions.single, "instructions", "Single-precision instructions of a warp.");
  visit("issued.half", self.instructions.half, "instructions", "Half-precision and bfloat instructions of a warp.");
  visit("issued.double", self.instructions.wide, "instructions", "Double-precision instructions of a warp.");
  visit("issued.special", self.instructions.special, "instructions", "Instructions of the special function unit.");
  visit("issued.convert", self.instructions.convert, "instructions", "Conversions between types.");
  visit("issued.shuffle", self.instructions.shuffle, "instructions", "Shuffles, votes and reductions of a warp.");
  visit("issued.branch", self.instructions.branch, "instructions", "Branches, calls and returns.");
  visit("issued.synchronising", self.instructions.synchronising, "instructions",
        "Barriers, fences and waits for copies.");
  visit("issued.global_loads", self.instructions.global_loads, "instructions", "Loads of global memory.");
  visit("issued.global_stores", self.instructions.global_stores, "instructions", "Stores to global memory.");
  visit("issued.atomics", self.instructions.atomics, "instructions", "Atomics and reductions on global memory.");
  visit("issued.shared", self.instructions.shared_accesses, "instructions",
        "Accesses of shared memory, mbarriers included.");
  visit("issued.local", self.instructions.local_accesses, "instructions", "Accesses of local memory and call frames.");
  visit("issued.constant", self.instructions.constant_accesses, "instructions",
        "Loads of constant memory and of parameters.");
  visit("issued.texture", self.instructions.texture, "instructions", "Texture and surface instructions.");
  visit("issued.other", self.instructions.other, "instructions", "Every other instruction.");
  visit("requests", self.memory.requests, "instructions",
        "Instructions that accessed global memory, by lanes that are not in other windows.");
  visit("lines", self.memory.lines, "lines", "Lines that accesses of global memory fell into.");
  visit("sectors", self.memory.sectors, "sectors", "Sectors of 32 bytes that they fell into.");
  visit("parts", self.memory.parts, "accesses", "Lines that SMs asked private caches for, of every kind.");
  visit("shared_requests", self.memory.shared_requests, "instructions", "Instructions that accessed shared memory.");
  visit("shared_passes", self.memory.shared_passes, "cycles",
        "Passes through shared memory: one an access without conflicts.");
  visit("constant_misses", self.memory.constant_misses, "lines", "Lines that the constant cache had to fetch.");
  visit("slots.issued", self.slots.issued, "slots", "A warp's instruction issued.");
  visit("slots.idle", self.slots.idle, "slots", "The scheduler had no warp that has an instruction left.");
  visit("slots.control", self.slots.control, "slots", "Warps waited for the instruction behind a branch.");
  visit("slots.synchronisation", self.slots.synchronisation, "slots",
        "Warps waited at barriers, fences, sleeps, or for order.");
  visit("slots.compute_data", self.slots.compute_data, "slots",
        "Warps waited for the result of an arithmetic instruction.");
  visit("slots.compute_structural", self.slots.compute_structural, "slots", "Warps waited for an arithmetic unit.");
  visit("slots.data_private", self.slots.data_private, "slots", "Warps waited for data from the private cache.");
  visit("slots.data_merged", self.slots.data_merged, "slots",
        "Warps waited for data that was on its way for another access.");
  visit("slots.data_home", self.slots.data_home, "slots", "Warps waited for data from the home (L2).");
  visit("slots.data_remote", self.slots.data_remote, "slots", "Warps waited for data from another private cache.");
  visit("slots.data_device", self.slots.data_device, "slots", "Warps waited for data from the GPU's memory.");
  visit("slots.data_host", self.slots.data_host, "slots", "Warps waited for data from the host's memory.");
  visit("slots.data_shared", self.slots.data_shared, "slots", "Warps waited for data from shared or local memory.");
  visit("slots.data_constant", self.slots.data_constant, "slots", "Warps waited for constants, parameters and texels.");
  visit("slots.data_unserved", self.slots.data_unserved, "slots",
        "Warps waited for data that had not come when it was counted.");
  visit("slots.structural_unit", self.slots.structural_unit, "slots",
        "The load/store unit was busy and its queue full.");
  visit("slots.structural_bank", self.slots.structural_bank, "slots",
        "The queue was full; its head waited for a cache bank.");
  visit("slots.structural_mshr", self.slots.structural_mshr, "slots",
        "The queue was full; its head waited for an MSHR.");
  visit("slots.structural_merge", self.slots.structural_merge, "slots",
        "The queue was full; its head waited to join an MSHR.");
  visit("slots.structural_line", self.slots.structural_line, "slots",
        "The queue was full; its head waited for a line.");
  visit("slots.structural_write_buffer", self.slots.structural_write_buffer, "slots",
        "The queue was full; its head waited for the write buffer.");
  visit("slots.structural_release", self.slots.structural_release, "slots",
        "The queue was full; its head waited for a release.");
  visit("slots.structural_network", self.slots.structural_network, "slots",
        "The queue was full; its head waited for the network.");
  visit("slots.persist_buffer", self.slots.persist_buffer, "slots", "Warps were held: the persist buffer was full.");
  visit("slots.persist_order", self.slots.persist_order, "slots",
        "Warps were held: a store to persistent memory had to wait for older persists.");
  visit("slots.persist_eviction", self.slots.persist_eviction, "slots",
        "Warps were held: a persistent line that had to make room might not leave yet.");
  visit("slots.persist_durable", self.slots.persist_durable, "slots",
        "Warps were held until their store was durable (strict).");
  visit("slots.persist_fence", self.slots.persist_fence, "slots",
        "Warps waited at an order operation for persists, or for room in the persist buffer.");
  for (u32 level = 1; level < latency_levels; ++level) {
    visit(latency_names[level].count, self.latency_count[level], "accesses", latency_names[level].counted);
    visit(latency_names[level].sum, self.latency_sum[level], "cycles",
          "They took from the instruction's issue to the value, added over them.");
  }
}

}  // namespace ew::simt
