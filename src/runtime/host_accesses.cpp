#include "runtime/host_accesses.hpp"

#include "runtime/program_time.hpp"
#include "runtime/timing_machine.hpp"

namespace ew::runtime {

HostAccesses::HostAccesses(const MachineConfig& config, const ProgramMemory& memory, const Pools& pools, Queue& queue)
    : config_(config), memory_(memory), pools_(pools), queue_(queue) {}

bool HostAccesses::shared(u64 address) const {
  const auto [low, high] = memory_.allocations().shared_range();
  return low <= address && address < high && memory_.space().holds(address);
}

bool HostAccesses::in_pool(u64 address) const {
  const auto [low, high] = pools_.range();
  return low <= address && address < high && memory_.space().holds(address);
}

/// A host that is a node of the machine carries it along by its accesses; what it stores to pools is not of that kind.
bool HostAccesses::part_of_machine(u64 address) const {
  return config_.machine.timing() && config_.device.integrated && shared(address) && !in_pool(address);
}

void HostAccesses::meet(u64 address, u64 bytes, bool store) {
  const ProgramTime::Call inside;
  if (part_of_machine(address)) return queue_.host_access(address, bytes, store);
  if (!shared(address) && !in_pool(address)) return;
  queue_.step();
  if (config_.machine.timing())
    queue_.with_simulator([&](Simulator& simulator) { simulator.timed()->host_touched(address, bytes, store); });
}

u64 HostAccesses::piece(u64 address) const {
  return part_of_machine(address) ? config_.l1.line - address % config_.l1.line : ~u64{0} - address;
}

}  // namespace ew::runtime
