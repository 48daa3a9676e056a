#include "coherence/models.hpp"

#include <array>

#include "core/model_table.hpp"

namespace ew::coherence {

std::span<const Model> models() {
#define MODEL(name) name(),
  static const std::array table{
#include "coherence/models.inc"
  };
#undef MODEL
  return table;
}

const Model* find_model(std::string_view name) {
  return core::find_named(models(), name);
}

std::vector<std::string_view> names() {
  return core::names_of(models());
}

const memory::HomePolicy* common_home(const Model& sms, const Model& host) {
  using memory::HomeKind;
  const memory::HomePolicy &one = sms.home(), &other = host.home();
  if (one.kind() == other.kind()) return &one;
  return one.kind() == HomeKind::none && other.kind() == HomeKind::registry ? &other : nullptr;
}

std::vector<std::string_view> names_beside(const Model& sms) {
  std::vector<std::string_view> names;
  for (const Model& host : models())
    if (common_home(sms, host)) names.push_back(host.name);
  return names;
}

bool keeps_written_lines(const Model& model) {
  return model.agent.owns() && !model.pools;
}

}  // namespace ew::coherence
