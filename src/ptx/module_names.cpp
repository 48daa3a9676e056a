#include "ptx/module_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ew::ptx {

void ModuleNames::declare(std::string_view name, bool is_definition, std::size_t offset) {
  bool& defined = defined_[name];
  if (defined && is_definition) source_.fail(offset, fmt::format("'{}' is defined twice", name));
  defined |= is_definition;
}

std::string ModuleNames::declare_hidden(std::string name, std::size_t offset) {
  while (defined_.contains(name)) name += '_';
  declare(made_.emplace_back(name), true, offset);
  return name;
}

void ModuleNames::declare_external(std::string_view name, std::size_t offset) {
  declare(made_.emplace_back(name), false, offset);
}

const u64* ModuleNames::element_bytes(const std::string& name) const {
  const auto found = element_bytes_.find(name);
  return found == element_bytes_.end() ? nullptr : &found->second;
}

void ModuleNames::check_references() const {
  for (const auto& reference : references_) {
    if (defined_.contains(reference.name)) continue;
    std::vector<std::string_view> names;
    for (const auto& [name, defined] : defined_) names.push_back(name);
    std::sort(names.begin(), names.end());
    source_.fail(reference.offset,
                 fmt::format("'{}' is not declared{}", reference.name, suggestion(reference.name, names)));
  }
}

}  // namespace ew::ptx
