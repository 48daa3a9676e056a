#include "runtime/copy_engines.hpp"

#include <algorithm>

namespace ew::runtime {

CopyEngines::CopyEngines(const MachineConfig& config, memory::DmaPort::Parts port, memory::Device& host,
                         memory::HostPages& pages, const memory::DmaEngine::Tell& begins,
                         const memory::DmaEngine::Tell& done) {
  const memory::DmaConfig dma{
      .outstanding = config.copy.outstanding,
      .ports = config.copy.ports,
      .start_cycles = core::cycles_covering(config.device.clock, config.copy.latency),
  };
  for (u32 i = 0; i < std::max(config.device.copy_engines, 1u); ++i) {
    engines_.push_back(
        std::make_unique<memory::DmaEngine>(dma, memory::DmaEngine::Parts{port, host, pages}, begins, done));
    port.id = static_cast<memory::AgentId>(port.id + dma.ports);
  }
}

bool CopyEngines::idle() const {
  return std::ranges::all_of(engines_, [](const auto& engine) { return engine->idle(); });
}

void CopyEngines::add_to(HierarchyStatistics& sum) const {
  for (const auto& engine : engines_) sum.copies.add(engine->statistics());
}

std::string CopyEngines::what_is_under_way() const {
  std::string text;
  for (const auto& engine : engines_) text += engine->what_is_under_way();
  return text;
}

}  // namespace ew::runtime
