#include "report/reproduction.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;

/// A cell of a CSV file: quoted where RFC 4180 asks for it.
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) c == '"' ? quoted += "\"\"" : quoted += c;
  return quoted + '"';
}

std::string number(std::optional<double> value) {
  return value ? fmt::format("{:.6g}", *value) : std::string();
}

Json json_number(std::optional<double> value) {
  return value ? Json(*value) : Json();
}

Json to_json(const Agreement& agreement) {
  return {{"held", agreement.held},
          {"claims", agreement.claims},
          {"broken", agreement.broken},
          {"undecided", agreement.undecided}};
}

Json to_json(const ComparedFigure& compared) {
  Json bars = Json::array();
  for (const ComparedBar& bar : compared.bars)
    bars.push_back({{"program", bar.program},
                    {"bar", bar.bar},
                    {"paper", json_number(bar.paper)},
                    {"ours", json_number(bar.ours)},
                    {"by_seed", bar.by_seed},
                    {"difference", json_number(bar.difference)},
                    {"runs", bar.runs}});
  const Figure& figure = *compared.figure;
  return {{"figure", figure.id},
          {"title", figure.title},
          {"source", figure.source},
          {"metric", figure.metric},
          {"difference_in", difference_unit(figure)},
          {"bars", std::move(bars)},
          {"direction", to_json(compared.direction)},
          {"order", to_json(compared.order)}};
}

}  // namespace

u64 Reproduction::warp_instructions() const {
  u64 sum = 0;
  for (const FinishedRun& run : runs) sum += run.warp_instructions();
  return sum;
}

double Reproduction::run_seconds() const {
  double sum = 0;
  for (const FinishedRun& run : runs) sum += run.wall_seconds();
  return sum;
}

std::string figures_csv(const Reproduction& reproduction) {
  std::string text = "figure,program,bar,paper,ours,low,high,difference,difference_in,runs\n";
  for (const ComparedFigure& compared : reproduction.figures)
    for (const ComparedBar& bar : compared.bars)
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", cell(compared.figure->id), cell(bar.program),
                          cell(bar.bar), number(bar.paper), number(bar.ours), bar.ours ? number(bar.low()) : "",
                          bar.ours ? number(bar.high()) : "", number(bar.difference), difference_unit(*compared.figure),
                          fmt::join(bar.runs, " "));
  return text;
}

std::string figures_markdown(const Reproduction& reproduction) {
  std::string text;
  for (const ComparedFigure& compared : reproduction.figures) {
    const Figure& figure = *compared.figure;
    std::string heads = "| program |", rule = "|---|";
    for (const Bar& bar : figure.bars) heads += fmt::format(" {} |", bar.label), rule += "---|";
    text += fmt::format("{}Figure {}: {} ({}), here (paper):\n\n{}\n{}\n", text.empty() ? "" : "\n", figure.id,
                        figure.title, figure.axis, heads, rule);
    std::vector<std::string> rows = compared.programs;
    if (figure.has_mean) rows.push_back("mean");
    for (const std::string& program : rows) {
      text += fmt::format("| {} |", program == "mean" ? "geometric mean" : program);
      for (const Bar& bar : figure.bars) {
        const ComparedBar* one = compared.find(program, bar.name);
        text += one ? fmt::format(" {} ({}) |", value_text(figure, one->ours), value_text(figure, one->paper)) : " |";
      }
      text += '\n';
    }
  }
  return text;
}

std::string runs_csv(const Reproduction& reproduction) {
  std::string text = "run,program,phase,size,machine,settings,options,seed,time_ns,warp_instructions,wall_seconds\n";
  for (const FinishedRun& run : reproduction.runs) {
    const auto joined = [&](const char* key) {
      return fmt::format("{}", fmt::join(run.environment().value(key, std::vector<std::string>{}), ";"));
    };
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{:.3f}\n", run.directory().filename().string(),
                        cell(run.text("program")), run.text("phase"), cell(run.text("size")), cell(run.text("machine")),
                        cell(joined("set")), cell(joined("options")), run.text("seed"), number(run.measure("time", {})),
                        run.warp_instructions(), run.wall_seconds());
  }
  return text;
}

Json to_json(const Reproduction& reproduction) {
  const Provenance& from = reproduction.provenance;
  Json json{{"suite", reproduction.suite->name},
            {"size", from.size},
            {"seeds", from.seeds},
            {"commit", from.commit},
            {"version", from.version},
            {"command", from.command},
            {"host", from.host},
            {"jobs", from.jobs},
            {"wall_seconds", from.wall_seconds},
            {"run_seconds", reproduction.run_seconds()},
            {"warp_instructions", reproduction.warp_instructions()}};
  json["figures"] = Json::array();
  for (const ComparedFigure& compared : reproduction.figures) json["figures"].push_back(to_json(compared));
  json["runs"] = Json::array();
  for (const FinishedRun& run : reproduction.runs) {
    Json row{{"run", run.directory().filename().string()},
             {"warp_instructions", run.warp_instructions()},
             {"time_ns", json_number(run.measure("time", {}))}};
    row.update(run.environment());
    json["runs"].push_back(std::move(row));
  }
  json["failures"] = Json::array();
  for (const FailedRun& run : reproduction.failures)
    json["failures"].push_back({{"program", run.program},
                                {"configuration", run.configuration},
                                {"command", run.command},
                                {"how", run.how},
                                {"output", run.output}});
  return json;
}

std::string_view difference_unit(const Figure& figure) {
  return figure.quantity == Quantity::share ? "points" : "%";
}

std::string value_text(const Figure& figure, std::optional<double> value) {
  if (!value) return "-";
  return figure.quantity == Quantity::share ? fmt::format("{:.1f}", *value) : fmt::format("{:.3f}", *value);
}

std::string range_text(const Figure& figure, const ComparedBar& bar) {
  if (bar.by_seed.size() < 2) return {};
  return fmt::format("{} to {}", value_text(figure, bar.low()), value_text(figure, bar.high()));
}

std::string seeds_text(const Provenance& from) {
  return from.seeds.size() == 1 ? fmt::format("{}", from.seeds[0])
                                : fmt::format("{} to {}", from.seeds.front(), from.seeds.back());
}

std::string difference_text(const ComparedBar& bar) {
  return bar.difference ? fmt::format("{:+.1f}", *bar.difference) : "-";
}

std::string speed_sentence(const Reproduction& reproduction, double minutes, unsigned cores) {
  const double instructions = static_cast<double>(reproduction.warp_instructions());
  const double seconds = reproduction.run_seconds();
  if (instructions == 0 || seconds == 0) return "Nothing ran.";
  const double needed = instructions / (minutes * 60 * cores);
  return fmt::format(
      "{:.2f} M warp instructions in {:.1f} minutes of one core: {:.2f} M a second. For {:.0f} minutes on {} cores it "
      "takes {:.2f} M a second on each.",
      instructions / 1e6, seconds / 60, instructions / seconds / 1e6, minutes, cores, needed / 1e6);
}

}  // namespace ew::report
