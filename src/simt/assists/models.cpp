#include "simt/assists/models.hpp"

#include <array>

#include "core/model_table.hpp"

namespace ew::simt {

std::span<const AssistModel> assist_models() {
#define MODEL(name) assists::name(),
  static const std::array table{
#include "simt/assists/models.inc"
  };
#undef MODEL
  return table;
}

std::vector<std::string_view> assist_names() {
  return core::names_of(assist_models());
}

const AssistModel* assist_model(std::string_view name) {
  return core::find_named(assist_models(), name);
}

}  // namespace ew::simt
