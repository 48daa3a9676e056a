#include "coherence/models.hpp"

#include <array>

namespace ew::coherence {

#define MODEL(name) Model name();
#include "coherence/models.inc"
#undef MODEL

std::span<const Model> models() {
#define MODEL(name) name(),
  static const std::array table{
#include "coherence/models.inc"
  };
#undef MODEL
  return table;
}

const Model* find_model(std::string_view name) {
  for (const Model& model : models())
    if (model.name == name) return &model;
  return nullptr;
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for (const Model& model : models()) result.push_back(model.name);
  return result;
}

bool keeps_written_lines(const Model& model) {
  return model.agent.owns();
}

}  // namespace ew::coherence
