// A figure as a Vega-Lite specification.
#include <nlohmann/json.hpp>

#include "report/html_report.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;

std::string label_of(const Figure& figure, const std::string& bar) {
  for (const Bar& one : figure.bars)
    if (one.name == bar) return one.label;
  return bar;
}

std::string program_label(const Figure& figure, const std::string& program) {
  return program == "mean" ? mean_name(figure) : program;
}

Json values_of(const ComparedFigure& compared) {
  Json values = Json::array();
  for (const ComparedBar& bar : compared.bars) {
    const auto add = [&](const char* source, std::optional<double> value) {
      if (value)
        values.push_back({{"program", program_label(*compared.figure, bar.program)},
                          {"bar", label_of(*compared.figure, bar.bar)},
                          {"source", source},
                          {"value", *value}});
    };
    add("paper", bar.paper);
    add("Everwarp", bar.ours);
    if (bar.by_seed.size() > 1) values.back().update({{"low", bar.low()}, {"high", bar.high()}});
  }
  return values;
}

const Json sources{"paper", "Everwarp"};

Json place_of_bar(const Json& labels) {
  return {
      {"x",
       {{"field", "bar"}, {"type", "nominal"}, {"sort", labels}, {"title", nullptr}, {"axis", {{"labelAngle", -45}}}}},
      {"xOffset", {{"field", "source"}, {"type", "nominal"}, {"sort", sources}}}};
}

Json bars(const Figure& figure, const Json& labels) {
  Json tooltip = Json::array();
  for (const char* field : {"program", "bar", "source"}) tooltip.push_back({{"field", field}, {"type", "nominal"}});
  tooltip.push_back({{"field", "value"}, {"type", "quantitative"}, {"format", ".3f"}});
  Json encoding = place_of_bar(labels);
  encoding.update({{"y", {{"field", "value"}, {"type", "quantitative"}, {"title", figure.axis}}},
                   {"color",
                    {{"field", "source"},
                     {"type", "nominal"},
                     {"sort", sources},
                     {"title", nullptr},
                     {"scale", {{"domain", sources}, {"range", {"#b8bec8", "#1f6feb"}}}},
                     {"legend", {{"orient", "top"}}}}},
                   {"tooltip", tooltip}});
  return {{"mark", {{"type", "bar"}}}, {"encoding", encoding}};
}

/// What the seeds span, across the bar of their mean.
Json ranges(const Json& labels) {
  Json encoding = place_of_bar(labels);
  encoding.update({{"y", {{"field", "low"}, {"type", "quantitative"}}}, {"y2", {{"field", "high"}}}});
  return {{"transform", {{{"filter", "isValid(datum.low)"}}}},
          {"mark", {{"type", "rule"}, {"color", "#111111"}}},
          {"encoding", encoding}};
}

/// The parts of our bars, one on the other.
Json stacks(const ComparedFigure& compared, const Json& labels) {
  const Figure& figure = *compared.figure;
  Json values = Json::array(), names = Json::array();
  for (const Part& part : figure.parts) names.push_back(part.label);
  for (const ComparedBar& bar : compared.bars)
    for (std::size_t i = 0; i < bar.parts.size(); ++i)
      values.push_back({{"program", program_label(figure, bar.program)},
                        {"bar", label_of(figure, bar.bar)},
                        {"part", figure.parts[i].label},
                        {"place", i},
                        {"value", bar.parts[i]}});
  Json tooltip = Json::array();
  for (const char* field : {"program", "bar", "part"}) tooltip.push_back({{"field", field}, {"type", "nominal"}});
  tooltip.push_back({{"field", "value"}, {"type", "quantitative"}, {"format", ".3f"}});
  Json encoding = place_of_bar(labels);
  encoding.erase("xOffset");
  encoding.update({{"y", {{"field", "value"}, {"type", "quantitative"}, {"title", figure.axis}}},
                   {"color",
                    {{"field", "part"},
                     {"type", "nominal"},
                     {"sort", names},
                     {"title", nullptr},
                     {"scale", {{"scheme", names.size() > 10 ? "tableau20" : "tableau10"}}},
                     {"legend", {{"orient", "top"}, {"columns", 8}}}}},
                   {"order", {{"field", "place"}, {"type", "quantitative"}}},
                   {"tooltip", tooltip}});
  return {{"data", {{"values", values}}}, {"mark", {{"type", "bar"}}}, {"encoding", encoding}};
}

/// A small chart a program: a line a bar, over the values of the axis; the paper's lines are dashed.
Json series(const ComparedFigure& compared) {
  const Figure& figure = *compared.figure;
  Json values = Json::array(), labels = Json::array(), programs = Json::array(), points = Json::array();
  for (const Bar& bar : figure.bars) labels.push_back(bar.label);
  for (const std::string& program : compared.programs) programs.push_back(program);
  programs.push_back(program_label(figure, "mean"));
  for (const std::string& x : figure.x.values) points.push_back(figure.x.numeric ? Json(std::stod(x)) : Json(x));
  for (const ComparedBar& bar : compared.bars)
    for (const auto& [source, value] : {std::pair("paper", bar.paper), {"Everwarp", bar.ours}})
      if (value)
        values.push_back({{"program", program_label(figure, bar.program)},
                          {"x", figure.x.numeric ? Json(std::stod(bar.x)) : Json(bar.x)},
                          {"bar", label_of(figure, bar.bar)},
                          {"source", source},
                          {"value", *value}});
  Json encoding{
      {"x",
       {{"field", "x"},
        {"type", figure.x.numeric ? "quantitative" : "ordinal"},
        {"sort", points},
        {"title", figure.x.label},
        {"axis", {{"values", points}}}}},
      {"y", {{"field", "value"}, {"type", "quantitative"}, {"title", figure.axis}}},
      {"color",
       {{"field", "bar"}, {"type", "nominal"}, {"sort", labels}, {"title", nullptr}, {"legend", {{"orient", "top"}}}}},
      {"strokeDash",
       {{"field", "source"},
        {"type", "nominal"},
        {"title", nullptr},
        {"scale", {{"domain", {"Everwarp", "paper"}}, {"range", {{1, 0}, {4, 3}}}}},
        {"legend", nullptr}}},
      {"tooltip",
       {{{"field", "program"}}, {{"field", "bar"}}, {{"field", "x"}}, {{"field", "value"}, {"format", ".3f"}}}}};
  return {{"data", {{"values", values}}},
          {"facet", {{"field", "program"}, {"type", "nominal"}, {"sort", programs}, {"title", nullptr}}},
          {"columns", 4},
          {"spec",
           {{"width", 220}, {"height", 160}, {"mark", {{"type", "line"}, {"point", true}}}, {"encoding", encoding}}},
          {"resolve", {{"scale", {{"y", "independent"}}}}}};
}

/// Programs beside each other, each with its bars.
Json groups_of_bars(const ComparedFigure& compared) {
  const Figure& figure = *compared.figure;
  Json labels = Json::array(), programs = Json::array();
  for (const Bar& bar : figure.bars) labels.push_back(bar.label);
  for (const std::string& program : compared.programs) programs.push_back(program);
  programs.push_back(program_label(figure, "mean"));
  const bool stacked = !figure.parts.empty();
  Json layers = Json::array();
  if (!stacked) layers.push_back(bars(figure, labels));
  if (compared.has_ranges() && !stacked) layers.push_back(ranges(labels));
  if (figure.quantity == Quantity::speedup || figure.quantity == Quantity::ratio)  // what all is normalised to
    layers.push_back({{"mark", {{"type", "rule"}, {"strokeDash", {3, 3}}, {"color", "#888888"}}},
                      {"encoding", {{"y", {{"datum", 1}}}}}});
  Json chart{{"data", {{"values", values_of(compared)}}}};
  if (stacked) {
    Json layer = stacks(compared, labels);
    chart["data"] = layer["data"];
    layer.erase("data");
    layers.insert(layers.begin(), std::move(layer));
  }
  const double step = figure.bars.size() > 3 ? 24 : 36;
  chart.update({{"facet",
                 {{"column",
                   {{"field", "program"},
                    {"type", "nominal"},
                    {"sort", programs},
                    {"title", nullptr},
                    {"header", {{"labelFontWeight", "bold"}}}}}}},
                {"spec", {{"width", {{"step", step}, {"for", "position"}}}, {"height", 220}, {"layer", layers}}},
                {"spacing", 16}});
  return chart;
}

}  // namespace

Json chart_of(const ComparedFigure& compared) {
  Json chart = compared.figure->x.name.empty() ? groups_of_bars(compared) : series(compared);
  chart["config"] = {{"view", {{"stroke", "transparent"}}}, {"font", "system-ui, sans-serif"}};
  return chart;
}

}  // namespace ew::report
