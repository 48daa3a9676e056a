#include "persistency/models.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include "core/model_table.hpp"

namespace ew::persistency {

std::span<const Model> models() {
#define MODEL(name) name(),
  static const std::array table{
#include "persistency/models.inc"
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
