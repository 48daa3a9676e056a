#include "report/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

#include "core/configuration.hpp"
#include "core/files.hpp"
#include "report/study_table.hpp"
#include "runtime/derived_figures.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/run_results.hpp"

namespace ew::report {

namespace {

namespace fs = std::filesystem;
using core::Place;
using core::UserError;

template <class Map>
std::vector<std::string_view> names_of(const Map& map) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

const toml::table& as_table(const toml::node& node, const std::string& file, std::string_view what) {
  if (!node.is_table())
    throw UserError({file, static_cast<u32>(node.source().begin.line)}, fmt::format("{} should be a table", what));
  return *node.as_table();
}

/// "{size}" is what a call may leave open.
void check_call(const StudyTable& table, std::string_view key, const std::string& call) {
  for (std::size_t at = 0; (at = call.find('{', at)) != call.npos; ++at) {
    if (call.compare(at, 6, "{size}") != 0)
      throw UserError(table.place_of(key),
                      fmt::format("{} may leave open \"{{size}}\" and nothing else: {}", key, call));
  }
}

Program read_program(const toml::node& node, const std::string& file, const std::string& name) {
  const std::string what = fmt::format("[program.{}]", name);
  const StudyTable table(as_table(node, file, what), file, what,
                         {"source", "options", "run", "prepare", "recover", "kernels", "recovery_kernels", "size"});
  Program program;
  program.name = name;
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
  for (auto&& [size, words] : table.table_or_none("size")) {
    const auto value = words.value_exact<std::string>();
    if (!value)
      throw UserError(table.place_of("size"), fmt::format("size.{} in {} should be a text", size.str(), what));
    program.sizes[std::string(size.str())] = *value;
  }
  if (program.sizes.empty()) throw UserError(table.place(), fmt::format("{} should have \"size.NAME\"", what));
  return program;
}

// A machine file that exists, settings that it takes, and fields that can stand together.
void check_machine(const Configuration& configuration) {
  try {
    runtime::MachineConfig config = runtime::load_machine(configuration.machine);
    for (const std::string& setting : configuration.settings) {
      if (setting.find(';') != setting.npos) throw UserError(fmt::format("{}: a value may not hold a ';'", setting));
      runtime::apply_setting(setting, config);
    }
    runtime::check(config);
  } catch (const UserError& error) {
    throw UserError(configuration.place, fmt::format("configuration {}: {}", configuration.name, error.what()));
  }
}

using Names = std::set<std::string>;

/// Reads [configuration.NAME] tables into `known`, but those that a suite has replaced by its own. One that says `from`
/// starts as a copy of another.
void read_configurations(const StudyTable& document, const std::string& file, const Names& replaced,
                         std::map<std::string, Configuration>& known) {
  const toml::table& tables = document.table_or_none("configuration");
  std::vector<const toml::key*> order;
  for (auto&& [name, node] : tables) order.push_back(&name);
  const auto line = [&](const toml::key* name) { return tables.get(name->str())->source().begin.line; };
  std::ranges::sort(order, {}, line);  // a configuration may start from one above it
  for (const toml::key* key : order) {
    const std::string name(key->str()), what = fmt::format("[configuration.{}]", name);
    const StudyTable table(as_table(*tables.get(name), file, what), file, what,
                           {"from", "machine", "set", "options", "count_launches"});
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
    for (const std::string& option : table.texts_or_none("options")) configuration.options.push_back(option);
    configuration.count_launches = table.truth_or("count_launches", configuration.count_launches);
    check_machine(configuration);
    known[name] = std::move(configuration);
  }
}

Bar read_bar(const toml::table& node, const std::string& file, const Figure& figure) {
  const StudyTable table(node, file, "[[bar]]", {"name", "label", "run", "over", "via", "step"});
  static constexpr std::string_view steps[] = {"first", "second"};
  Bar bar;
  bar.name = table.text("name");
  bar.label = table.text_or("label", bar.name);
  bar.run = table.text("run");
  bar.over = table.text("over");
  if (figure.quantity == Quantity::share) {
    bar.via = table.text("via");
    bar.step = static_cast<Step>(table.choice_or("step", steps, 0));
  } else if (table.has("via") || table.has("step")) {
    throw UserError(table.place(), "\"via\" and \"step\" are for bars of quantity \"share\"");
  }
  for (const auto& [key, name] : {std::pair("run", bar.run), {"over", bar.over}, {"via", bar.via}})
    if (!name.empty()) expect_name(table.place_of(key), "configuration", name, names_of(figure.configurations));
  return bar;
}

void check_metric(const StudyTable& table, const std::string& metric) {
  std::vector<std::string_view> names{"time"};
  for (const core::Statistic& statistic : core::statistics_of(runtime::TimingFigures{}))
    names.push_back(statistic.name);
  for (const runtime::DerivedFigure& one : runtime::derived_figures())  // sums: the kernels of a run can be added up
    if (one.of_launches && one.expression.find('/') == one.expression.npos) names.push_back(one.name);
  expect_name(table.place_of("metric"), "metric", metric, names);
}

void read_bars(Figure& figure, const StudyTable& table, const std::string& file) {
  std::set<std::string> labels;
  for (const toml::table* node : table.tables_or_none("bar")) {
    figure.bars.push_back(read_bar(*node, file, figure));
    if (!labels.insert(figure.bars.back().label).second)
      throw UserError({file, node->source().begin.line},
                      fmt::format("two bars have the label \"{}\"", figure.bars.back().label));
  }
  if (figure.bars.empty()) throw UserError({file}, "a study should have a [[bar]]");
}

std::string text_of(const fs::path& path) {
  core::FileText file = core::read_file(path);
  if (!file.why.empty()) throw UserError({path.string()}, fmt::format("cannot read the paper's numbers: {}", file.why));
  return std::move(file.text);
}

void read_published_of(Figure& figure, const fs::path& path) {
  const PublishedTable table = read_published(text_of(path), path.string());
  std::vector<std::string_view> bars, programs(figure.programs.begin(), figure.programs.end());
  for (const Bar& bar : figure.bars) bars.push_back(bar.name);
  for (const std::string& bar : table.bars) expect_name({path.string(), 1}, "bar", bar, bars);
  programs.push_back("mean");
  for (const auto& [program, values] : table.values) expect_name({path.string(), 1}, "program", program, programs);
  figure.published = table.values;
}

Figure read_figure(const fs::path& folder, const Suite& suite, const Names& replaced,
                   std::map<std::string, Configuration> configurations) {
  const std::string file = (folder / "study.toml").string();
  const toml::table document = read_document(file);
  const StudyTable table(
      document, file, "a study",
      {"title", "source", "axis", "note", "metric", "quantity", "phase", "programs", "mean", "configuration", "bar"});
  static constexpr std::string_view quantities[] = {"speedup", "ratio", "share"}, phases[] = {"run", "recovery"};
  Figure figure;
  figure.title = table.text("title");
  figure.source = table.text("source");
  figure.axis = table.text("axis");
  figure.note = table.text_or("note", "");
  figure.metric = table.text_or("metric", "time");
  check_metric(table, figure.metric);
  figure.quantity = static_cast<Quantity>(table.choice_or("quantity", quantities, 0));
  figure.phase = static_cast<Phase>(table.choice_or("phase", phases, 0));
  figure.has_mean = table.truth_or("mean", figure.quantity != Quantity::share);
  figure.programs = table.texts_or_none("programs");
  if (figure.programs.empty()) throw UserError(table.place(), "a study should have \"programs\"");
  for (const std::string& program : figure.programs) {
    expect_name(table.place_of("programs"), "program", program, names_of(suite.programs));
    if (figure.phase == Phase::recovery && suite.programs.at(program).recover.empty())
      throw UserError(table.place_of("programs"), fmt::format("program {} has no \"recover\" to measure", program));
  }
  read_configurations(table, file, replaced, configurations);
  figure.configurations = std::move(configurations);
  read_bars(figure, table, file);
  read_published_of(figure, folder / "published.csv");
  return figure;
}

/// The cells of a line, without the blanks around them.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    std::string_view cell = line.substr(begin, end - begin);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ') || cell.ends_with('\r')) cell.remove_suffix(1);
    cells.emplace_back(cell);
    if (end == line.size()) return cells;
    begin = end + 1;
  }
}

}  // namespace

std::optional<double> Figure::paper(const std::string& program, const std::string& bar) const {
  const auto row = published.find(program);
  if (row == published.end()) return std::nullopt;
  const auto cell = row->second.find(bar);
  return cell == row->second.end() ? std::nullopt : std::optional(cell->second);
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

constexpr std::string_view suite_keys[] = {"title", "from", "figures", "program", "configuration"};

void read_programs(const StudyTable& table, const std::string& file, Suite& suite) {
  for (auto&& [key, node] : table.table_or_none("program")) {
    const std::string program(key.str());
    suite.programs[program] = read_program(node, file, program);
  }
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
  std::map<std::string, Configuration> configurations;
  read_configurations(table, file, {}, configurations);
  Names replaced;
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
  const StudyTable& listing = table.has("figures") ? table : base_table;
  for (const std::string& id : listing.texts_or_none("figures")) {
    const std::string folder = fmt::format("figure-{}", id);
    const bool own = fs::is_directory(studies / name / folder);
    suite.figures.push_back(read_figure(studies / (own ? suite.name : base) / folder, suite, replaced, configurations));
    suite.figures.back().id = id;
  }
  if (suite.figures.empty()) throw UserError(table.place(), "a suite should have \"figures\"");
  return suite;
}

PublishedTable read_published(std::string_view text, const std::string& file) {
  PublishedTable table;
  u32 number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (table.bars.empty()) {
      if (cells.size() < 2 || cells[0] != "program")
        throw UserError({file, number}, "the heading should be \"program,\" and the names of bars");
      table.bars.assign(cells.begin() + 1, cells.end());
      continue;
    }
    if (cells.size() != table.bars.size() + 1)
      throw UserError({file, number}, fmt::format("expected {} cells, found {}", table.bars.size() + 1, cells.size()));
    if (table.values.contains(cells[0])) throw UserError({file, number}, fmt::format("\"{}\" stands twice", cells[0]));
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (cells[i].empty()) continue;
      double value = 0;
      const char* last = cells[i].data() + cells[i].size();
      const auto [rest, error] = std::from_chars(cells[i].data(), last, value);
      if (error != std::errc{} || rest != last || value < 0)
        throw UserError({file, number}, fmt::format("expected a number from 0, found \"{}\"", cells[i]));
      table.values[cells[0]][table.bars[i - 1]] = value;
    }
  }
  if (table.bars.empty()) throw UserError({file}, "there is no heading \"program,bar,...\"");
  return table;
}

}  // namespace ew::report
