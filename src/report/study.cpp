#include "report/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/configuration.hpp"
#include "report/study_parts.hpp"
#include "report/study_table.hpp"

namespace ew::report {

namespace {

namespace fs = std::filesystem;
using core::UserError;

/// "{size}" is what a call may leave open.
void check_call(const StudyTable& table, std::string_view key, const std::string& call) {
  for (std::size_t at = 0; (at = call.find('{', at)) != call.npos; ++at) {
    if (call.compare(at, 6, "{size}") != 0)
      throw UserError(table.place_of(key),
                      fmt::format("{} may leave open \"{{size}}\" and nothing else: {}", key, call));
  }
}

/// key = { scaled = VALUE, … }: a value for each size, one of those that there are.
template <class Value>
std::map<std::string, Value> of_sizes(const StudyTable& table, std::string_view key, std::string_view what,
                                      std::string_view expected, const std::map<std::string, std::string>& sizes) {
  std::map<std::string, Value> values;
  for (auto&& [size, node] : table.table_or_none(key)) {
    const auto value = node.template value<Value>();
    if (!value)
      throw UserError(table.place_of(key), fmt::format("{}.{} in {} should be {}", key, size.str(), what, expected));
    if (key != "size") expect_name(table.place_of(key), "size", size.str(), names_of(sizes));
    values[std::string(size.str())] = *value;
  }
  return values;
}

/// set_at = { scaled = ["key=value"] }: settings that some machine takes.
void read_settings_at(const StudyTable& table, const std::string& what, Program& program) {
  const toml::table& sizes = table.table_or_none("set_at");
  std::vector<std::string_view> keys;
  for (auto&& [size, settings] : sizes) keys.push_back(size.str());
  const StudyTable at(sizes, table.place().file, what + ".set_at", keys);
  for (const std::string_view size : keys) {
    expect_name(table.place_of("set_at"), "size", size, names_of(program.sizes));
    std::vector<std::string>& settings = program.settings_at[std::string(size)] = at.texts_or_none(size);
    check_settings("default", settings, at.place_of(size), what);
  }
}

Program read_program(const toml::node& node, const std::string& file, const std::string& name) {
  const std::string what = fmt::format("[program.{}]", name);
  const StudyTable table(as_table(node, file, what), file, what,
                         {"source", "options", "run", "prepare", "recover", "kernels", "recovery_kernels", "range",
                          "recovery_range", "size", "part", "work", "seconds", "mib", "operations", "set_at"});
  Program program;
  program.name = program.run_name = name;
  program.place = table.place();
  program.source = core::home_directory() / table.text("source");
  if (!fs::is_regular_file(program.source))
    throw UserError(table.place_of("source"), fmt::format("{}: there is no such program", program.source.string()));
  program.options = table.texts_or_none("options");
  program.run = table.text_or("run", "{size}");
  program.prepare = table.text_or("prepare", "");
  program.recover = table.text_or("recover", "");
  for (const auto& [key, call] :
       {std::pair("run", program.run), {"prepare", program.prepare}, {"recover", program.recover}})
    check_call(table, key, call);
  if (program.prepare.empty() != program.recover.empty())
    throw UserError(table.place(), fmt::format("{} should have both \"prepare\" and \"recover\", or neither", what));
  program.kernels = table.texts_or_none("kernels");
  program.recovery_kernels = table.texts_or_none("recovery_kernels");
  program.range = table.text_or("range", "");
  program.recovery_range = table.text_or("recovery_range", "");
  program.sizes = of_sizes<std::string>(table, "size", what, "a text", {});
  if (program.sizes.empty()) throw UserError(table.place(), fmt::format("{} should have \"size.NAME\"", what));
  program.parts = of_sizes<std::string>(table, "part", what, "a text such as \"1/8\"", program.sizes);
  program.works = of_sizes<std::string>(table, "work", what, "a text such as \"1/8\"", program.sizes);
  for (const auto& [size, part] : program.parts) program.works.try_emplace(size, part);
  for (const auto& [size, part] : program.works)
    if (!(Program::part_of(part) > 0))
      throw UserError(table.place_of("part"), fmt::format("part.{} in {} should be a number or a fraction, as \"1/8\", "
                                                          "not \"{}\"",
                                                          size, what, part));
  program.seconds = of_sizes<double>(table, "seconds", what, "a number", program.sizes);
  program.mib = of_sizes<double>(table, "mib", what, "a number", program.sizes);
  program.operations = of_sizes<double>(table, "operations", what, "a number", program.sizes);
  read_settings_at(table, what, program);
  return program;
}

/// Another part of a program's run: its kernels, or its range, are others.
Program read_another_part(const toml::node& node, const std::string& file, const std::string& name,
                          const std::map<std::string, Program>& known) {
  const std::string what = fmt::format("[program.{}]", name);
  const StudyTable table(as_table(node, file, what), file, what, {"same_run_as", "kernels", "range"});
  const std::string whole = table.text("same_run_as");
  expect_name(table.place_of("same_run_as"), "program", whole, names_of(known));
  Program program = known.at(whole);
  program.name = name;
  program.place = table.place();
  program.kernels = table.texts_or_none("kernels");
  program.range = table.text_or("range", "");
  return program;
}

}  // namespace

double Program::part_of(const std::string& text) {
  const auto number = [](std::string_view digits) {
    double value = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && rest == digits.data() + digits.size() ? value : 0;
  };
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return number(text);
  const double below = number(std::string_view(text).substr(slash + 1));
  return below > 0 ? number(std::string_view(text).substr(0, slash)) / below : 0;
}

std::vector<std::string> suite_names(const fs::path& studies) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(studies, error))
    if (fs::is_regular_file(entry.path() / "suite.toml", error)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

constexpr std::string_view suite_keys[] = {"title", "from",     "figures", "size",
                                           "full",  "most_gib", "program", "configuration"};

void read_programs(const StudyTable& table, const std::string& file, Suite& suite) {
  for (auto&& [key, node] : table.table_or_none("program")) {
    const std::string program(key.str());
    if (!node.is_table() || !node.as_table()->contains("same_run_as"))
      suite.programs[program] = read_program(node, file, program);
  }
  for (auto&& [key, node] : table.table_or_none("program")) {
    if (!node.is_table() || !node.as_table()->contains("same_run_as")) continue;
    const std::string program(key.str());
    suite.programs[program] = read_another_part(node, file, program, suite.programs);
  }
}

/// Where one program says how much memory a run of the suite's size takes, all must: --full rests on it.
void check_memory_of_all(const Suite& suite) {
  const auto says = [&](const auto& named) { return named.second.mib.contains(suite.size); };
  const auto one = std::ranges::find_if(suite.programs, says);
  if (one == suite.programs.end()) return;
  for (const auto& [name, program] : suite.programs)
    if (program.sizes.contains(suite.size) && !program.mib.contains(suite.size))
      throw UserError(program.place,
                      fmt::format("[program.{}] should have \"mib.{}\", the memory of a run, as [program.{}] has", name,
                                  suite.size, one->first));
}

}  // namespace

Suite read_suite(const fs::path& studies, std::string_view name) {
  const std::vector<std::string> known = suite_names(studies);
  const std::vector<std::string_view> views(known.begin(), known.end());
  expect_name({}, "study", name, views);
  Suite suite;
  suite.name = name;
  const std::string file = (studies / name / "suite.toml").string();
  const toml::table document = read_document(file);
  const StudyTable table(document, file, "a suite", {std::begin(suite_keys), std::end(suite_keys)});
  suite.title = table.text("title");
  suite.size = table.text_or("size", suite.size);
  suite.full = table.text_or("full", "");
  if (!suite.full.empty()) expect_name(table.place_of("full"), "study", suite.full, views);
  suite.most_memory = static_cast<u64>(table.positive_or("most_gib", 0) * (1 << 30));
  std::map<std::string, Configuration> configurations;
  read_configurations(table, file, {}, configurations);
  ConfigurationNames replaced;
  for (const auto& [own, configuration] : configurations) replaced.insert(own);
  // A suite that starts from another has its programs, and its figures on machines of its own or figures of its own.
  const std::string base = table.text_or("from", name);
  expect_name(table.place_of("from"), "study", base, views);
  const std::string base_file = (studies / base / "suite.toml").string();
  const toml::table base_document = read_document(base_file);
  const StudyTable base_table(base_document, base_file, "a suite", {std::begin(suite_keys), std::end(suite_keys)});
  read_programs(base_table, base_file, suite);
  if (base != name) {
    read_programs(table, file, suite);
    read_configurations(base_table, base_file, replaced, configurations);
  } else {
    replaced.clear();
  }
  check_memory_of_all(suite);
  const StudyTable& listing = table.has("figures") ? table : base_table;
  for (const std::string& id : listing.texts_or_none("figures")) {
    const std::string folder = Figure::folder_of(id);
    const bool own = fs::is_directory(studies / name / folder);
    suite.figures.push_back(
        read_figure(studies / (own ? suite.name : base) / folder, suite.programs, replaced, configurations));
    suite.figures.back().id = id;
  }
  if (suite.figures.empty()) throw UserError(table.place(), "a suite should have \"figures\"");
  return suite;
}

}  // namespace ew::report
