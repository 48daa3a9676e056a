#include "memory/networks.hpp"

#include <fmt/format.h>

#include "core/diagnostics.hpp"

namespace ew::memory {

std::unique_ptr<Network> make_network(const NetworkConfig& config, const NetworkParts& parts) {
  std::string names;
  for (const NetworkKind& kind : network_kinds) {
    if (kind.name == config.kind) return kind.make(config, parts);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
  }
  throw core::UserError(fmt::format("network.kind: no network is called \"{}\"; there are {}", config.kind, names));
}

}  // namespace ew::memory
