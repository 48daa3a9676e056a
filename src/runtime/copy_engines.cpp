#include "runtime/copy_engines.hpp"

#include <algorithm>

namespace ew::runtime {

namespace {

// Physical addresses of host pages that no allocation names; allocations end far below.
constexpr u64 unnamed_host_pages = u64{1} << 50;

memory::PrivateCacheConfig port_of(const MachineConfig& config) {
  memory::PrivateCacheConfig port = config.l1;
  port.bytes = u64{64} * port.line;
  port.ways = 0;
  port.banks = 1;
  port.bank_bytes = memory::longest_line;
  port.latency = 1;
  port.mshrs = port.write_buffer = config.copy.outstanding;
  return port;
}

}  // namespace

CopyEngines::CopyEngines(const MachineConfig& config, core::TimeWheel& wheel, const memory::AddressMap& map,
                         memory::Device& host, const AddPort& add_port, const memory::DmaEngine::Tell& begins,
                         const memory::DmaEngine::Tell& done) {
  const memory::PrivateCacheConfig port = port_of(config);
  const memory::DmaConfig dma{
      .outstanding = config.copy.outstanding,
      .ports = config.copy.ports,
      .start_cycles = core::cycles_covering(config.device.clock, config.copy.latency),
  };
  const memory::DmaEngine::Parts parts{wheel, host, map, config.l1.line, unnamed_host_pages};
  for (u32 i = 0; i < std::max(config.device.copy_engines, 1u); ++i) {
    engines_.push_back(std::make_unique<memory::DmaEngine>(dma, parts, begins, done));
    std::vector<memory::PrivateCache*> caches;
    for (memory::Agent* agent : engines_.back()->agents()) caches.push_back(&add_port(port, *agent));
    engines_.back()->attach(caches);
  }
}

bool CopyEngines::idle() const {
  return std::ranges::all_of(engines_, [](const auto& engine) { return engine->idle(); });
}

void CopyEngines::add_to(HierarchyStatistics& sum) const {
  for (const auto& engine : engines_) sum.add(engine->statistics());
}

std::string CopyEngines::what_is_under_way() const {
  std::string text;
  for (const auto& engine : engines_) text += engine->what_is_under_way();
  return text;
}

}  // namespace ew::runtime
