#include "memory/replacement/policies.hpp"

#include <array>

#include "core/model_table.hpp"

namespace ew::memory {

std::span<const ReplacementPolicy> replacement_policies() {
#define MODEL(name) replacement::name(),
  static const std::array table{
#include "memory/replacement/policies.inc"
  };
#undef MODEL
  return table;
}

const ReplacementPolicy* replacement_policy(std::string_view name) {
  return core::find_named(replacement_policies(), name);
}

std::vector<std::string_view> replacement_names() {
  return core::names_of(replacement_policies());
}

}  // namespace ew::memory
