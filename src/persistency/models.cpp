#include "persistency/models.hpp"

#include <algorithm>
#include <array>
#include <ranges>

namespace ew::persistency {

std::span<const Model> models() {
  static const std::array table{none(), strict(), gpm(), epoch(), epoch_artifact(), sbrp()};
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

std::vector<const PersistAxioms*> all_axioms() {
  std::vector<const PersistAxioms*> result;
  for (const Model& model : models() | std::views::reverse)
    for (const PersistAxioms* axioms : model.axioms)
      if (std::ranges::find(result, axioms) == result.end()) result.push_back(axioms);
  return result;
}

const PersistAxioms* find_axioms(std::string_view name) {
  for (const PersistAxioms* axioms : all_axioms())
    if (axioms->name == name) return axioms;
  return nullptr;
}

}  // namespace ew::persistency
