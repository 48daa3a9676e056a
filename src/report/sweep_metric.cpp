#include "report/sweep_metric.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/nearest.hpp"
#include "core/statistics.hpp"
#include "runtime/derived_figures.hpp"
#include "runtime/run_results.hpp"
#include "runtime/run_statistics.hpp"

namespace ew::report {

namespace {

struct Known {
  std::string_view name, unit;
};

std::vector<Known> known_figures() {
  std::vector<Known> list{{"time", "ns"},
                          {"wall_seconds", "s"},
                          {"kernels_nanoseconds", "ns"},
                          {"copies_nanoseconds", "ns"},
                          {"kernels_and_copies_nanoseconds", "ns"},
                          {"neither_nanoseconds", "ns"}};
  for (const core::Statistic& one : core::statistics_of(runtime::RunStatistics{})) list.push_back({one.name, one.unit});
  for (const core::Statistic& one : runtime::figure_names()) list.push_back({one.name, one.unit});
  for (const runtime::DerivedFigure& one : runtime::derived_figures()) list.push_back({one.name, one.unit});
  return list;
}

}  // namespace

SweepMetric SweepMetric::read(std::string_view text) {
  SweepMetric metric;
  metric.name_ = text;
  const std::vector<Known> known = known_figures();
  const auto found = std::ranges::find(known, text, &Known::name);
  if (found != known.end()) {
    metric.unit_ = found->unit;
    return metric;
  }
  if (text.find_first_of(" *") != text.npos) {
    metric.sum_ = Metric::read(text, {});
    return metric;
  }
  std::vector<std::string_view> names;
  for (const Known& one : known) names.push_back(one.name);
  const std::string hint = core::did_you_mean(text, names);
  throw core::UserError(
      fmt::format("unknown metric \"{}\"{}", text, hint.empty() ? "; `ew explain statistics` lists them" : hint));
}

std::vector<SweepMetric> SweepMetric::usual() {
  std::vector<SweepMetric> list;
  for (const char* const name : {"time", "warp_instructions", "ipc", "l1.hit_rate", "l2.hit_rate", "memory.bandwidth"})
    list.push_back(read(name));
  return list;
}

std::string SweepMetric::label() const {
  return unit_.empty() ? name_ : fmt::format("{}, {}", name_, unit_);
}

std::optional<double> SweepMetric::of(const FinishedRun& run) const {
  if (name_ == "wall_seconds") return run.wall_seconds();
  if (sum_) return run.measure(*sum_, Span::program, {});
  const std::string name = name_ == "time" ? "simulated_nanoseconds" : name_;
  for (const auto& [figure, value] : run.figures())
    if (figure == name) return value;
  return std::nullopt;
}

}  // namespace ew::report
