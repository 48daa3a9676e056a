#include "runtime/unused_section.hpp"

#include <fmt/format.h>

#include "host/file_system.hpp"
#include "media/kinds.hpp"
#include "memory/networks/networks.hpp"
#include "persistency/models.hpp"

namespace ew::runtime {

std::string why_unused(std::string_view section, const MachineConfig& config) {
  std::string why;
  const auto ask = [&](std::string_view key, std::string_view chosen, const auto& models) {
    for (const auto& model : models)
      if (model.name == section && model.section.collect && model.name != chosen)
        why = fmt::format("[{}] is read where {} is \"{}\", but it is \"{}\"", section, key, section, chosen);
  };
  using enum media::MediaPlace;
  ask("network.kind", config.network.kind, memory::network_kinds());
  ask("host.file_system", config.host.file_system, host::file_systems());
  ask("persistency.model", config.persistency.model, persistency::models());
  ask("memory.model", config.memory.model, media::media_kinds_at(gpu_memory));
  ask("host_memory.model", config.host_memory.model, media::media_kinds_at(host_memory));
  ask("nvm.near_model", config.nvm.near_model, media::media_kinds_at(gpu_pools));
  ask("nvm.far_model", config.nvm.far_model, media::media_kinds_at(host_pools));
  return why;
}

}  // namespace ew::runtime
