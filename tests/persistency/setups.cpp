#include "setups.hpp"

#include "coherence/models.hpp"
#include "core/configuration.hpp"

namespace ew::persistency {
namespace {

/// The one choice of a section that gives up order: tests of its own say what it loses.
constexpr std::string_view loses_order = "sbrp.merge=past-others";

/// Every combination of the words that fields of the model's section may have.
std::vector<std::vector<std::string>> combinations(const Model& model) {
  std::vector<std::vector<std::string>> all{{}};
  if (!model.section.collect) return all;
  PersistencyConfig config;
  std::vector<core::Field> fields;
  model.section.collect(config.sections, core::FieldCollector(fields, model.name));
  for (const core::Field& field : fields) {
    if (field.choices.names.empty()) continue;
    std::vector<std::vector<std::string>> more;
    for (const auto& before : all)
      for (const std::string_view word : field.choices.names) {
        const std::string setting = fmt::format("{}={}", field.key(), word);
        if (setting == loses_order) continue;
        more.push_back(before);
        more.back().push_back(setting);
      }
    all = std::move(more);
  }
  return all;
}

}  // namespace

void apply(const Setup& setup, PersistencyConfig& config) {
  if (setup.settings.empty()) return;
  std::vector<core::Field> fields;
  setup.model->section.collect(config.sections, core::FieldCollector(fields, setup.model->name));
  for (const std::string& setting : setup.settings) core::apply_setting(setting, fields);
}

std::vector<Setup> setups() {
  std::vector<Setup> all;
  for (const Model& model : models()) {
    if (!model.make) continue;
    for (const coherence::Model& protocol : coherence::models())
      if (!coherence::keeps_written_lines(protocol)) all.push_back({&model, std::string(protocol.name), {}});
    for (const auto& words : combinations(model))
      if (!words.empty()) all.push_back({&model, "gpu", words});
  }
  for (const std::vector<std::string>& numbers : {std::vector<std::string>{"sbrp.window=1"},
                                                  {"sbrp.window=2", "sbrp.buffer=1000"},
                                                  {"sbrp.window=3", "sbrp.leaving=head"},
                                                  {"sbrp.window=1", "sbrp.policy=capped"},
                                                  {"sbrp.window=2", "sbrp.policy=capped", "sbrp.leaving=head"},
                                                  {"sbrp.buffer=1"}})
    all.push_back({find_model("sbrp"), "gpu", numbers});
  return all;
}

}  // namespace ew::persistency
