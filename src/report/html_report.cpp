#include "report/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/grouped.hpp"

namespace ew::report {

namespace {

const Bar& bar_named(const Figure& figure, const std::string& name) {
  for (const Bar& bar : figure.bars)
    if (bar.name == name) return bar;
  return figure.bars.front();
}

std::string agreement_text(const Agreement& agreement) {
  if (agreement.claims == 0) return "nothing to hold";
  return fmt::format("{} of {}{}", agreement.held, agreement.claims,
                     agreement.undecided.empty() ? "" : fmt::format(", {} undecided", agreement.undecided.size()));
}

/// Green when all hold, red when some do not: for people who look before they read.
std::string_view verdict_class(const Agreement& agreement) {
  return agreement.claims == 0 ? "" : agreement.held == agreement.claims ? "good" : "bad";
}

/// Only a figure whose programs were all run has a mean.
bool has_means(const Reproduction& reproduction) {
  return std::ranges::any_of(reproduction.figures, [](const ComparedFigure& compared) {
    return std::ranges::any_of(compared.bars, [](const ComparedBar& bar) { return bar.program == "mean"; });
  });
}

/// Which figures there are, and their means; of runs at the paper's size, how many of its claims hold.
std::string summary(const Reproduction& reproduction) {
  const bool scored = reproduction.scored(), any_mean = has_means(reproduction);
  std::string rows;
  for (const ComparedFigure& compared : reproduction.figures) {
    std::string means;
    for (const ComparedBar& bar : compared.bars) {
      if (bar.program != "mean" || !bar.paper || !bar.ours) continue;
      const Bar& named = bar_named(*compared.figure, bar.bar);
      if (named.is_normal()) continue;
      means += fmt::format("{}<span class=pair>{} {} <small>({})</small></span>", means.empty() ? "" : " ",
                           escaped(named.label), value_text(*compared.figure, bar.ours),
                           value_text(*compared.figure, bar.paper));
    }
    rows += fmt::format("<tr><td><a href=\"#figure-{0}\">{3}</a></td><td>{1}</td>{2}", escaped(compared.figure->id),
                        escaped(compared.figure->title), any_mean ? fmt::format("<td>{}</td>", means) : "",
                        escaped(compared.figure->heading()));
    if (scored)
      rows += fmt::format("<td class=\"number {}\">{}</td><td class=\"number {}\">{}</td><td class=number>{}</td>",
                          verdict_class(compared.direction), agreement_text(compared.direction),
                          verdict_class(compared.order), agreement_text(compared.order),
                          compared.claims.empty()
                              ? "none"
                              : fmt::format("{} of {}", compared.count(Verdict::held), compared.claims.size()));
    rows += "</tr>\n";
  }
  const std::string table = fmt::format(
      "<div class=scroll><table><thead><tr><th>figure</th><th>what it shows</th>{}{}</tr>"
      "</thead><tbody>\n{}</tbody></table></div>\n",
      any_mean ? "<th>means: here (paper)</th>" : "",
      scored ? "<th class=number>direction</th><th class=number>order</th><th class=number>text</th>" : "", rows);
  if (!scored) return fmt::format("{}<p class=note>{}</p>\n", table, escaped(unscored_sentence(reproduction)));
  return fmt::format(
      "{0}<p class=note>Direction: bars that lie on the same side of the bar that all are normalised to, here and in "
      "the paper. A bar counts when the paper has it more than {1:.0f} % away. Order: pairs of bars of one program "
      "that "
      "stand in the same order, here and in the paper. A pair counts when the paper has it more than {1:.0f} % apart. "
      "Text: claims of the paper's text that hold.{2}</p>\n",
      table, 100 * telling_difference,
      reproduction.provenance.seeds.size() > 1 ? " With several seeds a claim holds when it does under each of them, "
                                                 "and is undecided when it does under some."
                                               : "");
}

/// What is in a bar of the paper, and in ours: tables of figures without either leave the column out.
/// `scored`: the runs have the size of the paper's, so that a difference says something.
std::string bars_table(const ComparedFigure& compared, bool scored) {
  const Figure& figure = *compared.figure;
  const bool ranges = compared.has_ranges(), along = !figure.x.name.empty(), paper = !figure.published.empty();
  std::string heads = "<th>program</th>", rows;
  if (along) heads += fmt::format("<th>{}</th>", escaped(figure.x.label));
  heads += "<th>bar</th>";
  if (paper) heads += fmt::format("<th class=number>paper{}</th>", scored ? "" : ", at full size");
  heads += "<th class=number>Everwarp</th>";
  if (ranges) heads += "<th class=number>over the seeds</th>";
  if (scored && paper) heads += fmt::format("<th class=number>difference, {}</th>", difference_unit(figure));
  for (const Part& part : figure.parts) heads += fmt::format("<th class=number>{}</th>", escaped(part.label));
  for (const ComparedBar& bar : compared.bars) {
    std::string runs, parts;
    for (std::size_t i = 0; i < bar.runs.size(); ++i)
      runs += fmt::format("<a href=\"#{}\">{}</a> ", escaped(bar.runs[i]), escaped(bar.configurations[i]));
    for (const double part : bar.parts) parts += fmt::format("<td class=number>{}</td>", value_text(figure, part));
    rows += fmt::format(
        "<tr{}><td>{}</td>{}<td>{}</td>{}<td class=number>{}</td>{}{}{}"
        "<td class=runs>{}</td></tr>\n",
        bar.program == "mean" ? " class=mean" : "",
        bar.program == "mean" ? mean_name(figure) : escaped(compared.label(bar.program, bar.x)),
        along ? fmt::format("<td>{}</td>", escaped(bar.x)) : "", escaped(bar_named(figure, bar.bar).label),
        paper ? fmt::format("<td class=number>{}</td>", value_text(figure, bar.paper)) : "",
        value_text(figure, bar.ours), ranges ? fmt::format("<td class=number>{}</td>", range_text(figure, bar)) : "",
        scored && paper ? fmt::format("<td class=number>{}</td>", difference_text(bar)) : "", parts, runs);
  }
  return fmt::format("<table><thead><tr>{}<th>runs</th></tr></thead><tbody>\n{}</tbody></table>\n", heads, rows);
}

/// Every claim of the text, with its verdict.
std::string claims_table(const ComparedFigure& compared) {
  if (compared.claims.empty()) return {};
  std::string rows;
  for (const JudgedClaim& judged : compared.claims) {
    const Claim& claim = *judged.claim;
    const bool asked = claim.judged();
    const std::string reason = judged.reason();
    const char* colour = judged.verdict == Verdict::held ? "good" : judged.verdict == Verdict::broken ? "bad" : "note";
    rows += fmt::format(
        "<tr><td>{}</td><td>{}{}</td><td class=number>{}</td><td class=number>{}</td><td class={}>{}</td>"
        "<td><code>{}</code></td></tr>\n",
        escaped(claim.id), escaped(claim.text),
        reason.empty() ? "" : fmt::format(" <span class=note>({})</span>", escaped(reason)),
        asked ? escaped(published_text(claim)) : "", judged.ours_text(), colour,
        verdict_names[static_cast<int>(judged.verdict)], escaped(claim.expression.text()));
  }
  return fmt::format(
      "<p>{}</p>\n<details open><summary>What the text says</summary><table><thead><tr><th>claim</th><th>text</th>"
      "<th class=number>published</th><th "
      "class=number>Everwarp</th><th></th><th>expression</th></tr></thead><tbody>\n{}"
      "</tbody></table></details>\n",
      escaped(claims_sentence({&compared})), rows);
}

std::string list_of_claims(const ComparedFigure& compared, std::string_view title,
                           std::vector<std::string> Agreement::*sentences) {
  std::string items;
  for (const auto& [what, agreement] : {std::pair("direction", &compared.direction), {"order", &compared.order}})
    for (const std::string& sentence : agreement->*sentences)
      items += fmt::format("<li>{}: {}</li>\n", what, escaped(sentence));
  return items.empty() ? "" : fmt::format("<details><summary>{}</summary><ul>\n{}</ul></details>\n", title, items);
}

std::string broken_claims(const ComparedFigure& compared) {
  return list_of_claims(compared, "Claims that do not hold here", &Agreement::broken) +
         list_of_claims(compared, "Claims that hold under some seeds", &Agreement::undecided);
}

std::string configuration_table(const ComparedFigure& compared) {
  std::string rows;
  std::vector<std::string> shown;
  for (const Bar& bar : compared.figure->bars) {
    for (const std::string& name : {bar.over, bar.via, bar.run}) {
      if (name.empty() || std::find(shown.begin(), shown.end(), name) != shown.end()) continue;
      shown.push_back(name);
      const Configuration& configuration = compared.figure->configuration(name);
      rows += fmt::format(
          "<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td><code>{}</code></td></tr>\n", escaped(name),
          escaped(configuration.machine),
          escaped(fmt::format("{} {}", fmt::join(configuration.settings, " "), fmt::join(configuration.options, " "))),
          escaped(configuration.words));
    }
  }
  return fmt::format(
      "<details><summary>Configurations</summary><table><thead><tr><th>name</th><th>machine</th><th>set</th>"
      "<th>words of the call</th></tr></thead>"
      "<tbody>\n{}</tbody></table></details>\n",
      rows);
}

/// How to read the chart.
std::string chart_caption(const ComparedFigure& compared, bool scored) {
  const Figure& figure = *compared.figure;
  if (!figure.parts.empty()) return "Each bar is measured here; its parts add up to it.";
  if (figure.published.empty()) return {};
  if (!figure.x.name.empty())
    return fmt::format("Solid lines: measured here. Dashed lines: the paper{}.", scored ? "" : ", at full size");
  return fmt::format("Dark bars: measured here. Pale bars: the paper{}.{}", scored ? "" : ", at full size",
                     compared.has_ranges() ? " A thin line goes from the least to the greatest of the seeds." : "");
}

/// "time of the range "batch"": what a figure measures of each run.
std::string measured_text(const Suite& suite, const Figure& figure) {
  if (figure.span != Span::range || !figure.metric.is_time() || !figure.metric.range().empty())
    return figure.metric.text();
  std::map<std::string, std::vector<std::string>> ranges;  // of which programs each is
  for (const std::string& program : figure.programs)
    ranges[figure.range.empty() ? suite.programs.at(program).measured_range(figure.phase) : figure.range].push_back(
        program);
  std::string text = fmt::format("time of the range{}", ranges.size() > 1 ? "s" : "");
  for (const auto& [range, programs] : ranges)
    text += fmt::format("{} \"{}\"{}", &range == &ranges.begin()->first ? "" : ",", range,
                        ranges.size() > 1 ? fmt::format(" ({})", fmt::join(programs, ", ")) : "");
  return text;
}

std::string section(const Suite& suite, const ComparedFigure& compared, bool scored) {
  const Figure& figure = *compared.figure;
  return fmt::format(
      "<section id=\"figure-{0}\">\n<h2>{11}: {1}</h2>\n<p class=note>{2}. Measured: {3}.{4}</p>\n"
      "<div class=chart id=\"chart-{0}\"></div>\n<p class=note>{10}</p>\n{5}{8}<details{9}><summary>Every "
      "bar</summary>\n{6}</details>\n{7}</section>\n",
      escaped(figure.id), escaped(figure.title), escaped(figure.source), escaped(measured_text(suite, figure)),
      figure.note.empty() ? "" : " " + escaped(figure.note), scored ? broken_claims(compared) : "",
      bars_table(compared, scored), configuration_table(compared), scored ? claims_table(compared) : "",
      compared.bars.size() > 200 ? "" : " open", chart_caption(compared, scored), escaped(figure.heading()));
}

/// What the figures call each run, by its directory: "gpKVS on sbrp_far". Several configurations may share a run.
std::map<std::string, std::set<std::string>> names_of_runs(const Reproduction& reproduction) {
  std::map<std::string, std::set<std::string>> names;
  for (const ComparedFigure& compared : reproduction.figures)
    for (const ComparedBar& bar : compared.bars)
      for (std::size_t i = 0; bar.program != "mean" && i < bar.runs.size(); ++i)
        names[bar.runs[i]].insert(bar.program + " on " + bar.configurations[i]);
  return names;
}

std::string runs_section(const Reproduction& reproduction) {
  std::string rows, machines;
  auto names = names_of_runs(reproduction);
  for (const FinishedRun& run : reproduction.runs) {
    const std::string directory = run.directory().filename().string();
    const std::set<std::string>& called = names[directory];
    const std::string seed = reproduction.provenance.seeds.size() > 1 ? ", seed " + run.text("seed") : "";
    const std::string name = escaped(called.empty() ? directory : fmt::format("{}{}", fmt::join(called, ", "), seed));
    rows += fmt::format(
        "<tr id=\"{}\"><td>{}</td><td><code>{}</code></td><td class=number>{}</td><td class=number>{:.2f}</td>"
        "<td class=number>{:.2f}</td></tr>\n",
        escaped(directory), name, escaped(run.text("command")), core::grouped(run.warp_instructions()),
        run.wall_seconds(),
        run.wall_seconds() == 0 ? 0 : static_cast<double>(run.warp_instructions()) / 1e6 / run.wall_seconds());
    machines += fmt::format("<details><summary>{}: resolved machine</summary><pre>{}</pre></details>\n", name,
                            escaped(run.resolved_machine()));
  }
  return fmt::format(
      "<section id=runs>\n<h2>Runs</h2>\n<p>{} runs, {} warp instructions. {}</p>\n"
      "<table><thead><tr><th>run</th><th>command</th><th class=number>warp instructions</th>"
      "<th class=number>seconds</th><th class=number>M/s</th></tr></thead><tbody>\n{}</tbody></table>\n"
      "<details><summary>Resolved machines</summary>\n{}</details>\n</section>\n",
      core::grouped(reproduction.runs.size()), core::grouped(reproduction.warp_instructions()),
      escaped(speed_sentence(reproduction)), rows, machines);
}

std::string failures_section(const Reproduction& reproduction) {
  if (reproduction.failures.empty()) return {};
  std::string items;
  for (const FailedRun& run : reproduction.failures)
    items += fmt::format("<li>{} on {} {}<pre>{}</pre><pre>{}</pre></li>\n", escaped(run.program),
                         escaped(run.configuration), escaped(run.how), escaped(run.command), escaped(run.output));
  return fmt::format("<section id=failures class=bad>\n<h2>{} runs failed</h2>\n<ul>\n{}</ul>\n</section>\n",
                     reproduction.failures.size(), items);
}

/// Why a bar has no value, though its run succeeded.
std::string unknown_names_section(const Reproduction& reproduction) {
  std::string items;
  for (const std::string& sentence : unknown_names(reproduction))
    items += fmt::format("<li>{}</li>\n", escaped(sentence));
  return items.empty() ? items : fmt::format("<section id=unknown class=bad>\n<ul>\n{}</ul>\n</section>\n", items);
}

std::string provenance(const Reproduction& reproduction) {
  const Provenance& from = reproduction.provenance;
  return fmt::format(
      "<p class=note>Everwarp {}, commit {}, size {}, seed {}, {} processes on {}; {:.0f} s. Made by "
      "<code>{}</code></p>\n",
      escaped(from.version), escaped(from.commit), escaped(from.size), seeds_text(from), from.jobs, escaped(from.host),
      from.wall_seconds, escaped(from.command));
}

nlohmann::ordered_json charts_of(const Reproduction& reproduction) {
  nlohmann::ordered_json charts = nlohmann::ordered_json::array();
  for (const ComparedFigure& compared : reproduction.figures)
    charts.push_back({{"place", "chart-" + compared.figure->id}, {"chart", chart_of(compared)}});
  return charts;
}

}  // namespace

std::string html_report(const Reproduction& reproduction, const ChartLibrary& library) {
  std::string body = provenance(reproduction) + failures_section(reproduction) + unknown_names_section(reproduction) +
                     summary(reproduction);
  for (const ComparedFigure& compared : reproduction.figures)
    body += section(*reproduction.suite, compared, reproduction.scored());
  body += runs_section(reproduction);
  return html_page(reproduction.suite->title, body, charts_of(reproduction), library);
}

}  // namespace ew::report
