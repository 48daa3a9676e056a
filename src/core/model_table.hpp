// What every table of models can do. A table is a list, NAME.inc, with a line for each model: MODEL(function). The
// function stands in the model's own file and returns its descriptor, which has a name and a sentence. The file that
// includes the list (models.cpp, policies.cpp) includes it twice: to declare the functions, and to call them.
#pragma once

#include <string_view>
#include <vector>

namespace ew::core {

/// nullptr: there is none of that name; the caller says which are near (core/nearest.hpp).
template <class Table>
auto find_named(const Table& table, std::string_view name) -> decltype(table.data()) {
  for (const auto& model : table)
    if (model.name == name) return &model;
  return nullptr;
}

/// In the order of the table.
template <class Table>
std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& model : table) names.push_back(model.name);
  return names;
}

}  // namespace ew::core
