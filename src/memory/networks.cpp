#include "memory/networks.hpp"

#include <fmt/format.h>

#include "core/clock_ratio.hpp"
#include "core/diagnostics.hpp"

namespace ew::memory {

u64 memory_distance(const NetworkConfig& config, const NetworkParts& parts, u32 slice, u32 channel) {
  if (config.kind != "mesh") return 0;
  const u32 columns = config.mesh.columns, rows = config.mesh.rows;
  Position home{static_cast<u16>(slice % columns), static_cast<u16>(slice / columns % rows)};
  if (!parts.placement.empty()) home = parts.placement[parts.agents + slice];
  const u32 column = channel % 2 ? columns - 1 : 0, row = channel / 2 % 2 ? rows - 1 : 0;
  const auto far = [](u32 a, u32 b) { return a < b ? b - a : a - b; };
  const u64 hops = 2 * (far(home.column, column) + far(home.row, row));
  return core::ClockRatio::of_clock(parts.clock, config.mesh.clock).cycle_at(hops * config.mesh.hop);
}

std::unique_ptr<Network> make_network(const NetworkConfig& config, const NetworkParts& parts) {
  std::string names;
  for (const NetworkKind& kind : network_kinds) {
    if (kind.name == config.kind) return kind.make(config, parts);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
  }
  throw core::UserError(fmt::format("network.kind: no network is called \"{}\"; there are {}", config.kind, names));
}

}  // namespace ew::memory
