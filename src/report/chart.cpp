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

std::string program_label(const std::string& program) {
  return program == "mean" ? "geometric mean" : program;
}

Json values_of(const ComparedFigure& compared) {
  Json values = Json::array();
  for (const ComparedBar& bar : compared.bars) {
    const auto add = [&](const char* source, std::optional<double> value) {
      if (value)
        values.push_back({{"program", program_label(bar.program)},
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

}  // namespace

Json chart_of(const ComparedFigure& compared) {
  const Figure& figure = *compared.figure;
  Json labels = Json::array(), programs = Json::array();
  for (const Bar& bar : figure.bars) labels.push_back(bar.label);
  for (const std::string& program : compared.programs) programs.push_back(program);
  programs.push_back(program_label("mean"));
  Json layers = Json::array({bars(figure, labels)});
  if (compared.has_ranges()) layers.push_back(ranges(labels));
  if (figure.quantity != Quantity::share)  // the line of what all is normalised to
    layers.push_back({{"mark", {{"type", "rule"}, {"strokeDash", {3, 3}}, {"color", "#888888"}}},
                      {"encoding", {{"y", {{"datum", 1}}}}}});
  const double step = figure.bars.size() > 3 ? 24 : 36;
  return {{"data", {{"values", values_of(compared)}}},
          {"facet",
           {{"column",
             {{"field", "program"},
              {"type", "nominal"},
              {"sort", programs},
              {"title", nullptr},
              {"header", {{"labelFontWeight", "bold"}}}}}}},
          {"spec", {{"width", {{"step", step}, {"for", "position"}}}, {"height", 220}, {"layer", layers}}},
          {"spacing", 16},
          {"config", {{"view", {{"stroke", "transparent"}}}, {"font", "system-ui, sans-serif"}}}};
}

}  // namespace ew::report
