#include "runtime/named_settings.hpp"

#include "core/model_table.hpp"

namespace ew::runtime {

std::span<const NamedSettings> named_settings() {
  static constexpr NamedSettings all[] = {
#define SETTINGS(...) {__VA_ARGS__},
#include "runtime/named_settings.inc"
#undef SETTINGS
  };
  return all;
}

const NamedSettings* find_settings(std::string_view name) {
  return core::find_named(named_settings(), name);
}

}  // namespace ew::runtime
