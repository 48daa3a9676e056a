// What every table of models can do. A table is a list, NAME.inc, with a line for each model: MODEL(function). The
// function stands in the model's own file and returns its descriptor, which has a name and a sentence. The file that
// includes the list (models.cpp, policies.cpp) includes it twice: to declare the functions, and to call them.
//
// A name that stands twice in a table is a mistake of whoever added the second: it is told at the first question.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>
#include <vector>

namespace ew::core {

[[noreturn]] inline void stands_twice(std::string_view name, std::string_view first, std::string_view second) {
  throw std::logic_error(
      fmt::format("two lines of one table are called \"{}\", and each needs a name of its own: \"{}\" and \"{}\"", name,
                  first, second));
}

template <class Model>
std::string_view sentence_of(const Model& model) {
  if constexpr (requires { std::string_view(model.sentence); })
    return model.sentence;
  else
    return model.name;
}

/// nullptr: there is none of that name; the caller says which are near (core/nearest.hpp).
template <class Table>
auto find_named(const Table& table, std::string_view name) -> decltype(table.data()) {
  decltype(table.data()) found = nullptr;
  for (const auto& model : table) {
    if (model.name != name) continue;
    if (found) stands_twice(name, sentence_of(*found), sentence_of(model));
    found = &model;
  }
  return found;
}

/// In the order of the table.
template <class Table>
std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& model : table) {
    for (const auto& other : table)
      if (&other != &model && other.name == model.name)
        stands_twice(model.name, sentence_of(model), sentence_of(other));
    names.push_back(model.name);
  }
  return names;
}

}  // namespace ew::core
