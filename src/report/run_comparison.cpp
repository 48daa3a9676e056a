#include "report/run_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/diagnostics.hpp"
#include "core/nearest.hpp"
#include "runtime/derived_figures.hpp"

namespace ew::report {

namespace {

constexpr double largest_ratio = 1000;  // what stands for a ratio to 0

bool is_share(const FigureRow& row) {
  return row.unit == "%";
}

std::vector<const MeasuredFigures*> figures_of(const RunComparison& comparison) {
  std::vector<const MeasuredFigures*> all;
  for (const MeasuredRun& run : comparison.runs) {
    const MeasuredKernel* const kernel = comparison.kernel.empty() ? nullptr : run.kernel(comparison.kernel);
    static const MeasuredFigures none;
    all.push_back(comparison.kernel.empty() ? &run.figures() : kernel ? &kernel->figures : &none);
  }
  return all;
}

FigureRow row_of(std::string_view name, const std::vector<const MeasuredFigures*>& of) {
  FigureRow row{std::string(name), text_of_figure(name).unit, {}};
  for (const MeasuredFigures* figures : of) {
    const auto found = figures->find(name);
    row.values.push_back(found == figures->end() ? std::nullopt : std::optional(found->second));
  }
  return row;
}

/// Slots of a cause, as a share of all slots: runs of different lengths compare.
void as_share_of_slots(FigureRow& row, const std::vector<const MeasuredFigures*>& of) {
  row.unit = "%";
  for (std::size_t i = 0; i < of.size(); ++i) {
    double all = 0;
    for (auto at = of[i]->lower_bound("slots."); at != of[i]->end() && at->first.starts_with("slots."); ++at)
      all += at->second;
    if (row.values[i]) row.values[i] = all > 0 ? 100 * *row.values[i] / all : 0;
  }
}

bool is_asked(std::string_view name, const ComparisonChoice& choice) {
  if (!choice.figures.empty())
    return std::ranges::any_of(choice.figures, [&](std::string_view asked) {
      return asked.ends_with('*') ? name.starts_with(asked.substr(0, asked.size() - 1)) : name == asked;
    });
  if (choice.all || name.starts_with("slots.") || name.starts_with("energy.")) return true;
  return std::ranges::any_of(runtime::derived_figures(),
                             [&](const runtime::DerivedFigure& one) { return one.name == name; });
}

/// Names that the simulator's host decides, and not the machine.
bool is_of_host(std::string_view name) {
  return name == "max_resident_bytes";
}

void check_names(const ComparisonChoice& choice, const std::set<std::string, std::less<>>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::string_view asked : choice.figures) {
    const bool found = std::ranges::any_of(views, [&](std::string_view name) {
      return is_asked(name, {.kernel = {}, .figures = {std::string(asked)}, .all = false});
    });
    if (!found)
      throw core::UserError(
          fmt::format("--figure {}: no run has such a figure{}", asked, core::did_you_mean(asked, views)));
  }
}

void check_kernel(const RunComparison& comparison) {
  if (comparison.kernel.empty()) return;
  std::vector<std::string_view> names;
  for (const MeasuredRun& run : comparison.runs)
    for (const MeasuredKernel& kernel : run.kernels()) names.push_back(kernel.name);
  if (std::ranges::find(names, comparison.kernel) == names.end())
    throw core::UserError(fmt::format("--kernel {}: no run has such a kernel{}", comparison.kernel,
                                      core::did_you_mean(comparison.kernel, names)));
}

std::vector<KernelComparison> kernels_of(const std::vector<MeasuredRun>& runs) {
  std::vector<KernelComparison> kernels;
  for (const MeasuredRun& run : runs)
    for (const MeasuredKernel& kernel : run.kernels()) {
      if (std::ranges::find(kernels, kernel.name, &KernelComparison::name) != kernels.end()) continue;
      KernelComparison one{kernel.name, {}, {kernel.name, "ns", {}}};
      for (const MeasuredRun& of : runs) {
        const MeasuredKernel* const found = of.kernel(kernel.name);
        one.launches.push_back(found ? found->launches : 0);
        one.time.values.push_back(found ? std::optional(found->nanoseconds) : std::nullopt);
      }
      kernels.push_back(std::move(one));
    }
  const auto difference = [](const KernelComparison& kernel) {
    double most = 0;
    for (const auto& value : kernel.time.values)
      most = std::max(most, std::abs(value.value_or(0) - kernel.time.values[0].value_or(0)));
    return most;
  };
  std::ranges::stable_sort(kernels, std::greater{}, difference);
  return kernels;
}

std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{}", static_cast<i64>(value));
  const int before = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(5 - before, 0, 9));
}

}  // namespace

bool FigureRow::differs() const {
  return std::ranges::any_of(values, [&](const auto& value) { return value != values[0]; });
}

double FigureRow::size() const {
  double most = 0;
  const double first = values[0].value_or(0);
  for (const auto& value : values) {
    const double now = value.value_or(0);
    if (now == first) continue;
    const bool to_zero = now == 0 || first == 0 || (now < 0) != (first < 0);
    const double ratio =
        to_zero ? std::log(largest_ratio) : std::min(std::abs(std::log(now / first)), std::log(largest_ratio));
    most = std::max(most, unit == "%" ? std::abs(now - first) / 100 : ratio);
  }
  return most;
}

RunComparison compare(std::vector<MeasuredRun> runs, const ComparisonChoice& choice) {
  RunComparison comparison{std::move(runs), choice.kernel, {}, {}, {}, 0};
  check_kernel(comparison);
  std::vector<const MeasuredFigures*> whole;
  for (const MeasuredRun& run : comparison.runs) whole.push_back(&run.figures());
  for (const char* name :
       {"simulated_nanoseconds", "time.kernels", "time.copies", "time.kernels_and_copies", "time.neither"}) {
    FigureRow row = row_of(name, whole);
    const bool any = std::ranges::any_of(row.values, [](const auto& value) { return value.value_or(0) != 0; });
    if (any) comparison.times.push_back(std::move(row));
  }
  comparison.kernels = kernels_of(comparison.runs);

  const auto of = figures_of(comparison);
  std::set<std::string, std::less<>> names;
  for (const MeasuredFigures* figures : of)
    for (const auto& [name, value] : *figures)
      if (!is_of_host(name)) names.insert(name);
  check_names(choice, names);
  for (const std::string& name : names) {
    if (!is_asked(name, choice)) continue;
    FigureRow row = row_of(name, of);
    if (name.starts_with("slots.")) as_share_of_slots(row, of);
    if (row.differs())
      comparison.figures.push_back(std::move(row));
    else
      ++comparison.equal;
  }
  std::ranges::stable_sort(comparison.figures, std::greater{}, &FigureRow::size);
  return comparison;
}

std::string letter_of(std::size_t run) {
  return run < 26 ? fmt::format("{:c}", 'A' + static_cast<int>(run)) : fmt::format("{}", run + 1);
}

std::string value_text(double value) {
  std::string text = number(value);
  const std::size_t point = std::min(text.find('.'), text.size()), sign = text[0] == '-';
  for (std::size_t at = point; at > sign + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string change_text(const FigureRow& row, std::size_t run) {
  const auto first = row.values[0], now = row.values[run];
  if (!first || !now) return first || now ? "not in both" : "";
  if (*first == *now) return "equal";
  if (is_share(row)) return fmt::format("{:+.1f} points", *now - *first);
  if (*first == 0) return "from 0";
  if (*now == 0) return "to 0";
  const double ratio = *now / *first;
  if (ratio >= 2) return fmt::format("{:.2f} times", ratio);
  return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

nlohmann::ordered_json to_json(const RunComparison& comparison) {
  using Json = nlohmann::ordered_json;
  const auto row_json = [](const FigureRow& row) {
    Json values = Json::array();
    for (const auto& value : row.values) values.push_back(value ? Json(*value) : Json(nullptr));
    return Json{{"name", row.name}, {"unit", row.unit}, {"values", values}};
  };
  Json json{{"runs", Json::array()},    {"kernel", comparison.kernel}, {"times", Json::array()},
            {"kernels", Json::array()}, {"figures", Json::array()},    {"equal_figures", comparison.equal}};
  for (const MeasuredRun& run : comparison.runs)
    json["runs"].push_back({{"run", run.label()}, {"machine", run.machine()}});
  for (const FigureRow& row : comparison.times) json["times"].push_back(row_json(row));
  for (const KernelComparison& kernel : comparison.kernels) {
    Json one = row_json(kernel.time);
    one["launches"] = kernel.launches;
    json["kernels"].push_back(std::move(one));
  }
  for (const FigureRow& row : comparison.figures) json["figures"].push_back(row_json(row));
  return json;
}

}  // namespace ew::report
