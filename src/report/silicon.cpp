#include "report/silicon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/nearest.hpp"
#include "report/correlation.hpp"
#include "report/csv.hpp"

namespace ew::report {

using core::UserError;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view uses[] = {"set", "test", "out"};

const std::vector<std::string> columns{"machine", "device", "quantity", "value", "unit",   "conditions",
                                       "figure",  "per",    "use",      "note",  "source", "locator"};

double number(const std::string& text, const core::Place& place) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size() || !(value > 0) || !std::isfinite(value))
    throw UserError(place, fmt::format("value: expected a number above 0, found \"{}\"", text));
  return value;
}

Use use_of(const std::string& text, const core::Place& place) {
  const auto* const found = std::ranges::find(uses, text);
  if (found == std::end(uses))
    throw UserError(
        place, fmt::format("use: expected set, test or out, found \"{}\"{}", text, core::did_you_mean(text, uses)));
  return static_cast<Use>(found - std::begin(uses));
}

SiliconRow row_of(const CsvLine& line) {
  const std::vector<std::string>& cells = line.cells;
  if (cells.size() != columns.size())
    throw UserError(line.place, fmt::format("expected {} cells, found {}", columns.size(), cells.size()));
  SiliconRow row{cells[0], cells[1],  cells[2], {number(cells[3], line.place), cells[4]},
                 cells[5], cells[6],  cells[7], use_of(cells[8], line.place),
                 cells[9], cells[10], cells[11]};
  if (row.source.empty() || row.locator.empty())
    throw UserError(line.place, "a row needs a source and a locator: where the value can be read");
  if (row.use == Use::out && row.note.empty())
    throw UserError(line.place, "a row that is not compared (use: out) needs a note that says why");
  if (row.use != Use::out && row.figure.empty())
    throw UserError(line.place, "figure: expected a name that the microbenchmarks print");
  return row;
}

/// The text as JSON; what is wrong is said with the line.
Json parsed(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto at = static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    const auto line = static_cast<u32>(1 + std::count(text.begin(), text.begin() + at, '\n'));
    throw UserError({file, line}, "expected JSON, as tests/silicon/measure writes it");
  } catch (const Json::out_of_range&) {
    throw UserError({file, 0}, "expected numbers that a double can hold (1e999 is none)");
  }
}

const Json* member(const Json& json, const std::string& name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found == json.end() ? nullptr : &*found;
}

/// A member that must be there, and be what `is` says.
template <class Is>
const Json& required(const Json& json, const std::string& file, const std::string& of, const std::string& name,
                     const char* kind, Is&& is) {
  const Json* found = member(json, name);
  if (!found || !is(*found))
    throw UserError({file}, fmt::format("{}{}{}: expected {}, found {}", of, of.empty() ? "" : ".", name, kind,
                                        found ? found->type_name() : "nothing"));
  return *found;
}

double number_in(const Json& json, const std::string& file, const std::string& of, const std::string& name) {
  return required(json, file, of, name, "a number", [](const Json& value) { return value.is_number(); }).get<double>();
}

/// A time or a rate that was measured.
double above_zero(const Json& json, const std::string& file, const std::string& of, const std::string& name) {
  const double value = number_in(json, file, of, name);
  if (!(value > 0)) throw UserError({file}, fmt::format("{}.{}: expected a number above 0, found {}", of, name, value));
  return value;
}

std::size_t count_in(const Json& json, const std::string& file, const std::string& of, const std::string& name) {
  const Json& count = required(json, file, of, name, "a whole number above 0",
                               [](const Json& value) { return value.is_number_unsigned(); });
  if (count.get<std::size_t>() == 0)
    throw UserError({file},
                    fmt::format("{}{}{}: expected a whole number above 0, found 0", of, of.empty() ? "" : ".", name));
  return count.get<std::size_t>();
}

std::string text_of(const Json& json, const std::string& file, const std::string& of, const std::string& name) {
  return required(json, file, of, name, "a text", [](const Json& value) { return value.is_string(); })
      .get<std::string>();
}

/// A text that may be left out.
std::string text_or_none(const Json& json, const std::string& file, const std::string& of, const std::string& name) {
  return member(json, name) ? text_of(json, file, of, name) : "";
}

/// A list of texts that may be left out.
std::vector<std::string> texts_of(const Json& json, const std::string& file, const std::string& name) {
  std::vector<std::string> texts;
  if (!member(json, name)) return texts;
  for (const Json& text :
       required(json, file, "", name, "a list", [](const Json& value) { return value.is_array(); })) {
    if (!text.is_string()) throw UserError({file}, fmt::format("{}: expected texts, found {}", name, text.dump()));
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

bool is_object(const Json& value) {
  return value.is_object();
}

std::map<std::string, Reading> figures_of(const Json& json, const std::string& file) {
  std::map<std::string, Reading> figures;
  for (const auto& [name, value] : required(json, file, "", "figures", "an object", is_object).items()) {
    const std::string of = "figures." + name;
    figures[name] = {number_in(value, file, of, "value"), text_of(value, file, of, "unit")};
    const auto units = unit_names();
    if (std::ranges::find(units, figures[name].unit) == units.end())
      throw UserError({file}, fmt::format("{}.unit: there is no unit \"{}\"{}", of, figures[name].unit,
                                          core::did_you_mean(figures[name].unit, units)));
  }
  return figures;
}

}  // namespace

std::string_view name_of(Use use) {
  return uses[static_cast<std::size_t>(use)];
}

std::vector<SiliconRow> read_published_rows(std::string_view text, const std::string& file) {
  std::vector<SiliconRow> rows;
  bool heading = false;
  for (const CsvLine& line : csv_lines(text, file)) {
    if (heading) {
      rows.push_back(row_of(line));
      continue;
    }
    if (line.cells != columns)
      throw UserError(line.place, fmt::format("the heading should be \"{}\"", fmt::join(columns, ",")));
    heading = true;
  }
  if (!heading) throw UserError({file}, fmt::format("there is no heading \"{}\"", fmt::join(columns, ",")));
  return rows;
}

SiliconMeasurement read_measurement(const std::string& text, const std::string& file) {
  const Json json = parsed(text, file);
  if (const std::size_t format = count_in(json, file, "", "format"); format != 1)
    throw UserError(
        {file}, fmt::format("format: expected 1, as this version's tests/silicon/measure writes, found {}", format));
  SiliconMeasurement measurement;
  const Json& device = required(json, file, "", "device", "an object", is_object);
  measurement.device = text_of(device, file, "device", "name");
  measurement.driver = text_of(device, file, "device", "driver");
  measurement.cuda = text_of(device, file, "device", "cuda");
  measurement.sm_clock_mhz = text_or_none(device, file, "device", "sm_clock_mhz");
  measurement.memory_clock_mhz = text_or_none(device, file, "device", "memory_clock_mhz");
  measurement.figures = figures_of(json, file);
  if (member(json, "programs"))
    for (const auto& [name, value] : required(json, file, "", "programs", "an object", is_object).items())
      measurement.programs[name] = {above_zero(value, file, "programs." + name, "kernel_ns"),
                                    count_in(value, file, "programs." + name, "launches")};
  if (measurement.figures.empty() && measurement.programs.empty())
    throw UserError({file}, "there is no figure and no program in it: tests/silicon/measure says FAIL and why");
  measurement.groups = texts_of(json, file, "groups");
  measurement.set = texts_of(json, file, "set");
  for (const std::string& name : measurement.set)
    if (!measurement.figures.contains(name))
      throw UserError({file}, fmt::format("set: there is no figure \"{}\"", name));
  return measurement;
}

std::map<std::string, Reading> read_figures(const std::string& text, const std::string& file) {
  return figures_of(parsed(text, file), file);
}

}  // namespace ew::report
