// Machines, and what is changed of them.
#include <fmt/format.h>

#include <algorithm>

#include "report/study_parts.hpp"
#include "runtime/machine_config.hpp"

namespace ew::report {

using core::UserError;

void check_settings(const std::string& machine, const std::vector<std::string>& settings, const core::Place& place,
                    const std::string& whose) {
  try {
    runtime::MachineConfig config = runtime::load_machine(machine);
    for (const std::string& setting : settings) {
      if (setting.find(';') != setting.npos) throw UserError(fmt::format("{}: a value may not hold a ';'", setting));
      runtime::apply_setting(setting, config);
    }
    runtime::check(config);
  } catch (const UserError& error) {
    throw UserError(place, fmt::format("{}: {}", whose, error.what()));
  }
}

void check_machine(const Configuration& configuration) {
  check_settings(configuration.machine, configuration.settings, configuration.place,
                 "configuration " + configuration.name);
}

void read_configurations(const StudyTable& document, const std::string& file, const ConfigurationNames& replaced,
                         std::map<std::string, Configuration>& known) {
  const toml::table& tables = document.table_or_none("configuration");
  std::vector<const toml::key*> order;
  for (auto&& [name, node] : tables) order.push_back(&name);
  const auto line = [&](const toml::key* name) { return tables.get(name->str())->source().begin.line; };
  std::ranges::sort(order, {}, line);  // a configuration may start from one above it
  for (const toml::key* key : order) {
    const std::string name(key->str()), what = fmt::format("[configuration.{}]", name);
    const StudyTable table(as_table(*tables.get(name), file, what), file, what,
                           {"from", "machine", "set", "source_prefix", "options", "words", "size", "count_launches"});
    if (replaced.contains(name)) continue;
    if (known.contains(name))
      throw UserError(table.place(), fmt::format("{} stands already in {}", what, known[name].place.file));
    Configuration configuration;
    if (table.has("from")) {
      const std::string from = table.text("from");
      expect_name(table.place_of("from"), "configuration", from, names_of(known));
      configuration = known.at(from);
    }
    configuration.name = name;
    configuration.place = table.place();
    if (table.has("machine") || !table.has("from")) configuration.machine = table.text("machine");
    for (const std::string& setting : table.texts_or_none("set")) configuration.settings.push_back(setting);
    configuration.source_prefix = table.text_or("source_prefix", configuration.source_prefix);
    for (const std::string& option : table.texts_or_none("options")) configuration.options.push_back(option);
    if (const std::string words = table.text_or("words", ""); !words.empty())
      configuration.words += (configuration.words.empty() ? "" : " ") + words;
    configuration.size = table.text_or("size", configuration.size);
    configuration.count_launches = table.truth_or("count_launches", configuration.count_launches);
    check_machine(configuration);
    known[name] = std::move(configuration);
  }
}

}  // namespace ew::report
