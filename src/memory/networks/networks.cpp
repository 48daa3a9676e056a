#include "memory/networks/networks.hpp"

#include <fmt/format.h>

#include <array>

#include "core/diagnostics.hpp"
#include "core/model_table.hpp"

namespace ew::memory {

namespace networks {
#define MODEL(name) NetworkKind name();
#include "memory/networks/networks.inc"
#undef MODEL
}  // namespace networks

std::span<const NetworkKind> network_kinds() {
#define MODEL(name) networks::name(),
  static const std::array table{
#include "memory/networks/networks.inc"
  };
#undef MODEL
  return table;
}

const NetworkKind* find_network_kind(std::string_view name) {
  return core::find_named(network_kinds(), name);
}

u64 memory_distance(const NetworkConfig& config, const NetworkParts& parts, u32 slice, u32 channel) {
  const NetworkKind* const kind = find_network_kind(config.kind);
  return kind && kind->memory_distance ? kind->memory_distance(config, parts, slice, channel) : 0;
}

std::unique_ptr<Network> make_network(const NetworkConfig& config, const NetworkParts& parts) {
  if (const NetworkKind* const kind = find_network_kind(config.kind)) return kind->make(config, parts);
  throw core::UserError(fmt::format("network.kind: no network is called \"{}\"; there are {}", config.kind,
                                    fmt::join(core::names_of(network_kinds()), ", ")));
}

}  // namespace ew::memory
