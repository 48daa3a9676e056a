#include "report/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/finished_run.hpp"
#include "report/run_comparison.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kernels_in_charts = 12;

double figure(const MeasuredFigures& figures, std::string_view name) {
  const auto found = figures.find(name);
  return found == figures.end() ? 0 : found->second;
}

/// "-" where the figure has no value.
std::string cell(const MeasuredFigures& figures, std::string_view name, const char* format = "{:.1f}") {
  const auto found = figures.find(name);
  return fmt::format("<td class=number>{}</td>",
                     found == figures.end() ? "-" : fmt::format(fmt::runtime(format), found->second));
}

/// Causes that kernels lost issue slots to, by their shares: the largest first.
std::vector<std::pair<std::string, double>> stalls_of(const MeasuredFigures& figures) {
  std::vector<std::pair<std::string, double>> causes;
  double sum = 0;
  for (auto at = figures.lower_bound("slots."); at != figures.end() && at->first.starts_with("slots."); ++at) {
    if (at->first == "slots.issued" || at->first == "slots.idle" || at->second == 0) continue;
    causes.emplace_back(at->first.substr(6), at->second);
    sum += at->second;
  }
  for (auto& [name, share] : causes) share *= 100 / sum;
  std::ranges::stable_sort(causes, std::greater{}, &std::pair<std::string, double>::second);
  return causes;
}

std::string top_stalls(const MeasuredFigures& figures) {
  std::string text;
  const auto causes = stalls_of(figures);
  for (std::size_t i = 0; i < std::min<std::size_t>(3, causes.size()); ++i)
    text += fmt::format("{}{} {:.0f} %", i ? ", " : "", causes[i].first, causes[i].second);
  return text;
}

std::string limiter_of(const MeasuredRun& run, const MeasuredKernel& kernel) {
  for (const Json& row : run.statistics().value("kernels", Json::array()))
    if (short_kernel_name(row.value("kernel", "")) == kernel.name) return row.value("occupancy_limiter", "");
  return {};
}

std::string times_section(const MeasuredRun& run) {
  const double all = figure(run.figures(), "simulated_nanoseconds");
  std::string rows;
  for (const auto& [name, label] : {std::pair{"time.kernels", "kernels alone"},
                                    {"time.copies", "copies alone"},
                                    {"time.kernels_and_copies", "kernels and copies side by side"},
                                    {"time.neither", "launch latencies and gaps"}})
    if (const double time = figure(run.figures(), name))
      rows += fmt::format("<tr><td>{}</td><td class=number>{}</td><td class=number>{:.1f} %</td></tr>\n", label,
                          value_text(time / 1000), 100 * time / std::max(all, 1.0));
  return fmt::format(
      "<h2>Simulated time</h2>\n<table><tbody><tr class=mean><td>all</td><td class=number>{}</td><td "
      "class=number>us</td></tr>\n{}</tbody></table>\n",
      value_text(all / 1000), rows);
}

std::string kernels_section(const MeasuredRun& run) {
  double all = 0;
  for (const MeasuredKernel& kernel : run.kernels()) all += kernel.nanoseconds;
  std::string rows;
  for (const MeasuredKernel& kernel : run.kernels()) {
    const MeasuredFigures& f = kernel.figures;
    rows += fmt::format(
        "<tr><td>{}</td><td class=number>{}</td><td class=number>{}</td><td "
        "class=number>{:.1f}</td>{}{}{}<td>{}</td>{}{}{}{}{}"
        "<td>{}</td></tr>\n",
        escaped(kernel.name), kernel.launches, value_text(kernel.nanoseconds / 1000),
        100 * kernel.nanoseconds / std::max(all, 1.0), cell(f, "ipc", "{:.2f}"),
        cell(f, "occupancy.achieved", "{:.0f}"), cell(f, "occupancy.theoretical", "{:.0f}"),
        escaped(limiter_of(run, kernel)), cell(f, "l1.hit_rate"), cell(f, "l2.hit_rate"), cell(f, "l1.bandwidth.share"),
        cell(f, "l2.bandwidth.share"), cell(f, "memory.bandwidth.share"), escaped(top_stalls(f)));
  }
  return fmt::format(
      "<h2>Kernels</h2>\n<div class=scroll><table><thead><tr><th>kernel</th><th class=number>launches</th><th "
      "class=number>time, us</th><th class=number>%</th><th class=number>IPC of an SM</th><th class=number>occupancy, "
      "%</th><th class=number>at most, %</th><th>limited by</th><th class=number>L1 hits, %</th><th class=number>L2 "
      "hits, "
      "%</th><th class=number>L1, % of peak</th><th class=number>L2, % of peak</th><th class=number>memory, % of "
      "peak</th><th>most issue slots lost to</th></tr></thead><tbody>\n{}</tbody></table></div>\n"
      "<p class=note>Launches of one name are one row, with a rate of all their events together.</p>\n",
      rows);
}

/// Stacked bars: of each kernel, what its warps lost issue slots to.
Json stalls_chart(const MeasuredRun& run) {
  Json labels = Json::array(), sets = Json::array();
  const std::size_t count = std::min(run.kernels().size(), kernels_in_charts);
  std::vector<std::string> causes;
  for (std::size_t k = 0; k < count; ++k) {
    labels.push_back(run.kernels()[k].name);
    for (const auto& [name, share] : stalls_of(run.kernels()[k].figures))
      if (std::ranges::find(causes, name) == causes.end()) causes.push_back(name);
  }
  for (std::size_t c = 0; c < causes.size(); ++c) {
    Json values = Json::array();
    for (std::size_t k = 0; k < count; ++k) {
      double share = 0;
      for (const auto& [name, of] : stalls_of(run.kernels()[k].figures))
        if (name == causes[c]) share = of;
      values.push_back(share);
    }
    sets.push_back({{"label", causes[c]}, {"colour", c}, {"values", values}});
  }
  return {{"y", "% of the issue slots that its warps lost"},
          {"max", 100},
          {"panels", Json::array({{{"type", "bar"}, {"stacked", true}, {"labels", labels}, {"sets", sets}}})}};
}

/// What the memory's bandwidth allows, in instructions at an intensity of 1. The slope is given at the run's own
/// intensity.
double roofline_bandwidth(const MeasuredFigures& figures) {
  const double intensity = figure(figures, "roofline.intensity");
  return intensity > 0 ? figure(figures, "roofline.slope") / intensity : 0;
}

/// Instructions of a warp over bytes of memory, under what issue and memory allow.
Json roofline_chart(const MeasuredRun& run) {
  Json sets = Json::array();
  double least = 1e30, most = 0;
  for (std::size_t k = 0; k < std::min(run.kernels().size(), kernels_in_charts); ++k) {
    const MeasuredKernel& kernel = run.kernels()[k];
    const double x = figure(kernel.figures, "roofline.intensity"), y = figure(kernel.figures, "roofline.performance");
    if (x <= 0 || y <= 0) continue;
    least = std::min(least, x);
    most = std::max(most, x);
    sets.push_back({{"label", kernel.name}, {"colour", k}, {"points", Json::array({Json{x, y}})}});
  }
  const double ceiling = figure(run.figures(), "roofline.ceiling"), bandwidth = roofline_bandwidth(run.figures());
  if (sets.empty() || ceiling <= 0 || bandwidth <= 0) return nullptr;
  const double ridge = ceiling / bandwidth, left = std::min(least, ridge) / 4, right = std::max(most, ridge) * 4;
  sets.push_back({{"label", "what memory and issue allow"},
                  {"colour", 7},
                  {"line", true},
                  {"points", Json::array({Json{left, left * bandwidth}, Json{ridge, ceiling}, Json{right, ceiling}})}});
  return {{"y", "warp instructions a nanosecond (GIPS)"},
          {"panels", Json::array({{{"type", "scatter"},
                                   {"log", true},
                                   {"x", "warp instructions a sector (32 bytes) of memory"},
                                   {"sets", sets}}})}};
}

Json latencies_chart(const MeasuredRun& run) {
  const Json& latencies = run.statistics().value("latencies", Json::object());
  Json sets = Json::array();
  std::size_t colour = 0;
  for (const auto& [level, buckets] : latencies.items()) {
    double all = 0;
    for (const Json& bucket : buckets) all += bucket[1].get<double>();
    Json points = Json::array();
    for (const Json& bucket : buckets)
      points.push_back(
          Json{std::max(bucket[0].get<double>(), 1.0), 100 * bucket[1].get<double>() / std::max(all, 1.0)});
    sets.push_back({{"label", level}, {"colour", colour++}, {"joined", true}, {"points", points}});
  }
  if (sets.empty()) return nullptr;
  return {{"y", "% of the accesses that this level served"},
          {"panels",
           Json::array({{{"type", "scatter"}, {"logx", true}, {"x", "cycles from issue to value"}, {"sets", sets}}})}};
}

Json activity_chart(const std::vector<ActivitySample>& samples, std::string_view what) {
  const auto panel = [&](std::string_view y,
                         const std::vector<std::pair<const char*, double (*)(const ActivitySample&)>>& lines) {
    Json labels = Json::array(), sets = Json::array();
    for (const ActivitySample& sample : samples) labels.push_back((sample.begin + sample.end) / 2);
    std::size_t colour = 0;
    for (const auto& [label, value] : lines) {
      Json values = Json::array();
      for (const ActivitySample& sample : samples) values.push_back(value(sample));
      sets.push_back({{"label", label}, {"colour", colour++}, {"values", values}});
    }
    return Json{{"y", y},
                {"panels", Json::array({{{"type", "line"},
                                         {"dense", true},
                                         {"numeric", true},
                                         {"x", "simulated time, us"},
                                         {"labels", labels},
                                         {"sets", sets}}})}};
  };
  if (what == "bandwidth")
    return panel("GB/s",
                 {{"GPU memory", [](const ActivitySample& s) { return s.memory_bytes / (s.end - s.begin) / 1000; }},
                  {"host link", [](const ActivitySample& s) { return s.host_bytes / (s.end - s.begin) / 1000; }}});
  return panel("% of the issue slots", {{"issued", [](const ActivitySample& s) { return s.issued; }}});
}

class Page {
 public:
  void add(std::string_view place, std::string_view title, std::string_view note, Json chart) {
    if (chart.is_null()) return;
    body += fmt::format("<h2>{}</h2>\n<div class=chart id={}></div>\n<p class=note>{}</p>\n", title, place, note);
    charts.push_back({{"place", place}, {"chart", std::move(chart)}});
  }
  std::string body;
  Json charts = Json::array();
};

}  // namespace

std::string run_page(const MeasuredRun& run, const std::vector<ActivitySample>& activity, const RunPageFacts& facts,
                     const ChartLibrary& library) {
  Page page;
  const std::string ended = run.statistics().value("ended", "exit");
  page.body =
      fmt::format("<p class=note>On {}. Made by <code>{}</code></p>\n", escaped(run.machine()), escaped(facts.command));
  if (ended != "exit") page.body += fmt::format("<p class=warning>The run ended by {}.</p>\n", escaped(ended));
  page.body += times_section(run);
  if (!run.kernels().empty()) {
    page.body += kernels_section(run);
    page.add("chart-stalls", "Stalls",
             "Of each kernel: the issue slots in which its warps could not issue, by cause. `ew explain slots.NAME` "
             "says what a cause is.",
             stalls_chart(run));
    page.add(
        "chart-roofline", "Roofline",
        "A kernel below the sloped part is bound by the bandwidth of memory, one below the flat part by issue. Both "
        "axes are logarithmic.",
        roofline_chart(run));
    page.add("chart-latencies", "Latencies",
             "Loads and atomics, by who served them. A point is a bucket: a quarter of an octave.",
             latencies_chart(run));
  }
  if (!activity.empty()) {
    page.add("chart-bandwidth", "Bandwidth over time", "Read and written together.",
             activity_chart(activity, "bandwidth"));
    page.add("chart-issue", "Issue over time", "All SMs together.", activity_chart(activity, "issue"));
  } else {
    page.body += fmt::format("<p class=note>{}</p>\n", escaped(facts.no_activity));
  }
  std::string rows;
  for (const auto& [name, value] : run.figures())
    rows += fmt::format("<tr><td title=\"{}\">{}</td><td>{}</td><td class=number>{}</td></tr>\n",
                        escaped(text_of_figure(name).sentence), escaped(name), escaped(text_of_figure(name).unit),
                        value_text(value));
  page.body += fmt::format(
      "<details><summary>Every figure of the run</summary><table><tbody>\n{}</tbody></table></details>\n"
      "<details><summary>The resolved machine</summary><pre>{}</pre></details>\n",
      rows, escaped(facts.resolved_machine));
  return html_page("A run of " + facts.program, page.body, page.charts, library);
}

}  // namespace ew::report
