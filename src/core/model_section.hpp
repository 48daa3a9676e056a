// What a machine file says to one model of a table alone: a section that has the model's name. The struct behind it is
// known to the model's own file; the others hold it as one of ModelSections.
#pragma once

#include <any>
#include <string_view>
#include <typeindex>
#include <unordered_map>

#include "core/fields.hpp"

namespace ew::core {

/// The sections of a table's models, with their defaults where nothing else was said. A value, part of a configuration.
class ModelSections {
 public:
  template <class Config>
  Config& of() {
    std::any& section = sections_[typeid(Config)];
    if (!section.has_value()) section = Config{};
    return std::any_cast<Config&>(section);
  }
  template <class Config>
  Config of() const {
    const auto found = sections_.find(typeid(Config));
    return found == sections_.end() ? Config{} : std::any_cast<const Config&>(found->second);
  }

 private:
  std::unordered_map<std::type_index, std::any> sections_;
};

/// Part of a model's descriptor. Empty: the model has no keys of its own.
struct ModelSection {
  std::string_view sentence;
  void (*collect)(ModelSections&, FieldCollector) = nullptr;
};

/// The section of a model whose keys are the members of Config, a struct with fields().
template <class Config>
ModelSection section_of(std::string_view sentence) {
  return {sentence,
          [](ModelSections& sections, FieldCollector collector) { Config::fields(sections.of<Config>(), collector); }};
}

/// The fields of all sections of a table.
template <class Table>
void collect_sections(const Table& models, ModelSections& sections, std::vector<Field>& fields) {
  for (const auto& model : models)
    if (model.section.collect) model.section.collect(sections, FieldCollector(fields, model.name));
}

}  // namespace ew::core
