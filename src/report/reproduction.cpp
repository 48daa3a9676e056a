#include "report/reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "report/csv.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;

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

Json to_json(const JudgedClaim& judged) {
  const Claim& claim = *judged.claim;
  Json json{{"id", claim.id},
            {"text", claim.text},
            {"kind", claim_kind_names[static_cast<int>(claim.kind)]},
            {"verdict", verdict_names[static_cast<int>(judged.verdict)]}};
  if (!claim.why.empty()) json["why"] = claim.why;
  if (!claim.judged()) return json;
  json["expression"] = claim.expression.text();
  json["published"] = claim.published.text();
  json["tolerance"] = claim.tolerance;
  json["ours"] = json_number(judged.ours());
  json["by_seed"] = judged.by_seed;
  if (!judged.note.empty()) json["note"] = judged.note;
  return json;
}

Json to_json(const ComparedFigure& compared) {
  const Figure& figure = *compared.figure;
  Json bars = Json::array();
  for (const ComparedBar& bar : compared.bars) {
    bars.push_back({{"program", bar.program},
                    {"bar", bar.bar},
                    {"paper", json_number(bar.paper)},
                    {"ours", json_number(bar.ours)},
                    {"by_seed", bar.by_seed},
                    {"difference", json_number(bar.difference)},
                    {"runs", bar.runs}});
    if (!bar.x.empty()) bars.back()["x"] = bar.x;
    for (std::size_t i = 0; i < bar.parts.size(); ++i) bars.back()["parts"][figure.parts[i].label] = bar.parts[i];
  }
  Json claims = Json::array();
  for (const JudgedClaim& judged : compared.claims) claims.push_back(to_json(judged));
  return {{"figure", figure.id},
          {"title", figure.title},
          {"source", figure.source},
          {"metric", figure.metric.text()},
          {"difference_in", difference_unit(figure)},
          {"bars", std::move(bars)},
          {"direction", to_json(compared.direction)},
          {"order", to_json(compared.order)},
          {"claims", std::move(claims)}};
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

std::vector<std::string> too_large(const Reproduction& reproduction) {
  std::vector<std::string> sentences;
  const u64 most = reproduction.provenance.size == reproduction.suite->size ? reproduction.suite->most_memory : 0;
  for (const FinishedRun& run : reproduction.runs)
    if (most && run.peak_bytes() > most)
      sentences.push_back(fmt::format("{} took {:.1f} GiB of memory; the suite allows {:.1f}: {}",
                                      run.directory().filename().string(),
                                      static_cast<double>(run.peak_bytes()) / (1 << 30),
                                      static_cast<double>(most) / (1 << 30), run.text("command")));
  return sentences;
}

std::vector<std::string> unknown_names(const Reproduction& reproduction) {
  SoughtNames sought;
  for (const ComparedFigure& compared : reproduction.figures) sought.add(compared.sought);
  std::set<std::string> failed;
  for (const FailedRun& run : reproduction.failures) failed.insert(run.program);
  return sought.unknown(failed);
}

std::string figures_csv(const Reproduction& reproduction) {
  std::string text = "figure,program,x,bar,paper,ours,low,high,difference,difference_in,runs\n";
  for (const ComparedFigure& compared : reproduction.figures)
    for (const ComparedBar& bar : compared.bars)
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(compared.figure->id), csv_cell(bar.program),
                          csv_cell(bar.x), csv_cell(bar.bar), number(bar.paper), number(bar.ours),
                          bar.ours ? number(bar.low()) : "", bar.ours ? number(bar.high()) : "", number(bar.difference),
                          difference_unit(*compared.figure), fmt::join(bar.runs, " "));
  return text;
}

std::string parts_csv(const Reproduction& reproduction) {
  std::string text = "figure,program,x,bar,part,ours\n";
  for (const ComparedFigure& compared : reproduction.figures)
    for (const ComparedBar& bar : compared.bars)
      for (std::size_t i = 0; i < bar.parts.size(); ++i)
        text +=
            fmt::format("{},{},{},{},{},{}\n", csv_cell(compared.figure->id), csv_cell(bar.program), csv_cell(bar.x),
                        csv_cell(bar.bar), csv_cell(compared.figure->parts[i].label), number(bar.parts[i]));
  return text;
}

std::string claims_csv(const Reproduction& reproduction) {
  std::string text = "figure,id,verdict,ours,low,high,published,tolerance,kind,expression,text,reason\n";
  for (const ComparedFigure& compared : reproduction.figures) {
    for (const JudgedClaim& judged : compared.claims) {
      const Claim& claim = *judged.claim;
      const bool asked = claim.judged(), measured = !judged.by_seed.empty();
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(compared.figure->id), csv_cell(claim.id),
                          verdict_names[static_cast<int>(judged.verdict)], number(judged.ours()),
                          measured ? number(std::ranges::min(judged.by_seed)) : "",
                          measured ? number(std::ranges::max(judged.by_seed)) : "", asked ? claim.published.text() : "",
                          asked ? number(claim.tolerance) : "", claim_kind_names[static_cast<int>(claim.kind)],
                          csv_cell(claim.expression.text()), csv_cell(claim.text), csv_cell(judged.reason()));
    }
  }
  return text;
}

namespace {

std::string bars_markdown(const ComparedFigure& compared) {
  const Figure& figure = *compared.figure;
  const bool along = !figure.x.name.empty();
  std::string heads = "| program |", rule = "|---|", text;
  if (along) heads += fmt::format(" {} |", figure.x.label), rule += "---|";
  for (const Bar& bar : figure.bars) heads += fmt::format(" {} |", bar.label), rule += "---|";
  text = fmt::format("{}\n{}\n", heads, rule);
  for (const ComparedRow& row : compared.rows()) {
    text += fmt::format("| {} |", row.program == "mean" ? mean_name(figure) : compared.label(row.program, row.x));
    if (along) text += fmt::format(" {} |", row.x);
    for (const Bar& bar : figure.bars) {
      const ComparedBar* one = compared.find(row.program, bar.name, row.x);
      text += one ? fmt::format(" {} |", here_and_paper(figure, *one)) : " |";
    }
    text += '\n';
  }
  return text;
}

/// Of each program: how many pairs of its bars stand in the paper's order, and which do not.
std::string order_markdown(const ComparedFigure& compared) {
  if (compared.order.claims == 0) return {};
  std::string rows, broken;
  for (const auto& [row, count] : compared.order.by_row)
    rows += fmt::format("{}{} {} of {}", rows.empty() ? "" : ", ", row, count.held, count.claims);
  for (const auto* sentences : {&compared.order.broken, &compared.order.undecided})
    for (const std::string& sentence : *sentences) broken += fmt::format("- {}\n", sentence);
  return fmt::format(
      "\nPairs of bars in the paper's order, of those that it has more than {:.0f} % apart: {} of {} ({}).{}\n{}",
      100 * telling_difference, compared.order.held, compared.order.claims, rows,
      broken.empty() ? "" : " The others:\n", broken);
}

std::string claims_markdown(const ComparedFigure& compared) {
  if (compared.claims.empty()) return {};
  std::string text = "\n| claim | what the text says | published | here | |\n|---|---|---|---|---|\n";
  for (const JudgedClaim& judged : compared.claims) {
    const Claim& claim = *judged.claim;
    const bool asked = claim.judged();
    const std::string reason = judged.reason();
    text += fmt::format("| {} | {} | {} | {} | {}{} |\n", claim.id, claim.text, asked ? published_text(claim) : "",
                        judged.ours_text(), verdict_names[static_cast<int>(judged.verdict)],
                        reason.empty() ? "" : ": " + reason);
  }
  return text;
}

}  // namespace

std::string figures_markdown(const Reproduction& reproduction) {
  std::string text;
  for (const ComparedFigure& compared : reproduction.figures) {
    const Figure& figure = *compared.figure;
    text += fmt::format("{}{}: {} ({}), {}:\n\n{}{}{}", text.empty() ? "" : "\n", figure.heading(), figure.title,
                        figure.axis, figure.published.empty() ? "here" : "here (paper)", bars_markdown(compared),
                        reproduction.scored() ? order_markdown(compared) : "", claims_markdown(compared));
  }
  return text;
}

std::string runs_csv(const Reproduction& reproduction) {
  std::string text =
      "run,program,phase,size,machine,settings,options,words,seed,time_ns,warp_instructions,wall_seconds,peak_mib\n";
  for (const FinishedRun& run : reproduction.runs) {
    const auto joined = [&](const char* key, std::string_view between = ";") {
      return fmt::format("{}", fmt::join(run.environment().value(key, std::vector<std::string>{}), between));
    };
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{:.3f},{:.0f}\n", run.directory().filename().string(),
                        csv_cell(run.text("program")), run.text("phase"), csv_cell(run.text("size")),
                        csv_cell(run.text("machine")), csv_cell(joined("set")), csv_cell(joined("options")),
                        csv_cell(joined("words", " ")), run.text("seed"),
                        number(run.measure(Metric::time(), Span::kernels, {})), run.warp_instructions(),
                        run.wall_seconds(), static_cast<double>(run.peak_bytes()) / (1 << 20));
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
             {"time_ns", json_number(run.measure(Metric::time(), Span::kernels, {}))}};
    row.update(run.environment());
    json["runs"].push_back(std::move(row));
  }
  json["unknown_names"] = unknown_names(reproduction);
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
  if (figure.quantity == Quantity::absolute) return fmt::format("{:.5g}", *value);
  return figure.quantity == Quantity::share ? fmt::format("{:.1f}", *value) : fmt::format("{:.3f}", *value);
}

std::string here_and_paper(const Figure& figure, const ComparedBar& bar) {
  const std::string range = range_text(figure, bar);
  const std::string paper = figure.published.empty() ? "" : fmt::format(" ({})", value_text(figure, bar.paper));
  return fmt::format("{}{}{}", value_text(figure, bar.ours), range.empty() ? "" : ", " + range, paper);
}

std::string mean_name(const Figure& figure) {
  return figure.mean == Mean::arithmetic ? "arithmetic mean" : "geometric mean";
}

std::string published_text(const Claim& claim) {
  return claim.tolerance == 0 ? claim.published.text()
                              : fmt::format("{} ± {}", claim.published.text(), claim.tolerance);
}

std::string claims_sentence(const std::vector<const ComparedFigure*>& figures) {
  std::size_t all = 0, counts[std::size(verdict_names)] = {};
  for (const ComparedFigure* figure : figures) {
    all += figure->claims.size();
    for (std::size_t i = 0; i < std::size(counts); ++i) counts[i] += figure->count(static_cast<Verdict>(i));
  }
  if (all == 0) return {};
  std::string text = fmt::format("claims: {} of {} held", counts[0], all);
  for (std::size_t i = 1; i < std::size(counts); ++i)
    if (counts[i]) text += fmt::format(", {} {}", counts[i], verdict_names[i]);
  return text;
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

std::string speed_sentence(const Reproduction& reproduction) {
  const double instructions = static_cast<double>(reproduction.warp_instructions());
  const double seconds = reproduction.run_seconds();
  if (instructions == 0 || seconds == 0) return "Nothing ran.";
  return fmt::format("{:.2f} M warp instructions were simulated in {:.1f} s of one core: {:.2f} M a second.",
                     instructions / 1e6, seconds, instructions / seconds / 1e6);
}

std::string unscored_sentence(const Reproduction& reproduction) {
  const auto published = [](const ComparedFigure& compared) { return !compared.figure->published.empty(); };
  const bool paper = std::ranges::any_of(reproduction.figures, published);
  return fmt::format("Size {}: nothing is scored. {} (--size {}).", reproduction.provenance.size,
                     paper ? "The paper measured at full size" : "Claims are judged at another size",
                     !paper && reproduction.suite->size == "scaled" ? "scaled" : full_size);
}

}  // namespace ew::report
