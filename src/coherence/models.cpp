#include "coherence/models.hpp"

#include <array>

namespace ew::coherence {
namespace {

constexpr std::array table{
    Model{"gpu",
          "Private copies may be stale: an acquire above block scope drops them, a release writes dirty bytes through, "
          "atomics are performed at the L2.",
          make_gpu},
    Model{"none-l1", "Private caches keep read-only data alone: every other access is performed at the L2.",
          make_none_l1},
    Model{"mesi",
          "A directory at the L2 gives a line to one writer or to many readers: no copy is ever stale, and stores and "
          "atomics are performed in the private cache.",
          make_mesi},
};

}  // namespace

std::span<const Model> models() {
  return table;
}

const Model* find_model(std::string_view name) {
  for (const Model& model : table)
    if (model.name == name) return &model;
  return nullptr;
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for (const Model& model : table) result.push_back(model.name);
  return result;
}

bool keeps_written_lines(const Model& model) {
  return model.make()->permission().store_needs_owned;
}

}  // namespace ew::coherence
