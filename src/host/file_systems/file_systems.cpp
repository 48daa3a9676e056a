#include <array>

#include "core/model_table.hpp"
#include "host/file_system.hpp"

namespace ew::host {

#define MODEL(name) FileSystem name();
#include "host/file_systems/file_systems.inc"
#undef MODEL

std::span<const FileSystem> file_systems() {
#define MODEL(name) name(),
  static const std::array table{
#include "host/file_systems/file_systems.inc"
  };
#undef MODEL
  return table;
}

const FileSystem* find_file_system(std::string_view name) {
  return core::find_named(file_systems(), name);
}

std::vector<std::string_view> file_system_names() {
  return core::names_of(file_systems());
}

}  // namespace ew::host
