#include "cli/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "core/configuration.hpp"
#include "core/nearest.hpp"
#include "runtime/unused_section.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;
using report::SweepAxis;

constexpr std::size_t most_runs = 20'000;

std::string setting_text(const AskedAxis& axis, const std::string& value) {
  return axis.key.empty() ? value : axis.key + "=" + value;
}

/// Quotes around a whole value of an argument only keep its commas together.
std::string without_quotes(const std::string& value) {
  const bool quoted = value.size() > 1 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0];
  return quoted ? value.substr(1, value.size() - 2) : value;
}

bool is_name(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == text.npos;
}

/// The names of the form {name} in a word.
std::vector<std::string> names_in(const std::string& word) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = word.find('{', at)) != word.npos; ++at) {
    const auto end = word.find('}', at);
    if (end == word.npos) break;
    if (std::string name = word.substr(at + 1, end - at - 1); is_name(name)) names.push_back(std::move(name));
  }
  return names;
}

std::string replaced(std::string word, const std::string& name, const std::string& value) {
  const std::string place = "{" + name + "}";
  for (std::size_t at = 0; (at = word.find(place, at)) != word.npos; at += value.size())
    word.replace(at, place.size(), value);
  return word;
}

/// Characters that a folder's name may have everywhere.
std::string folder_name(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  return text;
}

/// The next point of the product; false behind the last. The last axis turns fastest.
bool advance(std::vector<std::size_t>& at, const std::vector<SweepAxis>& axes, std::size_t count) {
  for (std::size_t axis = count; axis-- > 0;) {
    if (++at[axis] < axes[axis].values.size()) return true;
    at[axis] = 0;
  }
  return false;
}

}  // namespace

SweepPlan::SweepPlan(const SweepRequest& request) {
  for (const std::string& mistake : request.mistakes) mistakes_.add(++order_, mistake);
  check_machines(request);
  check_settings(request);
  check_arguments(request);
  std::vector<std::string> seeds;
  for (const u64 seed : request.seeds) seeds.push_back(std::to_string(seed));
  add_axis("seed", seeds, "");
  check_program(request);
  for (const std::string& name : request.metrics)
    collect([&] { sweep_.metrics.push_back(report::SweepMetric::read(name)); });
  if (request.metrics.empty()) sweep_.metrics = report::SweepMetric::usual();
  check_plot(request);
  mistakes_.tell();
  resolve_machines(request);
  mistakes_.tell();
  make_points(request);
}

void SweepPlan::add_axis(std::string name, std::vector<std::string> values, const std::string& place) {
  std::set<std::string> seen;
  for (const std::string& value : values)
    if (!seen.insert(value).second)
      collect([&] { throw UserError(fmt::format("{}{} has the value {} twice", place, name, value)); });
  sweep_.axes.push_back({std::move(name), std::move(values)});
}

void SweepPlan::check_machines(const SweepRequest& request) {
  for (const std::string& machine : request.machines.values)
    collect([&] {
      try {
        runtime::load_machine(machine);
      } catch (const UserError& mistake) {
        throw UserError(request.machines.place + mistake.what());
      }
    });
  add_axis("machine", request.machines.values, request.machines.place);
}

void SweepPlan::check_settings(const SweepRequest& request) {
  runtime::MachineConfig any;
  std::vector<std::string> keys;
  for (const core::Field& field : runtime::fields_of(any)) keys.push_back(field.key());
  for (const AskedAxis& axis : request.settings) {
    // A key that is wrong is so for every value, and is told once.
    const bool known = axis.key.empty() || std::ranges::find(keys, axis.key) != keys.end();
    const std::size_t told = known ? axis.values.size() : 1;
    for (std::size_t i = 0; i < told; ++i)
      collect([&] {
        try {
          if (axis.values[i].find(';') != std::string::npos)
            throw UserError(fmt::format("--set {}={}: a value may not hold a ';'", axis.key, axis.values[i]));
          runtime::MachineConfig config;
          runtime::apply_setting(setting_text(axis, axis.values[i]), config);
        } catch (const UserError& mistake) {
          throw UserError(axis.place + mistake.what());
        }
      });
    add_axis(axis.key.empty() ? "configuration" : axis.key, axis.values, axis.place);
  }
}

void SweepPlan::check_arguments(const SweepRequest& request) {
  std::vector<std::string_view> declared;
  for (const AskedAxis& axis : request.arguments) declared.push_back(axis.key);
  std::set<std::string> used;
  for (const std::string& word : request.program)
    for (const std::string& name : names_in(word)) {
      used.insert(name);
      if (declared.empty() || std::ranges::find(declared, name) != declared.end()) continue;
      collect([&] {
        throw UserError(fmt::format("the program's word {}: there is no --arg {}{}", word, name,
                                    core::did_you_mean(name, declared)));
      });
    }
  for (const AskedAxis& axis : request.arguments) {
    const std::string place = axis.place.empty() ? "--arg " : axis.place;
    if (!is_name(axis.key) || axis.key == "machine" || axis.key == "seed")
      collect([&] {
        throw UserError(
            fmt::format("{}{}: the name of an argument has letters, digits, - and _, and is not \"machine\" "
                        "or \"seed\"",
                        place, axis.key));
      });
    else if (!used.contains(axis.key))
      collect(
          [&] { throw UserError(fmt::format("{}{}: no word of the program has {{{}}}", place, axis.key, axis.key)); });
    std::vector<std::string> values;
    for (const std::string& value : axis.values) values.push_back(without_quotes(value));
    add_axis(axis.key, values, axis.place);
  }
}

void SweepPlan::check_program(const SweepRequest& request) {
  collect([&] {
    if (request.program.empty())
      throw UserError(
          "ew sweep needs a program: ew sweep --set KEY=VALUE,VALUE -- ./app; `ew sweep --help` has examples");
    program_ = request.program;
    program_[0] = program_path(program_[0]);
    sweep_.program = fs::path(program_[0]).filename().string();
  });
}

void SweepPlan::check_plot(const SweepRequest& request) {
  collect([&] { report::choose_plot(sweep_, request.x, request.lines); });
}

namespace {

std::string section_of(std::string_view key) {
  return std::string(key.substr(0, key.find('.')));
}

}  // namespace

/// The machine at each choice of machine and settings: values that are right alone may not go together.
void SweepPlan::resolve_machines(const SweepRequest& request) {
  double product = 1;
  for (const SweepAxis& axis : sweep_.axes) product *= static_cast<double>(axis.values.size());
  if (product > most_runs)
    throw UserError(fmt::format("these axes have {:.0f} points; a sweep has {} at most", product, most_runs));
  const std::size_t axes = 1 + request.settings.size();
  std::vector<std::size_t> at(axes);
  std::set<std::string> told;
  std::vector<std::string> unused(axes, "no machine");  // by axis: why no point reads it
  do {
    MachineRun run;
    run.settings.machine = sweep_.axes[0].values[at[0]];
    run.settings.max_instructions = request.max_instructions;
    for (std::size_t i = 1; i < axes; ++i)
      run.settings.settings.push_back(setting_text(request.settings[i - 1], sweep_.axes[i].values[at[i]]));
    try {
      const runtime::MachineConfig config = run.settings.resolve();
      run.machine_text = runtime::to_toml(config);
      for (std::size_t i = 1; i < axes; ++i)
        if (!unused[i].empty()) unused[i] = runtime::why_unused(section_of(request.settings[i - 1].key), config);
    } catch (const UserError& mistake) {
      std::vector<std::size_t> point = at;
      point.resize(sweep_.axes.size());
      if (told.insert(mistake.what()).second)
        mistakes_.add(++order_, fmt::format("{} (in the run {})", mistake.what(), sweep_.point({.at = point})));
    }
    machines_.push_back(std::move(run));
  } while (advance(at, sweep_.axes, axes));
  if (!told.empty()) return;
  for (std::size_t i = 1; i < axes; ++i) {
    const AskedAxis& axis = request.settings[i - 1];
    if (!unused[i].empty())
      mistakes_.add(++order_, fmt::format("{}{}: no run of this sweep reads it: {}",
                                          axis.place.empty() ? "--set " : axis.place, axis.key, unused[i]));
  }
}

MachineRun SweepPlan::run_at(const SweepRequest& request, const std::vector<std::size_t>& at) const {
  const std::size_t settings = request.settings.size();
  std::size_t machine = 0;
  for (std::size_t axis = 0; axis <= settings; ++axis) machine = machine * sweep_.axes[axis].values.size() + at[axis];
  MachineRun run = machines_[machine];
  run.settings.seed = request.seeds[at.back()];
  run.copies_files = true;
  run.environment = {{"program", sweep_.program}};
  for (const std::string& word : program_) {
    Words words{word};
    for (std::size_t i = 0; i < request.arguments.size(); ++i) {
      const std::size_t axis = 1 + settings + i;
      const std::string& name = sweep_.axes[axis].name;
      const std::string& value = sweep_.axes[axis].values[at[axis]];
      if (word == "{" + name + "}") {  // alone: as many words as the value has
        words.clear();
        std::istringstream stream(value);
        for (std::string one; stream >> one;) words.push_back(one);
        break;
      }
      words[0] = replaced(words[0], name, value);
    }
    run.command.insert(run.command.end(), words.begin(), words.end());
  }
  return run;
}

void SweepPlan::make_points(const SweepRequest& request) {
  RunKeys keys;
  std::vector<std::size_t> at(sweep_.axes.size());
  do {
    PlannedPoint point{at, {}, run_at(request, at)};
    const std::string machine = fs::path(point.run.settings.machine).stem().string();
    point.name = folder_name(fmt::format("{}-{}-{}", sweep_.program, machine, keys.key(point.run)));
    points_.push_back(std::move(point));
  } while (advance(at, sweep_.axes, sweep_.axes.size()));
}

}  // namespace ew::cli
