// `ew explain`: what can be configured, what is supported, what is counted. All of it comes from the tables that the
// code uses.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "check/persistency_model.hpp"
#include "cli/explain_ptx.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "coherence/describe.hpp"
#include "coherence/features.hpp"
#include "coherence/models.hpp"
#include "consistency/models.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/json_text.hpp"
#include "core/nearest.hpp"
#include "core/statistics.hpp"
#include "host/file_system.hpp"
#include "media/dram_standards.hpp"
#include "media/kinds.hpp"
#include "memory/networks/networks.hpp"
#include "memory/prefetcher.hpp"
#include "memory/replacement.hpp"
#include "persistency/models.hpp"
#include "runtime/derived_figures.hpp"
#include "runtime/invariants.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/named_settings.hpp"
#include "runtime/run_results.hpp"
#include "runtime/run_statistics.hpp"
#include "simt/assists/models.hpp"
#include "simt/schedulers/models.hpp"
#include "storage/media/models.hpp"

namespace ew::cli {

namespace {

using core::Field;
using core::UserError;

struct ExplainCommand {
  std::string topic, name;
  bool json = false;
};

nlohmann::ordered_json field_json(const Field& field, const Field& standard) {
  return {{"key", field.key()},
          {"value", core::value_text(field)},
          {"default", core::value_text(standard)},
          {"unit", core::unit_text(field)},
          {"expected", core::expected_text(field)},
          {"sentence", field.sentence},
          {"source", field.source}};
}

void print_field(const Field& field, const Field& standard) {
  const std::string value = core::value_text(field), default_value = core::value_text(standard);
  const std::string_view unit = core::unit_text(field);
  fmt::print("  {} = {}{}{}\n", field.name, value, unit.empty() ? "" : " # ", unit);
  fmt::print("{}", wrapped(std::string(field.sentence), 6));
  std::string more = "Expected: " + core::expected_text(field) + ".";
  if (value != default_value) more += " Default: " + default_value + ".";
  if (!field.source.empty())
    more += fmt::format(" Source{}: {}.", value != default_value ? " of the default" : "", field.source);
  fmt::print("{}\n", wrapped(more, 6));
}

// `ew explain machine [NAME]`; `ew explain sm.count` and `ew explain sm` narrow it.
int explain_machine(const std::string& machine, std::string_view only, bool json) {
  runtime::MachineConfig config = runtime::load_machine(machine.empty() ? "default" : machine), standard;
  const std::vector<Field> fields = runtime::fields_of(config), defaults = runtime::fields_of(standard);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string section;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field& field = fields[i];
    if (!only.empty() && only != field.section && only != field.key()) continue;
    if (json) {
      list.push_back(field_json(field, defaults[i]));
      continue;
    }
    if (section != field.section) {
      section = field.section;
      fmt::print("[{}]  {}\n\n", section, runtime::section_sentence(section));
    }
    print_field(field, defaults[i]);
  }
  if (json) fmt::print("{}\n", core::json_text(list));
  return clean;
}

int explain_machines(bool json) {
  Table table({"machine", ">SMs", ">clock MHz", ">memory", "name of the device"});
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& name : core::machine_names()) {
    const runtime::MachineConfig config = runtime::load_machine(name);
    table.row({name, std::to_string(config.sm.count), std::to_string(config.device.clock.count / 1000),
               fmt::format("{} GiB", config.device.memory.count >> 30), config.device.name});
    list.push_back({{"machine", name}, {"device", config.device.name}, {"sms", config.sm.count}});
  }
  if (json)
    fmt::print("{}\n", core::json_text(list));
  else
    fmt::print("{}\nFiles: {}\n", table.text(), (core::home_directory() / "machines").string());
  return clean;
}

struct Topic {
  std::string_view name, sentence;
};

constexpr Topic topics[] = {
    {"machine",
     "every field of a machine file: value, unit, range, meaning and source; `explain machine NAME` for another one"},
    {"machines", "the machine files that come with Everwarp"},
    {"ptx",
     "the PTX that is executed and what is refused; `explain ptx cvt` for one opcode, `explain ptx add.rn.f32` for one "
     "instruction"},
    {"models", "the models that a machine is made of, as far as they are built"},
    {"statistics", "what `ew run --stats` counts"},
    {"SECTION or SECTION.KEY", "one section (sm) or one field (sm.count) of the machine, with its models (coherence)"},
    {"STATISTIC", "one figure that is counted (l1.load_hits)"},
};

int explain_topics() {
  fmt::print("ew explain TOPIC, where TOPIC is\n\n");
  for (const Topic& topic : topics) fmt::print("  {}\n{}", topic.name, wrapped(std::string(topic.sentence), 6));
  return clean;
}

struct Model {
  std::string_view part, name, sentence;
};

/// One row a model that is built, from the tables that the machine is made from. A part with more than one is chosen by
/// that field of the machine file.
std::vector<Model> all_models() {
  std::vector<Model> all = {
      {"machine.mode", "functional",
       "Every SM executes one warp instruction a cycle and memory answers at once, with one copy of every byte: a "
       "store "
       "is visible to all threads and to the host as soon as it is executed (sequential consistency)."},
      {"machine.mode", "timing",
       "SMs issue cycle by cycle; loads take their value where the hierarchy answers, after the time that caches, "
       "network and memory take."},
  };
  const auto add = [&](std::string_view part, const auto& table) {
    for (const auto& model : table) all.push_back({part, model.name, model.sentence});
  };
  add("assist.model", simt::assist_models());
  add("coherence.protocol", coherence::models());
  add("consistency.model", consistency::models());
  add("l1.prefetcher", memory::prefetcher_kinds());
  add("l1.replacement, l2.replacement", memory::replacement_policies());
  add("persistency.model", persistency::models());
  add("sm_timing.policy", simt::scheduler_policies());
  add("network.kind", memory::network_kinds());
  add("memory.model", media::media_kinds_at(media::MediaPlace::gpu_memory));
  add("host_memory.model", media::media_kinds_at(media::MediaPlace::host_memory));
  add("nvm.near_model", media::media_kinds_at(media::MediaPlace::gpu_pools));
  add("nvm.far_model", media::media_kinds_at(media::MediaPlace::host_pools));
  add("host.file_system", host::file_systems());
  add("storage.model", storage::drive_models());
  add("storage.backend", storage::backends());
  add("memory.standard", media::dram_standards);
  for (const auto* axioms : check::persistency_columns())
    all.push_back({"axioms of persistency", axioms->name, axioms->sentence});
  return all;
}

/// What private caches do with their copies, and which home they need.
void print_protocol(const coherence::Model& protocol) {
  std::istringstream lines(coherence::describe(protocol));
  for (std::string line; std::getline(lines, line);) fmt::print("          {}\n", line);
}

/// The models among which a field of this section, or this field, chooses: `ew explain coherence`.
void print_models_of(std::string_view only) {
  std::string_view part;
  for (const Model& model : all_models()) {
    if (model.part != only && model.part.substr(0, model.part.find('.')) != only) continue;
    if (part != model.part) fmt::print("{} is one of\n", model.part);
    part = model.part;
    fmt::print("  {}\n{}", model.name, wrapped(std::string(model.sentence), 6));
    if (part == "coherence.protocol") print_protocol(*coherence::find_model(model.name));
  }
}

/// Settings that papers have names for, and what they are good for.
void print_configurations() {
  std::vector<std::string> headings{"--set"};
  for (const runtime::NamedSettings& one : runtime::named_settings()) headings.emplace_back(one.name);
  headings.emplace_back("mesi, sc");
  Table table(headings);
  std::vector<std::array<coherence::Feature, coherence::features_count>> columns;
  std::vector<std::string> protocols{"coherence.protocol"}, hosts{"coherence.host"}, consistencies{"consistency.model"};
  const auto add = [&](std::string_view protocol, std::string_view consistency, std::string_view host) {
    protocols.emplace_back(protocol), hosts.emplace_back(host), consistencies.emplace_back(consistency);
    columns.push_back(coherence::features(*coherence::find_model(protocol), *consistency::model(consistency)));
  };
  for (const runtime::NamedSettings& one : runtime::named_settings()) add(one.protocol, one.consistency, one.host);
  add("mesi", "sc", "same");
  table.row(protocols), table.row(consistencies), table.row(hosts);
  for (u32 i = 0; i < coherence::features_count; ++i) {
    std::vector<std::string> cells{fmt::format("{} ({})", columns[0][i].name, columns[0][i].benefit)};
    for (const auto& column : columns) cells.emplace_back(column[i].answer);
    table.row(cells);
  }
  fmt::print("The configurations of Sinclair's thesis (2017), and their features (its Tables 2.1 and 2.2):\n\n{}",
             table.text());
}

int explain_models(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string_view part;
  for (const Model& model : all_models()) {
    list.push_back({{"part", model.part}, {"model", model.name}, {"sentence", model.sentence}});
    if (json) continue;
    if (part != model.part) fmt::print("{}{}\n", part.empty() ? "" : "\n", model.part);
    part = model.part;
    fmt::print("  {}\n{}", model.name, wrapped(std::string(model.sentence), 6));
  }
  if (json)
    fmt::print("{}\n", core::json_text(list));
  else
    fmt::print("\ndocs/semantics/ says what these models hide.\n");
  return clean;
}

/// Figures that are made of others, each with its formula.
void explain_derived(std::string_view only, bool json, nlohmann::ordered_json& list) {
  if (!json && only.empty())
    fmt::print("\nMade of these, under \"derived\"; machine.* is of the machine file, kernel.* of the launch:\n\n");
  for (const runtime::DerivedFigure& one : runtime::derived_figures()) {
    if (!only.empty() && only != one.name) continue;
    list.push_back({{"name", one.name},
                    {"unit", one.unit},
                    {"sentence", one.sentence},
                    {"formula", one.expression},
                    {"nsight_compute", one.nsight}});
    if (json) continue;
    fmt::print("  {} # {}\n{}", one.name, one.unit, wrapped(std::string(one.sentence), 6));
    fmt::print("{}", wrapped(fmt::format("= {}", one.expression), 6));
    if (!one.nsight.empty()) fmt::print("      Nsight Compute: {}\n", one.nsight);
  }
}

void explain_invariants() {
  fmt::print("\nWhat every run is held to:\n\n");
  for (const runtime::Invariant& one : runtime::invariants())
    fmt::print("{}{}", wrapped(std::string(one.condition), 2), wrapped(std::string(one.sentence), 6));
}

/// All, or the one of this name.
int explain_statistics(std::string_view only, bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto explain = [&](const std::vector<core::Statistic>& statistics, bool timing) {
    for (const core::Statistic& statistic : statistics) {
      if (!only.empty() && only != statistic.name) continue;
      list.push_back({{"name", statistic.name},
                      {"unit", statistic.unit},
                      {"sentence", statistic.sentence},
                      {"mode", timing ? "timing" : "every"}});
      if (!json)
        fmt::print("  {} # {}\n{}", statistic.name, statistic.unit, wrapped(std::string(statistic.sentence), 6));
    }
  };
  explain(core::statistics_of(runtime::RunStatistics{}), false);
  if (!json && only.empty())
    fmt::print("\nOf a timing machine, under \"timing\", and for each kernel under \"kernels\":\n\n");
  explain(core::statistics_of(runtime::TimingFigures{}), true);
  explain_derived(only, json, list);
  if (!json && only.empty()) explain_invariants();
  if (json) fmt::print("{}\n", core::json_text(list));
  return clean;
}

bool is_statistic(std::string_view name) {
  const auto among = [&](const std::vector<core::Statistic>& statistics) {
    return std::ranges::any_of(statistics, [&](const core::Statistic& one) { return one.name == name; });
  };
  const auto derived = runtime::derived_figures();
  return among(core::statistics_of(runtime::RunStatistics{})) || among(core::statistics_of(runtime::TimingFigures{})) ||
         std::ranges::any_of(derived, [&](const runtime::DerivedFigure& one) { return one.name == name; });
}

// Everything that may stand behind `ew explain`, for the nearest valid name.
std::vector<std::string> all_names() {
  runtime::MachineConfig config;
  std::vector<std::string> names{"machine", "machines", "ptx", "models", "statistics"};
  for (const Field& field : runtime::fields_of(config)) {
    names.push_back(field.key());
    if (std::find(names.begin(), names.end(), field.section) == names.end()) names.push_back(field.section);
  }
  return names;
}

/// `ew explain machine nvm.latency`: a field stands where a machine should.
void expect_no_field(const std::string& machine) {
  const std::vector<std::string> names = core::machine_names(), fields = all_names();
  const std::vector<std::string_view> machines(names.begin(), names.end()), keys(fields.begin(), fields.end());
  if (machine.empty() || std::ranges::find(machines, machine) != machines.end() || std::filesystem::exists(machine))
    return;
  if (std::ranges::find(keys, machine) != keys.end())
    throw UserError(fmt::format("unknown machine \"{0}\"; it is a field: `ew explain {0}`", machine));
  const std::string field = core::did_you_mean(machine, keys);
  if (core::did_you_mean(machine, machines).empty() && !field.empty())
    throw UserError(fmt::format("unknown machine \"{}\"; `ew explain FIELD` explains a field{}", machine, field));
}

int call(const ExplainCommand& command) {
  const bool stands_alone = command.topic == "machines" || command.topic == "models" || command.topic == "statistics";
  if (stands_alone && !command.name.empty())
    throw UserError(
        fmt::format("ew explain {} takes no further word, but \"{}\" follows", command.topic, command.name));
  if (command.topic.empty()) return explain_topics();
  if (command.topic == "machine") {
    expect_no_field(command.name);
    return explain_machine(command.name, "", command.json);
  }
  if (command.topic == "machines") return explain_machines(command.json);
  if (command.topic == "ptx") return explain_ptx(command.name, command.json);
  if (command.topic == "models") return explain_models(command.json);
  if (command.topic == "statistics") return explain_statistics("", command.json);
  const std::vector<std::string> names = all_names();
  if (std::find(names.begin(), names.end(), command.topic) != names.end()) {
    const int status = explain_machine(command.name, command.topic, command.json);
    if (!command.json) print_models_of(command.topic);
    if (!command.json && command.topic == "coherence") print_configurations();
    return status;
  }
  if (is_statistic(command.topic)) return explain_statistics(command.topic, command.json);
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw UserError(fmt::format("nothing to explain under \"{}\"{}; `ew explain` lists the topics", command.topic,
                              core::did_you_mean(command.topic, views)));
}

}  // namespace

void add_explain(CLI::App& app, int& status) {
  auto command = std::make_shared<ExplainCommand>();
  CLI::App* verb = app.add_subcommand("explain", "Explain machine fields, PTX coverage, models and statistics");
  verb->add_option("topic", command->topic,
                   "machine, machines, ptx, models, statistics, or a field; nothing: list them");
  verb->add_option("name", command->name, "Machine to show, or PTX opcode or instruction");
  verb->add_flag("--json", command->json, "As JSON");
  verb->footer(
      "Examples:\n"
      "  ew explain machine                  every field of a machine file\n"
      "  ew explain machine titan-rtx        with that machine's values\n"
      "  ew explain sm.count                 one field\n"
      "  ew explain machines --json          the machines, for a program\n"
      "  ew explain ptx                      every opcode that is executed, and what is refused\n"
      "  ew explain ptx atom                 the forms of one opcode\n"
      "  ew explain ptx add.rn.f32           whether this instruction is executed");
  verb->callback([command, &status] { status = call(*command); });
}

}  // namespace ew::cli
