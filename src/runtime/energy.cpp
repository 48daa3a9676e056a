#include "runtime/energy.hpp"

#include "runtime/hierarchy_statistics.hpp"

namespace ew::runtime {

namespace {

constexpr u64 sector = 32;

u64 picojoules(u64 events, core::Femtojoules each) {
  return static_cast<u64>(static_cast<unsigned __int128>(events) * each.count / 1000);
}

}  // namespace

Energy energy_of(const EnergyConfig& each, const HierarchyStatistics& counted, u64 lane_instructions, u64 shared_passes,
                 u64 nanoseconds) {
  const auto& l1 = counted.l1;
  const auto& l2 = counted.l2;
  // A load that joins a line on its way has looked the tag up in vain, as a miss; so has an atomic, which goes on.
  const u64 hits = l1.load_hits + l1.stores, misses = l1.load_misses + l1.load_merges + l1.atomics;
  const u64 l2_sectors = l1.sectors_fetched + l2.writes + l2.write_backs + l2.atomics + l2.sectors_fetched +
                         l2.sectors_written + l2.host_accesses;
  u64 flits = 0;
  for (u64 crossings : counted.network.flit_crossings) flits += crossings;
  const auto bytes = [](const auto& device) { return device.read_bytes + device.written_bytes; };
  Energy energy;
  energy.core = picojoules(lane_instructions, each.lane_instruction);
  energy.scratchpad = picojoules(shared_passes, each.scratchpad);
  energy.l1 = picojoules(hits, each.l1_hit) + picojoules(misses, each.l1_miss) + picojoules(hits + misses, each.tlb);
  energy.l2 = picojoules(l2_sectors, each.l2_access);
  energy.network = picojoules(flits, each.flit_crossing);
  energy.memory = picojoules(bytes(counted.memory) / sector, each.memory_sector);
  energy.host = picojoules(bytes(counted.host_memory) / sector, each.host_sector);
  energy.idle = nanoseconds * each.idle;
  return energy;
}

}  // namespace ew::runtime
