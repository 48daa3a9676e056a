// One figure: study.toml, published.csv and claims.csv of its folder.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/files.hpp"
#include "report/study_parts.hpp"

namespace ew::report {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using Configurations = std::map<std::string, Configuration>;

/// "dd" with the words "--local": a configuration of its own, made when a bar first asks for it.
std::string with_words(Configurations& known, const std::string& name, const std::string& words) {
  if (words.empty()) return name;
  const std::string full = fmt::format("{} {}", name, words);
  Configuration& one = known[full] = known.at(name);
  one.name = full;
  one.words = one.words.empty() ? words : one.words + " " + words;
  return full;
}

Bar read_bar(const toml::table& node, const std::string& file, Figure& figure) {
  const StudyTable table(node, file, "[[bar]]",
                         {"name", "label", "run", "words", "over", "over_words", "via", "step", "value"});
  static constexpr std::string_view steps[] = {"first", "second"};
  Bar bar;
  bar.name = table.text("name");
  bar.label = table.text_or("label", bar.name);
  if (table.has("value")) {
    for (const char* const key : {"run", "words", "over", "over_words", "via", "step"})
      if (table.has(key))
        throw UserError(table.place_of(key), fmt::format("a bar with a \"value\" has no \"{}\"", key));
    return bar;
  }
  bar.run = table.text("run");
  if (figure.quantity != Quantity::absolute)
    bar.over = table.text("over");
  else if (table.has("over"))
    throw UserError(table.place_of("over"), "bars of quantity \"absolute\" are over nothing");
  if (table.has("over_words") && bar.over.empty())
    throw UserError(table.place_of("over_words"), "\"over_words\" belongs to \"over\"");
  if (figure.quantity == Quantity::share) {
    bar.via = table.text("via");
    bar.step = static_cast<Step>(table.choice_or("step", steps, 0));
  } else if (table.has("via") || table.has("step")) {
    throw UserError(table.place(), "\"via\" and \"step\" are for bars of quantity \"share\"");
  }
  for (const auto& [key, name] : {std::pair("run", bar.run), {"over", bar.over}, {"via", bar.via}})
    if (!name.empty()) expect_name(table.place_of(key), "configuration", name, names_of(figure.configurations));
  bar.run = with_words(figure.configurations, bar.run, table.text_or("words", ""));
  bar.over = with_words(figure.configurations, bar.over, table.text_or("over_words", ""));
  return bar;
}

std::optional<double> note_recovery(const Measurement& asked, const std::map<std::string, Program>& programs,
                                    const core::Place& place) {
  if (asked.recovery && programs.at(asked.program).recover.empty())
    throw UserError(place, fmt::format("program {} has no \"recover\" to measure", asked.program));
  return 1.0;
}

/// The size at which a program runs on a machine is one of those that it has.
void check_size(const Program& program, const Configuration& on) {
  if (!on.size.empty()) expect_name(on.place, "size", on.size, names_of(program.sizes));
}

std::vector<std::string_view> all_sizes(const std::map<std::string, Program>& programs) {
  std::set<std::string_view> sizes;
  for (const auto& [name, program] : programs)
    for (const auto& [size, words] : program.sizes) sizes.insert(size);
  return {sizes.begin(), sizes.end()};
}

/// The sizes that configurations name are those of some program.
void check_sizes(const Configurations& configurations, const std::map<std::string, Program>& programs) {
  const std::vector<std::string_view> sizes = all_sizes(programs);
  for (const auto& [name, configuration] : configurations) {
    if (!configuration.size.empty()) expect_name(configuration.place, "size", configuration.size, sizes);
  }
}

/// Of all that bars show; claims say more.
void check_sizes_of_bars(const Figure& figure, const std::map<std::string, Program>& programs) {
  const auto check = [&](const std::string& configuration, const std::string& x) {
    if (configuration.empty()) return;
    for (const std::string& program : figure.programs)
      check_size(programs.at(program), figure.configuration(configuration, x));
  };
  for (const Bar& bar : figure.bars)
    for (const std::string& x : figure.x.points()) {
      check(bar.run, x);
      check(bar.via, x);
      check(bar.over, figure.x.over.empty() ? x : figure.x.over);
    }
}

/// value = "EXPRESSION" of the bars that have one: over the machines of the other bars, and configurations.
void read_values(Figure& figure, const StudyTable& table, const std::string& file,
                 const std::vector<std::string>& configurations, const std::map<std::string, Program>& programs) {
  ClaimNames names{figure.programs, figure.bars_with_a_machine(), configurations, figure.metric, {}, {}, true};
  const std::vector<const toml::table*> nodes = table.tables_or_none("bar");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i]->contains("value")) continue;
    const core::Place place{file, nodes[i]->get("value")->source().begin.line};
    if (table.has("x")) throw UserError(place, "a bar with a \"value\" stands in a figure without [x]");
    if (table.has("part")) throw UserError(place, "a bar with a \"value\" has no parts");
    const auto text = nodes[i]->get("value")->value_exact<std::string>();
    if (!text || text->empty()) throw UserError(place, "value should be a text that is not empty");
    ClaimExpression& value = figure.bars[i].value;
    value = ClaimExpression::read(*text, names, place);
    for (const std::string& program : figure.programs)
      value.value([&](const Measurement& asked) { return note_recovery(asked, programs, place); }, program);
  }
}

void read_bars(Figure& figure, const StudyTable& table, const std::string& file) {
  std::set<std::string> labels, names;
  for (const toml::table* node : table.tables_or_none("bar")) {
    figure.bars.push_back(read_bar(*node, file, figure));
    const core::Place place{file, node->source().begin.line};
    if (!labels.insert(figure.bars.back().label).second)
      throw UserError(place, fmt::format("two bars have the label \"{}\"", figure.bars.back().label));
    if (!names.insert(figure.bars.back().name).second)
      throw UserError(place, fmt::format("two bars have the name \"{}\"", figure.bars.back().name));
  }
  if (figure.bars.empty()) throw UserError({file}, "a study should have a [[bar]]");
}

/// [[part]]: label and metric of each layer of a stacked bar.
void read_parts(Figure& figure, const StudyTable& table, const std::string& file) {
  std::vector<Metric> metrics;
  for (const toml::table* node : table.tables_or_none("part")) {
    const StudyTable part(*node, file, "[[part]]", {"label", "metric"});
    figure.parts.push_back({part.text("label"), Metric::read(part.text("metric"), part.place_of("metric"))});
    if (figure.parts.back().metric.is_time())
      throw UserError(part.place_of("metric"), "a part is a sum of counted figures; time has no parts (slots.* has)");
    metrics.push_back(figure.parts.back().metric);
  }
  if (metrics.empty()) return;
  if (figure.quantity != Quantity::ratio && figure.quantity != Quantity::absolute)
    throw UserError(table.place_of("part"), "only bars of quantity \"ratio\" or \"absolute\" have parts");
  if (figure.mean == Mean::geometric)
    throw UserError(table.place_of("mean"),
                    "parts of bars do not add up to a geometric mean: mean should be \"arithmetic\" or false");
  if (figure.metric.is_time())
    throw UserError(table.place_of("metric"), "time has no parts; the issue slots (\"slots.*\") have");
  if (const std::string missing = what_parts_miss(figure.metric, metrics); !missing.empty())
    throw UserError(table.place_of("part"),
                    fmt::format("the parts do not add up to {}: {}", figure.metric.text(), missing));
}

Mean read_mean(const StudyTable& table, Quantity quantity) {
  static constexpr std::string_view words[] = {"none", "geometric", "arithmetic"};
  if (table.is_text("mean")) return static_cast<Mean>(table.choice_or("mean", words, 0));
  const bool usual = quantity == Quantity::speedup || quantity == Quantity::ratio;
  return table.truth_or("mean", usual) ? Mean::geometric : Mean::none;
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && rest == text.data() + text.size() ? std::optional(value) : std::nullopt;
}
bool is_number(const std::string& text) {
  return number_in(text).has_value();
}
/// What stands between "{x" and "}" is nothing, or a sign and a number.
void check_places(const std::string& text, bool numeric, const core::Place& place) {
  for (std::size_t at = 0; (at = text.find("{x", at)) != text.npos; at += 2) {
    const std::size_t end = text.find('}', at);
    const std::string inside = end == text.npos ? " " : text.substr(at + 2, end - at - 2);
    if (inside.empty()) continue;
    const std::optional<double> factor = number_in(inside.substr(1));
    if ((inside[0] != '*' && inside[0] != '/') || !factor || *factor == 0)
      throw UserError(place, fmt::format("a value stands as {{x}}, {{x*2}} or {{x/2}}, not as \"{}\"",
                                         text.substr(at, end == text.npos ? end : end + 1 - at)));
    if (!numeric) throw UserError(place, "only numbers can be multiplied or divided, and \"values\" has others");
  }
}

/// What is different at some values of the axis: [[x.at]].
struct Stretch {
  std::vector<std::string> values, settings;
  std::string size;
  core::Place place;
};

/// Of the axis, and what stands in its settings. A value is in one of them at most.
std::vector<Stretch> read_stretches(const Axis& axis, const StudyTable& of_axis, const std::string& file,
                                    const std::map<std::string, Program>& programs) {
  std::vector<Stretch> list;
  std::set<std::string> seen;
  std::vector<std::string_view> known = views_of(axis.values);
  if (!axis.over.empty()) known.push_back(axis.over);
  for (const toml::table* node : of_axis.tables_or_none("at")) {
    const StudyTable table(*node, file, "[[x.at]]", {"values", "set", "size"});
    Stretch one{table.values("values"), table.texts_or_none("set"), table.text_or("size", ""), table.place()};
    for (const std::string& value : one.values) {
      expect_name(table.place_of("values"), "value", value, known);
      if (!seen.insert(value).second)
        throw UserError(table.place_of("values"), fmt::format("{} stands in two [[x.at]]", value));
    }
    for (const std::string& setting : one.settings) check_places(setting, axis.numeric, table.place_of("set"));
    if (!one.size.empty()) expect_name(table.place_of("size"), "size", one.size, all_sizes(programs));
    list.push_back(std::move(one));
  }
  return list;
}

/// [x]: a configuration for each one that there is and each value of the axis.
void read_axis(Figure& figure, const StudyTable& document, const std::string& file,
               const std::map<std::string, Program>& programs) {
  if (!document.has("x")) return;
  const StudyTable table(document.table_or_none("x"), file, "[x]",
                         {"name", "label", "values", "words", "set", "over", "at"});
  Axis& axis = figure.x;
  axis.name = table.text("name");
  axis.label = table.text_or("label", axis.name);
  axis.values = table.values("values");
  axis.numeric = std::ranges::all_of(axis.values, is_number);
  if (std::set<std::string>(axis.values.begin(), axis.values.end()).size() != axis.values.size())
    throw UserError(table.place_of("values"), "a value stands twice on the axis");
  axis.over = table.text_or("over", "");
  const std::string words = table.text_or("words", "");
  const std::vector<std::string> settings = table.texts_or_none("set");
  std::string open = words;
  for (const std::string& setting : settings) open += " " + setting;
  open += " " + figure.metric.printed();
  if (open.find("{x") == open.npos)
    throw UserError(table.place(), "[x] should have \"words\" or \"set\" with \"{x}\" where the value stands");
  check_places(open, axis.numeric, table.place());
  const std::vector<Stretch> stretches = read_stretches(axis, table, file, programs);
  Configurations along;
  for (const auto& [name, base] : figure.configurations) {
    std::vector<std::string> places = axis.values;
    if (!axis.over.empty() && std::ranges::find(places, axis.over) == places.end()) places.push_back(axis.over);
    for (const std::string& value : places) {
      Configuration one = base;
      one.name = Figure::configuration_at(name, value);
      if (!words.empty()) one.words += (one.words.empty() ? "" : " ") + with_value(words, value);
      std::vector<std::string> along_axis;  // behind them those of the configuration: it may keep a field as it is
      for (const std::string& setting : settings) along_axis.push_back(with_value(setting, value));
      for (const Stretch& stretch : stretches) {
        if (std::ranges::find(stretch.values, value) == stretch.values.end()) continue;
        for (const std::string& setting : stretch.settings) along_axis.push_back(with_value(setting, value));
        if (one.size.empty() && !stretch.size.empty()) one.size = stretch.size, one.place = stretch.place;
      }
      one.settings.insert(one.settings.begin(), along_axis.begin(), along_axis.end());
      if (!along_axis.empty()) check_machine(one);
      along[one.name] = std::move(one);
    }
  }
  figure.configurations.merge(along);
}

std::string text_of(const fs::path& path) {
  core::FileText file = core::read_file(path);
  if (!file.why.empty()) throw UserError({path.string()}, fmt::format("cannot read the paper's numbers: {}", file.why));
  return std::move(file.text);
}

void read_published_of(Figure& figure, const fs::path& path) {
  const PublishedTable table = read_published(text_of(path), path.string(), figure.x.name);
  std::vector<std::string_view> bars;
  for (const Bar& bar : figure.bars) bars.push_back(bar.name);
  for (const std::string& bar : table.bars) expect_name({path.string(), 1}, "bar", bar, bars);
  std::vector<std::string> rows;
  for (const std::string& x : figure.x.points()) {
    for (const std::string& program : figure.programs) rows.push_back(Figure::row_name(program, x));
    rows.push_back(Figure::row_name("mean", x));
  }
  for (const auto& [row, values] : table.values) expect_name(table.places.at(row), "program", row, views_of(rows));
  figure.published = table.values;
}

void read_claims_of(Figure& figure, const fs::path& path, const std::vector<std::string>& configurations,
                    const std::map<std::string, Program>& programs) {
  const ClaimNames names{figure.programs, figure.bars_with_a_machine(),
                         configurations,  figure.metric,
                         figure.x.name,   figure.x.values,
                         false,           figure.x.over};
  figure.claims = read_claims(text_of(path), path.string(), names);
  for (const Claim& claim : figure.claims)
    if (claim.judged())
      claim.expression.value([&](const Measurement& asked) {
        check_size(programs.at(asked.program), figure.machine(asked.machine, asked.x));
        return note_recovery(asked, programs, claim.place);
      });
}

}  // namespace

std::string with_value(std::string text, const std::string& value) {
  for (std::size_t at = 0; (at = text.find("{x", at)) != text.npos;) {
    const std::size_t end = text.find('}', at);
    if (end == text.npos) break;
    const char sign = text[at + 2];
    std::string known = value;
    if (sign == '*' || sign == '/') {
      const double factor = number_in(text.substr(at + 3, end - at - 3)).value_or(1);
      const double x = number_in(value).value_or(0);
      known = fmt::format("{:.6g}", sign == '*' ? x * factor : x / factor);
    }
    text.replace(at, end + 1 - at, known);
    at += known.size();
  }
  return text;
}

std::vector<std::string> Figure::bars_with_a_machine() const {
  std::vector<std::string> names;
  for (const Bar& bar : bars)
    if (!bar.is_computed()) names.push_back(bar.name);
  return names;
}

const Configuration& Figure::machine(const std::string& bar_or_configuration, const std::string& at) const {
  for (const Bar& bar : bars)
    if (bar.name == bar_or_configuration && !bar.is_computed()) return configuration(bar.run, at);
  return configuration(bar_or_configuration, at);
}

/// The name behind `measure = "range"`.
std::string read_range(const StudyTable& table, const Figure& figure) {
  const std::string name = table.text_or("range", "");
  if (figure.span != Span::range) {
    if (!name.empty()) throw UserError(table.place_of("range"), "a study with a \"range\" has measure = \"range\"");
    return {};
  }
  if (!figure.metric.is_time())
    throw UserError(table.place_of("metric"), "of a range its time is known: metric should be \"time\"");
  return name;
}

Figure read_figure(const fs::path& folder, const std::map<std::string, Program>& programs,
                   const ConfigurationNames& replaced, Configurations configurations) {
  const std::string file = (folder / "study.toml").string();
  const toml::table document = read_document(file);
  const StudyTable table(document, file, "a study",
                         {"title", "source", "axis", "note", "metric", "measure", "range", "quantity", "phase",
                          "programs", "mean", "shows_part", "configuration", "bar", "part", "x"});
  static constexpr std::string_view quantities[] = {"speedup", "ratio", "share", "absolute"};
  static constexpr std::string_view phases[] = {"run", "recovery"}, spans[] = {"kernels", "copies", "program", "range"};
  Figure figure;
  figure.title = table.text("title");
  figure.source = table.text("source");
  figure.axis = table.text("axis");
  figure.note = table.text_or("note", "");
  figure.metric = Metric::read(table.text_or("metric", "time"), table.place_of("metric"));
  figure.quantity = static_cast<Quantity>(table.choice_or("quantity", quantities, 0));
  figure.span = static_cast<Span>(table.choice_or("measure", spans, 0));
  figure.range = read_range(table, figure);
  figure.phase = static_cast<Phase>(table.choice_or("phase", phases, 0));
  figure.mean = read_mean(table, figure.quantity);
  figure.shows_part = table.truth_or("shows_part", true);
  figure.programs = table.texts_or_none("programs");
  if (figure.programs.empty()) throw UserError(table.place(), "a study should have \"programs\"");
  for (const std::string& program : figure.programs) {
    expect_name(table.place_of("programs"), "program", program, names_of(programs));
    if (figure.span == Span::range && figure.range.empty() && programs.at(program).measured_range(figure.phase).empty())
      throw UserError(
          table.place_of("measure"),
          fmt::format("a study that measures a range should have \"range\", or program {} its own", program));
    if (figure.phase == Phase::recovery && programs.at(program).recover.empty())
      throw UserError(table.place_of("programs"), fmt::format("program {} has no \"recover\" to measure", program));
  }
  read_configurations(table, file, replaced, configurations);
  check_sizes(configurations, programs);
  figure.configurations = std::move(configurations);
  std::vector<std::string> names;  // that claims may use: without those that words and the axis make
  for (const auto& [name, configuration] : figure.configurations) names.push_back(name);
  read_bars(figure, table, file);
  read_values(figure, table, file, names, programs);
  read_parts(figure, table, file);
  read_axis(figure, table, file, programs);
  check_sizes_of_bars(figure, programs);
  const bool has_claims = fs::exists(folder / "claims.csv");
  if (!has_claims || fs::exists(folder / "published.csv")) read_published_of(figure, folder / "published.csv");
  if (has_claims) read_claims_of(figure, folder / "claims.csv", names, programs);
  return figure;
}

}  // namespace ew::report
