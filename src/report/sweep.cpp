#include "report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/nearest.hpp"
#include "report/csv.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;
using core::UserError;

/// A number, or a number of bytes ("64 KiB"); nothing for other words.
std::optional<double> axis_number(std::string_view text) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}, {"TB", 1e12},
      {"GB", 1e9},     {"MB", 1e6},     {"KB", 1e3},     {"kB", 1e3},     {"B", 1}};
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.empty()) return value;
  for (const auto& [unit, scale] : units)
    if (rest == unit) return value * scale;
  return std::nullopt;
}

std::string plain(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

/// As a program reads it: sizes as numbers of bytes.
std::string csv_value(const std::string& value) {
  const auto number = axis_number(value);
  return number ? plain(*number) : csv_cell(value);
}

Json json_number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

bool SweepAxis::is_numeric() const {
  return std::ranges::all_of(values, [](const std::string& value) { return axis_number(value).has_value(); });
}

std::size_t Sweep::failures() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const SweepRow& row) { return row.failure.has_value(); }));
}

std::string Sweep::point(const SweepRow& row) const {
  std::string text = value(row, 0);
  for (std::size_t axis = 1; axis < axes.size(); ++axis)
    if (axes[axis].varies()) text += fmt::format(", {}={}", axes[axis].name, value(row, axis));
  return text;
}

void choose_plot(Sweep& sweep, const std::string& x, const std::string& lines) {
  std::vector<std::string_view> names;
  for (const SweepAxis& axis : sweep.axes)
    if (&axis != &sweep.axes.back()) names.push_back(axis.name);  // seeds are a range, no axis of a plot
  const auto named = [&](std::string_view option, const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      throw UserError(fmt::format("{} {}: the sweep has no such axis{}; its axes are {}", option, name,
                                  core::did_you_mean(name, names), fmt::join(names, ", ")));
    return static_cast<std::size_t>(found - names.begin());
  };
  std::optional<std::size_t> along;
  if (!x.empty()) along = named("--x", x);
  if (!lines.empty()) sweep.lines = named("--lines", lines);
  if (along && along == sweep.lines) throw UserError(fmt::format("--x and --lines are both {}: choose two axes", x));
  const auto is_free = [&](std::size_t i) { return sweep.axes[i].varies() && sweep.lines != i && along != i; };
  for (const bool numeric : {true, false})
    for (std::size_t i = 0; !along && i < names.size(); ++i)
      if (is_free(i) && (!numeric || sweep.axes[i].is_numeric())) along = i;
  sweep.x = along.value_or(0);
  for (std::size_t i = 1; !sweep.lines && i <= names.size(); ++i)  // the machine last
    if (const std::size_t axis = i % names.size(); sweep.x != axis && is_free(axis)) sweep.lines = axis;
}

std::string figure_text(std::optional<double> value) {
  if (!value) return "-";
  if (*value != std::floor(*value) || std::abs(*value) >= 1e15) return fmt::format("{:.4g}", *value);
  std::string text = fmt::format("{:.0f}", std::abs(*value));
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return (*value < 0 ? "-" : "") + text;
}

std::string sweep_csv(const Sweep& sweep) {
  std::vector<std::string> names;  // of figures: all that any run has; the seed is an axis
  for (const SweepRow& row : sweep.rows)
    for (const auto& [name, value] : row.figures)
      if (name != "seed" && std::ranges::find(names, name) == names.end()) names.push_back(name);
  std::string text = "run,status";
  for (const SweepAxis& axis : sweep.axes) text += "," + csv_cell(axis.name);
  text += ",time,wall_seconds";
  for (const SweepMetric& metric : sweep.metrics)
    if (metric.name().find(' ') != std::string::npos) text += "," + csv_cell(metric.name());  // a sum
  for (const std::string& name : names) text += "," + csv_cell(name);
  text += "\n";
  for (const SweepRow& row : sweep.rows) {
    text += fmt::format("{},{}", csv_cell(row.run), row.failure ? "failed" : "ok");
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) text += "," + csv_value(sweep.value(row, axis));
    const auto figure = [&](std::string_view name) {
      const auto found =
          std::ranges::find(row.figures, name, [](const auto& one) { return std::string_view(one.first); });
      return found == row.figures.end() ? std::string() : plain(found->second);
    };
    text += fmt::format(",{},{}", figure("simulated_nanoseconds"),
                        row.failure ? "" : fmt::format("{:.3f}", row.wall_seconds));
    for (std::size_t i = 0; i < sweep.metrics.size(); ++i)
      if (sweep.metrics[i].name().find(' ') != std::string::npos)
        text += "," + (row.values[i] ? plain(*row.values[i]) : std::string());
    for (const std::string& name : names) text += "," + figure(name);
    text += "\n";
  }
  return text;
}

Json sweep_json(const Sweep& sweep) {
  Json json{{"program", sweep.program},
            {"command", sweep.command},
            {"version", sweep.version},
            {"commit", sweep.commit},
            {"host", sweep.host},
            {"jobs", sweep.jobs},
            {"wall_seconds", sweep.wall_seconds},
            {"taken", sweep.taken},
            {"failed", sweep.failures()}};
  json["axes"] = Json::array();
  for (const SweepAxis& axis : sweep.axes) json["axes"].push_back({{"name", axis.name}, {"values", axis.values}});
  json["metrics"] = Json::array();
  for (const SweepMetric& metric : sweep.metrics)
    json["metrics"].push_back({{"name", metric.name()}, {"unit", metric.unit()}});
  json["runs"] = Json::array();
  for (const SweepRow& row : sweep.rows) {
    Json one{{"run", row.run}, {"status", row.failure ? "failed" : "ok"}};
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
      one["at"][sweep.axes[axis].name] = sweep.value(row, axis);
    one["command"] = row.command;
    if (row.failure) {
      one["exit_status"] = row.failure->status;
      one["how"] = row.failure->how;
      one["output"] = row.failure->output;
      one["all_output"] = row.failure->all_output;
    } else {
      one["wall_seconds"] = row.wall_seconds;
      one["metrics"] = Json::object();
      for (std::size_t i = 0; i < sweep.metrics.size(); ++i)
        one["metrics"][sweep.metrics[i].name()] = json_number(row.values[i]);
    }
    json["runs"].push_back(std::move(one));
  }
  return json;
}

}  // namespace ew::report
