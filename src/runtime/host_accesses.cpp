#include "runtime/host_accesses.hpp"

namespace ew::runtime {

HostAccesses::HostAccesses(const MachineConfig& config, const ProgramMemory& memory, const Pools& pools, Queue& queue)
    : config_(config), memory_(memory), pools_(pools), queue_(queue) {}

bool HostAccesses::shared(u64 address) const {
  const auto [low, high] = memory_.allocations().shared_range();
  return low <= address && address < high && memory_.space().bounds(address).end != 0;
}

bool HostAccesses::in_pool(u64 address) const {
  const auto [low, high] = pools_.range();
  return low <= address && address < high && memory_.space().bounds(address).end != 0;
}

/// A host that is a node of the machine carries it along by its accesses; what it stores to pools is not of that kind.
void HostAccesses::meet(u64 address, u64 bytes, bool store, const std::function<void(Simulator&)>& access) {
  const bool persistent = in_pool(address);
  if (!persistent && !shared(address)) return;
  const bool part_of_machine = config_.device.integrated && config_.machine.timing() && !persistent;
  queue_.step(part_of_machine ? 1 : queue_quantum);
  if (!config_.machine.timing()) return;
  queue_.with_simulator([&](Simulator& simulator) {
    simulator.host_touched(address, bytes, store);
    if (part_of_machine) access(simulator);
  });
}

void HostAccesses::meet(u64 address, u64 bytes, bool store) {
  meet(address, bytes, store, [&](Simulator& simulator) { simulator.host_access(address, bytes, store); });
}

void HostAccesses::meet_write(u64 address, u64 bytes, const Simulator::HostWrite& write) {
  bool written = false;
  meet(address, bytes, true, [&](Simulator& simulator) {
    simulator.host_write(address, bytes, write);
    written = true;
  });
  if (!written) write(address, bytes);
}

}  // namespace ew::runtime
