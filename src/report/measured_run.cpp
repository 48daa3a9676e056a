#include "report/measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/statistics.hpp"
#include "report/finished_run.hpp"
#include "report/launch_figures.hpp"
#include "runtime/derived_figures.hpp"
#include "runtime/run_results.hpp"
#include "runtime/run_statistics.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;

std::map<std::string_view, FigureText, std::less<>> make_texts() {
  std::map<std::string_view, FigureText, std::less<>> texts;
  for (const core::Statistic& one : runtime::figure_names()) texts[one.name] = {one.unit, one.sentence};
  static const runtime::RunStatistics counted;
  for (const core::Statistic& one : core::statistics_of(counted))
    texts.emplace(one.name, FigureText{one.unit, one.sentence});
  for (const runtime::DerivedFigure& one : runtime::derived_figures()) texts[one.name] = {one.unit, one.sentence};
  texts["time.kernels"] = {"ns", "Simulated time with a kernel running, and no copy."};
  texts["time.copies"] = {"ns", "Simulated time with a copy or work of the host, and no kernel running."};
  texts["time.kernels_and_copies"] = {"ns", "Simulated time with both."};
  texts["time.neither"] = {"ns", "Simulated time with neither: launch latencies and gaps."};
  texts["simulated_nanoseconds"] = {"ns", "Simulated time of the whole run."};
  return texts;
}

void add(MeasuredFigures& figures, const Json& from) {
  for (const auto& [name, value] : from.items())
    if (value.is_number()) figures[name] += value.get<double>();
}

/// "time": {"kernels_nanoseconds": 1} as time.kernels.
void add_times(MeasuredFigures& figures, const Json& times) {
  constexpr std::string_view ending = "_nanoseconds";
  for (const auto& [name, value] : times.items())
    if (value.is_number() && name.ends_with(ending))
      figures["time." + name.substr(0, name.size() - ending.size())] = value.get<double>();
}

std::vector<MeasuredKernel> kernels_of(const Json& statistics) {
  std::vector<MeasuredKernel> kernels;
  if (!statistics.contains("kernels")) return kernels;
  std::vector<LaunchFigures> derived;
  for (const Json& row : statistics["kernels"]) {
    const std::string name = short_kernel_name(row.value("kernel", ""));
    auto found = std::ranges::find(kernels, name, &MeasuredKernel::name);
    if (found == kernels.end()) {
      kernels.push_back({.name = name, .launches = 0, .nanoseconds = 0, .figures = {}});
      derived.emplace_back();
      found = kernels.end() - 1;
    }
    const double time = row.value("nanoseconds_end", 0.0) - row.value("nanoseconds_begin", 0.0);
    ++found->launches;
    found->nanoseconds += time;
    if (row.contains("timing")) add(found->figures, row["timing"]);
    derived[static_cast<std::size_t>(found - kernels.begin())].add(row, time);
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) derived[i].write(kernels[i].figures);
  std::ranges::stable_sort(kernels, std::greater{}, &MeasuredKernel::nanoseconds);
  return kernels;
}

}  // namespace

FigureText text_of_figure(std::string_view name) {
  static const auto texts = make_texts();
  const auto found = texts.find(name);
  return found == texts.end() ? FigureText{} : found->second;
}

MeasuredRun MeasuredRun::read(const std::filesystem::path& path) {
  const bool folder = std::filesystem::is_directory(path);
  const std::filesystem::path file = folder ? path / "stats.json" : path;
  if (folder && !std::filesystem::exists(file))
    throw core::UserError(fmt::format(
        "{}: there is no stats.json in it; name a file of `ew run --stats FILE`, or a run's folder", path.string()));
  const core::FileText text = core::read_file(file.string());
  if (!text.why.empty()) throw core::UserError(fmt::format("{}: {}", file.string(), text.why));
  Json json = Json::parse(text.text, nullptr, false);
  if (json.is_discarded() || !json.is_object())
    throw core::UserError(fmt::format("{}: is no JSON; name a file of `ew run --stats FILE`", file.string()));
  if (json.contains("statistics") && json["statistics"].is_object()) json = Json(json["statistics"]);  // ew run --json
  if (!json.contains("warp_instructions"))
    throw core::UserError(
        fmt::format("{}: holds no statistics of a run; name a file of `ew run --stats FILE`", file.string()));
  MeasuredRun run;
  run.label_ = path.lexically_normal().string();
  run.machine_ = json.value("machine", "");
  add(run.figures_, json);
  for (const char* part : {"timing", "derived"})
    if (json.contains(part)) add(run.figures_, json[part]);
  if (json.contains("time")) add_times(run.figures_, json["time"]);
  run.kernels_ = kernels_of(json);
  run.statistics_ = std::move(json);
  return run;
}

const MeasuredKernel* MeasuredRun::kernel(std::string_view name) const {
  const auto found = std::ranges::find(kernels_, name, &MeasuredKernel::name);
  return found == kernels_.end() ? nullptr : &*found;
}

}  // namespace ew::report
