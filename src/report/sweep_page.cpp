// A sweep as one HTML page: a chart a metric, with a panel for each choice of the axes that are neither along the
// bottom nor lines, then the runs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/sweep.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;
using Place = std::vector<std::size_t>;  // on each axis

/// The mean over the seeds, and from the least to the greatest.
struct Spread {
  double sum = 0, least = 0, greatest = 0;
  std::size_t count = 0;
  void add(double value) {
    least = count ? std::min(least, value) : value;
    greatest = count ? std::max(greatest, value) : value;
    sum += value;
    ++count;
  }
};

class Panels {
 public:
  Panels(const Sweep& sweep, std::size_t metric) : sweep_(sweep), metric_(metric) {
    for (const SweepRow& row : sweep.rows)
      if (row.values[metric]) points_[without_seed(row.at)].add(*row.values[metric]);
  }
  bool any() const { return !points_.empty(); }

  Json all() const {
    Json list = Json::array();
    std::vector<Place> seen;
    for (const SweepRow& row : sweep_.rows) {
      Place place = without_seed(row.at);
      place[sweep_.x] = 0;
      if (sweep_.lines) place[*sweep_.lines] = 0;
      if (std::ranges::find(seen, place) != seen.end()) continue;
      seen.push_back(place);
      list.push_back(panel(place));
    }
    return list;
  }

 private:
  Place without_seed(Place place) const {
    place[sweep_.seed_axis()] = 0;
    return place;
  }
  const SweepAxis& x() const { return sweep_.axes[sweep_.x]; }

  Json line(Place place) const {
    Json values = Json::array(), ranges = Json::array();
    for (std::size_t i = 0; i < x().values.size(); ++i) {
      place[sweep_.x] = i;
      const auto found = points_.find(place);
      const bool there = found != points_.end();
      values.push_back(there ? Json(found->second.sum / static_cast<double>(found->second.count)) : Json(nullptr));
      ranges.push_back(there && found->second.count > 1 ? Json{found->second.least, found->second.greatest}
                                                        : Json(nullptr));
    }
    return {{"source", "Everwarp"}, {"values", values}, {"ranges", ranges}};
  }

  Json panel(Place place) const {
    Json sets = Json::array();
    const std::size_t lines = sweep_.lines ? sweep_.axes[*sweep_.lines].values.size() : 1;
    for (std::size_t i = 0; i < lines; ++i) {
      if (sweep_.lines) place[*sweep_.lines] = i;
      Json set = line(place);
      set["label"] = sweep_.lines ? sweep_.axes[*sweep_.lines].values[i] : sweep_.metrics[metric_].name();
      set["colour"] = i;
      sets.push_back(std::move(set));
    }
    std::string title;
    for (std::size_t axis = 0; axis < sweep_.axes.size(); ++axis) {
      if (axis == sweep_.x || sweep_.lines == axis || axis == sweep_.seed_axis() || !sweep_.axes[axis].varies())
        continue;
      title += fmt::format("{}{}={}", title.empty() ? "" : ", ", sweep_.axes[axis].name,
                           sweep_.axes[axis].values[place[axis]]);
    }
    // Numbers stand in steps of equal width, as sizes that double should.
    return {{"type", x().varies() && x().is_numeric() ? "line" : "bar"},
            {"title", title},
            {"x", x().name},
            {"labels", x().values},
            {"sets", sets}};
  }

  const Sweep& sweep_;
  std::size_t metric_;
  std::map<Place, Spread> points_;
};

std::string charts_section(const Sweep& sweep, Json& charts) {
  std::string text;
  for (std::size_t i = 0; i < sweep.metrics.size(); ++i) {
    const Panels panels(sweep, i);
    if (!panels.any()) continue;
    const std::string place = fmt::format("chart-{}", i);
    const SweepMetric& metric = sweep.metrics[i];
    text += fmt::format("<section>\n<h2>{}</h2>\n<div class=chart id=\"{}\"></div>\n</section>\n",
                        escaped(metric.name()), place);
    charts.push_back({{"place", place}, {"chart", {{"y", metric.label()}, {"panels", panels.all()}}}});
  }
  if (!text.empty() && sweep.axes.back().varies())
    text += "<p class=note>Means over the seeds; a thin line goes from the least to the greatest.</p>\n";
  return text;
}

std::string failures_section(const Sweep& sweep) {
  if (sweep.failures() == 0) return {};
  std::string items;
  for (const SweepRow& row : sweep.rows)
    if (row.failure)
      items += fmt::format("<li>{} {}<pre>{}</pre><pre>{}</pre></li>\n", escaped(sweep.point(row)),
                           escaped(row.failure->how), escaped(row.command), escaped(row.failure->output));
  return fmt::format("<section id=failures class=bad>\n<h2>{} runs failed</h2>\n<ul>\n{}</ul>\n</section>\n",
                     sweep.failures(), items);
}

std::string runs_section(const Sweep& sweep) {
  std::string heads, rows;
  for (const SweepAxis& axis : sweep.axes) heads += fmt::format("<th>{}</th>", escaped(axis.name));
  for (const SweepMetric& metric : sweep.metrics)
    heads += fmt::format("<th class=number>{}</th>", escaped(metric.label()));
  for (const SweepRow& row : sweep.rows) {
    rows += "<tr>";
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
      rows += fmt::format("<td>{}</td>", escaped(sweep.value(row, axis)));
    for (const auto& value : row.values)
      rows += row.failure ? "<td class=\"number bad\">failed</td>"
                          : fmt::format("<td class=number>{}</td>", figure_text(value));
    rows += fmt::format("<td class=runs><code>{}</code></td></tr>\n", escaped(row.command));
  }
  return fmt::format(
      "<section id=runs>\n<h2>Runs</h2>\n<div class=scroll><table><thead><tr>{}<th>command</th></tr></thead><tbody>\n{}"
      "</tbody></table></div>\n</section>\n",
      heads, rows);
}

}  // namespace

std::string sweep_page(const Sweep& sweep, const ChartLibrary& library) {
  Json charts = Json::array();
  std::string body = fmt::format(
      "<p class=note>{} runs; Everwarp {}, commit {}, {} processes on {}; {:.0f} s. Made by <code>{}</code></p>\n",
      sweep.rows.size(), escaped(sweep.version), escaped(sweep.commit), sweep.jobs, escaped(sweep.host),
      sweep.wall_seconds, escaped(sweep.command));
  body += failures_section(sweep);
  body += charts_section(sweep, charts);
  body += runs_section(sweep);
  return html_page("Sweep of " + sweep.program, body, charts, library);
}

}  // namespace ew::report
