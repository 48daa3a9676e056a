// The page of `ew compare --html`.
#include <fmt/format.h>

#include <algorithm>

#include "report/run_comparison.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;

std::string heads(const RunComparison& comparison, std::string_view first, bool unit) {
  std::string text = fmt::format("<th>{}</th>{}", first, unit ? "<th>unit</th>" : "");
  for (std::size_t i = 0; i < comparison.runs.size(); ++i)
    text += fmt::format("<th class=number>{}</th>{}", letter_of(i), i ? "<th class=number>change</th>" : "");
  return text;
}

std::string cells(const FigureRow& row, double scale = 1) {
  std::string text;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    text += fmt::format("<td class=number>{}</td>", row.values[i] ? value_text(*row.values[i] * scale) : "");
    if (i) text += fmt::format("<td class=number>{}</td>", change_text(row, i));
  }
  return text;
}

std::string table(std::string_view head, std::string_view rows) {
  return fmt::format("<div class=scroll><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n", head,
                     rows);
}

std::string runs_table(const RunComparison& comparison) {
  std::string rows;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i)
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", letter_of(i),
                        escaped(comparison.runs[i].label()), escaped(comparison.runs[i].machine()));
  return table("<th></th><th>run</th><th>machine</th>", rows);
}

std::string times_table(const RunComparison& comparison) {
  std::string rows;
  for (const FigureRow& row : comparison.times)
    rows += fmt::format("<tr><td>{}</td>{}</tr>\n", escaped(text_of_figure(row.name).sentence), cells(row, 1e-3));
  return table(heads(comparison, "simulated time, us", false), rows);
}

std::string kernels_table(const RunComparison& comparison) {
  std::string rows;
  for (const KernelComparison& kernel : comparison.kernels)
    rows += fmt::format("<tr><td>{}</td><td>{}</td>{}</tr>\n", escaped(kernel.name), fmt::join(kernel.launches, ", "),
                        cells(kernel.time, 1e-3));
  std::string head = heads(comparison, "kernel", false);
  head.insert(head.find("</th>") + 5, "<th>launches</th>");
  return "<h2>Kernels: time of all launches, us</h2>\n" + table(head, rows);
}

std::string figures_table(const RunComparison& comparison, std::size_t rows_shown) {
  std::string rows;
  for (std::size_t i = 0; i < rows_shown; ++i) {
    const FigureRow& row = comparison.figures[i];
    rows += fmt::format("<tr><td title=\"{}\">{}</td><td>{}</td>{}</tr>\n", escaped(text_of_figure(row.name).sentence),
                        escaped(row.name), escaped(row.unit), cells(row));
  }
  return fmt::format(
      "<h2>{}: the largest differences first</h2>\n{}<p class=note>{} more figures differ, {} are equal. Point "
      "at a name to see what it is. slots.*: shares of all issue slots.</p>\n",
      comparison.kernel.empty() ? "Figures" : "Figures of kernel " + escaped(comparison.kernel),
      table(heads(comparison, "figure", true), rows), comparison.figures.size() - rows_shown, comparison.equal);
}

/// Times of the runs, a group of bars a kernel.
Json times_chart(const RunComparison& comparison) {
  constexpr std::size_t most = 12;
  Json labels = Json::array(), sets = Json::array();
  const std::size_t kernels = std::min(comparison.kernels.size(), most);
  for (std::size_t k = 0; k < kernels; ++k) labels.push_back(comparison.kernels[k].name);
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    Json values = Json::array();
    for (std::size_t k = 0; k < kernels; ++k) {
      const auto& value = comparison.kernels[k].time.values[i];
      values.push_back(value ? Json(*value / 1000) : Json(nullptr));
    }
    sets.push_back({{"label", letter_of(i)}, {"colour", i}, {"values", values}});
  }
  return {{"y", "time of all launches, us"},
          {"panels", Json::array({{{"type", "bar"}, {"labels", labels}, {"sets", sets}}})}};
}

}  // namespace

std::string comparison_page(const RunComparison& comparison, std::size_t rows, const ChartLibrary& library) {
  const std::size_t shown = rows ? std::min(rows, comparison.figures.size()) : comparison.figures.size();
  std::string body = runs_table(comparison) + times_table(comparison);
  Json charts = Json::array();
  if (!comparison.kernels.empty()) {
    body += kernels_table(comparison) + "<div class=chart id=chart-kernels></div>\n";
    charts.push_back({{"place", "chart-kernels"}, {"chart", times_chart(comparison)}});
  }
  body += figures_table(comparison, shown);
  return html_page("Runs beside each other", body, charts, library);
}

}  // namespace ew::report
