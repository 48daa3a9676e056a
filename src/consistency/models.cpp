#include "consistency/models.hpp"

#include <array>

#include "core/model_table.hpp"

namespace ew::consistency {

std::span<const memory::Consistency> models() {
#define MODEL(name) name(),
  static const std::array table{
#include "consistency/models.inc"
  };
#undef MODEL
  return table;
}

const memory::Consistency* model(std::string_view name) {
  return core::find_named(models(), name);
}

std::vector<std::string_view> names() {
  return core::names_of(models());
}

}  // namespace ew::consistency
