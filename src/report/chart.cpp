// A figure as panels: what stands on the axes, and the values. The page's script (html_page.hpp) draws them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/html_report.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;

std::string program_label(const ComparedFigure& compared, const std::string& program) {
  return program == "mean" ? mean_name(*compared.figure) : compared.label(program);
}

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

bool any(const Json& values) {
  return std::ranges::any_of(values, [](const Json& value) { return !value.is_null(); });
}

/// The programs that were run, and the mean where the figure has one.
std::vector<std::string> columns_of(const ComparedFigure& compared) {
  std::vector<std::string> columns = compared.programs;
  if (std::ranges::any_of(compared.bars, [](const ComparedBar& bar) { return bar.program == "mean"; }))
    columns.push_back("mean");
  return columns;
}

/// Programs along the x-axis, each with its bars: the paper's pale, ours beside it.
Json grouped_bars(const ComparedFigure& compared) {
  const Figure& figure = *compared.figure;
  Json labels = Json::array(), sets = Json::array();
  for (const std::string& program : columns_of(compared)) labels.push_back(program_label(compared, program));
  for (std::size_t at = 0; at < figure.bars.size(); ++at) {
    Json paper = Json::array(), ours = Json::array(), ranges = Json::array();
    for (const std::string& program : columns_of(compared)) {
      const ComparedBar* bar = compared.find(program, figure.bars[at].name);
      const bool spans = bar && bar->ours && bar->by_seed.size() > 1;
      paper.push_back(bar ? number(bar->paper) : Json(nullptr));
      ours.push_back(bar ? number(bar->ours) : Json(nullptr));
      ranges.push_back(spans ? Json{bar->low(), bar->high()} : Json(nullptr));
    }
    if (any(paper))
      sets.push_back({{"label", figure.bars[at].label}, {"colour", at}, {"source", "paper"}, {"values", paper}});
    if (!any(ours)) continue;
    sets.push_back({{"label", figure.bars[at].label}, {"colour", at}, {"source", "Everwarp"}, {"values", ours}});
    if (any(ranges)) sets.back()["ranges"] = ranges;
  }
  return {{"type", "bar"}, {"labels", labels}, {"sets", sets}};
}

/// Our bars, one beside the other with a gap between programs; the parts of each one on the other.
Json stacked_bars(const ComparedFigure& compared) {
  const Figure& figure = *compared.figure;
  Json labels = Json::array(), sets = Json::array();
  std::vector<const ComparedBar*> places;  // nullptr: a gap
  for (const std::string& program : columns_of(compared)) {
    if (!places.empty()) places.push_back(nullptr), labels.push_back("");
    for (std::size_t at = 0; at < figure.bars.size(); ++at) {
      places.push_back(compared.find(program, figure.bars[at].name));
      const std::string below = at == figure.bars.size() / 2 ? program_label(compared, program) : "";
      labels.push_back(Json{figure.bars[at].label, below});
    }
  }
  for (std::size_t part = 0; part < figure.parts.size(); ++part) {
    Json values = Json::array();
    for (const ComparedBar* bar : places)
      values.push_back(bar && part < bar->parts.size() ? Json(bar->parts[part]) : Json(nullptr));
    sets.push_back({{"label", figure.parts[part].label}, {"colour", part}, {"source", "Everwarp"}, {"values", values}});
  }
  return {{"type", "bar"}, {"stacked", true}, {"labels", labels}, {"sets", sets}};
}

/// A program's panel: a line a bar, over the values of the axis; the paper's lines are dashed.
Json lines(const ComparedFigure& compared, const std::string& program) {
  const Figure& figure = *compared.figure;
  Json labels = Json::array(), sets = Json::array();
  for (const std::string& x : figure.x.values) labels.push_back(figure.x.numeric ? Json(std::stod(x)) : Json(x));
  for (std::size_t at = 0; at < figure.bars.size(); ++at) {
    Json paper = Json::array(), ours = Json::array();
    for (const std::string& x : figure.x.values) {
      const ComparedBar* bar = compared.find(program, figure.bars[at].name, x);
      paper.push_back(bar ? number(bar->paper) : Json(nullptr));
      ours.push_back(bar ? number(bar->ours) : Json(nullptr));
    }
    for (const auto& [source, values] : {std::pair("paper", paper), {"Everwarp", ours}})
      if (any(values))
        sets.push_back({{"label", figure.bars[at].label}, {"colour", at}, {"source", source}, {"values", values}});
  }
  return {{"type", "line"},
          {"title", program_label(compared, program)},
          {"x", figure.x.label},
          {"labels", labels},
          {"numeric", figure.x.numeric},
          {"sets", sets}};
}

}  // namespace

Json chart_of(const ComparedFigure& compared) {
  const Figure& figure = *compared.figure;
  Json panels = Json::array();
  if (!figure.x.name.empty()) {
    for (const std::string& program : columns_of(compared)) panels.push_back(lines(compared, program));
  } else {
    panels.push_back(figure.parts.empty() ? grouped_bars(compared) : stacked_bars(compared));
  }
  // What all is normalised to has a line of its own.
  const bool normalised = figure.quantity == Quantity::speedup || figure.quantity == Quantity::ratio;
  return {{"y", figure.axis}, {"normalised", normalised}, {"panels", panels}};
}

}  // namespace ew::report
