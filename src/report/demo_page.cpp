#include "report/demo_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "core/files.hpp"
#include "core/grouped.hpp"
#include "report/html_report.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;
using core::grouped;

std::string cell(const std::string& text) {
  return fmt::format("<td class=number>{}</td>", text);
}
std::string cell(std::optional<double> value, int digits) {
  return cell(value ? fmt::format("{:.{}f}", *value, digits) : "-");
}
std::string count_cell(std::optional<double> value) {
  return cell(value ? grouped(static_cast<u64>(*value)) : "-");
}

std::string link(const DemoConfiguration& one) {
  return one.run ? fmt::format("<a href=\"#{}\">{}</a>", escaped(one.name), escaped(one.label()))
                 : escaped(one.label());
}

/// The word, and an s behind every number but 1.
std::string counted(u64 number, std::string_view word) {
  return fmt::format("{} {}{}", grouped(number), word, number == 1 ? "" : "s");
}

const DemoConfiguration* find(const DemoStory& story, std::string_view model, std::string_view place) {
  for (const DemoConfiguration& one : story.configurations)
    if (one.model == model && one.place == place) return &one;
  return nullptr;
}

/// The names in their order, each once.
std::vector<std::string> names(const DemoStory& story, std::string DemoConfiguration::*which) {
  std::vector<std::string> list;
  for (const DemoConfiguration& one : story.configurations)
    if (std::ranges::find(list, one.*which) == list.end()) list.push_back(one.*which);
  return list;
}

/// A group of bars a machine, a bar a model.
Json times_chart(const DemoStory& story) {
  const std::vector<std::string> places = names(story, &DemoConfiguration::place);
  Json sets = Json::array();
  for (const std::string& model : names(story, &DemoConfiguration::model)) {
    Json values = Json::array();
    for (const std::string& place : places) {
      const DemoConfiguration* one = find(story, model, place);
      values.push_back(one && one->microseconds ? Json(*one->microseconds) : Json(nullptr));
    }
    sets.push_back({{"label", model}, {"colour", sets.size()}, {"values", values}});
  }
  return {{"y", "time of the kernels, us"},
          {"panels", Json::array({{{"type", "bar"}, {"labels", places}, {"sets", sets}}})}};
}

std::string summary(const DemoStory& story) {
  std::string items;
  const auto item = [&](bool good, const std::string& text) {
    items += fmt::format("<li class={}>{}</li>\n", good ? "good" : "bad", escaped(text));
  };
  std::size_t timed = 0;
  for (const DemoConfiguration& one : story.configurations) timed += one.microseconds.has_value();
  item(timed == story.configurations.size(),
       fmt::format("Timed: {} of {} configurations.", timed, story.configurations.size()));
  item(story.recovered() == story.crashes(),
       fmt::format("Crashed: {}, {} recovered.", counted(story.crashes(), "time"), grouped(story.recovered())));
  if (story.bug.without.failed)
    item(false, "The program fails in crash states without the planted bug, too.");
  else if (story.bug.blames.empty())
    item(false, "The planted bug was not found.");
  else
    item(true, fmt::format("The planted bug was found: {}, {} before {}.", story.bug.blames.front().kind,
                           story.bug.blames.front().durable_at, story.bug.blames.front().not_durable_at));
  return fmt::format("<ul id=summary>\n{}</ul>\n", items);
}

std::string times_section(const DemoStory& story) {
  std::string rows;
  for (const DemoConfiguration& one : story.configurations)
    rows += fmt::format("<tr><td>{}</td>{}{}{}{}{}</tr>\n", link(one), cell(one.microseconds, 1), cell(one.speedup, 3),
                        cell(one.paper, 3), count_cell(one.persisted_bytes), count_cell(one.read_misses));
  const std::string failed = story.study->failures.empty()
                                 ? ""
                                 : fmt::format(
                                       "<p class=bad>{} failed. <a href=\"{}\">The page of the figure</a> has "
                                       "what each printed.</p>\n",
                                       counted(story.study->failures.size(), "run"), escaped(story.study_page));
  return fmt::format(
      "<section id=times>\n<h2>Three persistency models, timed</h2>\n"
      "<p>{} inserts {}. The NVM is behind PCIe (far) or on the GPU (near).</p>\n{}"
      "<div class=chart id=chart-times></div>\n<p class=note>Lower is faster. GPM changes no hardware and runs on the "
      "far machine only.</p>\n"
      "<div class=scroll><table><thead><tr><th>configuration</th><th class=number>time, us</th><th "
      "class=number>speedup "
      "over epoch, far</th><th class=number>in the paper</th><th class=number>bytes persisted</th><th "
      "class=number>L1 read misses in NVM</th></tr></thead><tbody>\n{}</tbody></table></div>\n"
      "<p>The same as speedups, beside the paper's figure 6 (<a href=\"{}\">more of it</a>):</p>\n"
      "<div class=chart id=chart-paper></div>\n<p class=note>Dark bars: measured here. Pale bars: the "
      "paper.</p>\n</section>\n",
      escaped(story.program), escaped(story.timed_size), failed, rows, escaped(story.study_page));
}

std::string crashes_section(const DemoStory& story) {
  std::string rows, failures;
  for (const DemoConfiguration& one : story.configurations) {
    if (one.crashes == 0) continue;
    rows += fmt::format("<tr><td>{}</td>{}{}{}{}</tr>\n", link(one), cell(grouped(one.instructions)),
                        cell(grouped(one.crashes)), cell(grouped(one.recovered)),
                        cell(grouped(one.crashes - one.recovered)));
    for (const std::string& failure : one.failures)
      failures += fmt::format("<li>{}<pre>{}</pre></li>\n", escaped(one.label()), escaped(failure));
  }
  if (!failures.empty()) failures = fmt::format("<ul class=bad>\n{}</ul>\n", failures);
  return fmt::format(
      "<section id=crashes>\n<h2>Crashed {}, recovered {}</h2>\n"
      "<p>The program inserts {}. It is killed at a random warp instruction. Only the pool file survives. It holds "
      "what was "
      "durable at that moment. The program is started again, recovers, and checks every pair.</p>\n"
      "<table><thead><tr><th>configuration</th><th class=number>warp instructions of the run</th><th "
      "class=number>crashes</th><th class=number>recovered</th><th class=number>failed</th></tr></thead><tbody>\n"
      "{}</tbody></table>\n{}</section>\n",
      counted(story.crashes(), "time"), counted(story.recovered(), "time"), escaped(story.crashed_size), rows,
      failures);
}

/// The number behind the last colon of "gpkvs.cu:93"; 0 for none.
unsigned line_of(const std::string& place) {
  const std::string digits = place.substr(place.rfind(':') + 1);
  unsigned line = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), line);
  return line;
}

/// The lines that the checker blames, with two lines before and behind each.
std::string excerpt(const DemoBug& bug) {
  std::map<unsigned, std::string> marks;
  for (const DemoBlame& blame : bug.blames) {
    marks[line_of(blame.not_durable_at)] = "not durable";
    marks[line_of(blame.durable_at)] = "durable";
  }
  marks.erase(0);
  if (marks.empty()) return {};
  std::istringstream source(core::read_file(bug.source).text);
  std::string text, line;
  unsigned last = 0;
  for (unsigned number = 1; std::getline(source, line); ++number) {
    const auto near = marks.lower_bound(number > 2 ? number - 2 : 1);
    if (near == marks.end() || near->first > number + 2) continue;
    if (last && last + 1 != number) text += "…\n";
    last = number;
    const auto mark = marks.find(number);
    text += mark == marks.end() ? fmt::format("{:5}  {}\n", number, escaped(line))
                                : fmt::format("{:5}  <mark>{}</mark>  ◄ {}\n", number, escaped(line), mark->second);
  }
  return fmt::format("<p>{}:</p>\n<pre>{}</pre>\n", escaped(bug.source.filename().string()), text);
}

std::string blame_table(const DemoBlame& blame) {
  std::string rows;
  const std::pair<const char*, const std::string*> texts[] = {{"class", &blame.kind},
                                                              {"durable", &blame.durable},
                                                              {"not durable", &blame.not_durable},
                                                              {"what happened", &blame.happened},
                                                              {"what to do", &blame.advice},
                                                              {"the recovery says", &blame.recovery_says}};
  for (const auto& [name, text] : texts)
    if (!text->empty()) rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, escaped(*text));
  return fmt::format("<table><tbody>\n{}<tr><th>failed states like this</th><td>{}</td></tr>\n</tbody></table>\n", rows,
                     grouped(blame.alike));
}

std::string bug_section(const DemoStory& story) {
  const DemoBug& bug = story.bug;
  std::string rows, blames;
  for (const auto& [name, states] : {std::pair("as it stands", &bug.without), {"with the bug", &bug.with}})
    rows += fmt::format("<tr><td>{}</td>{}{}{}</tr>\n", name, cell(grouped(states->tried)),
                        cell(grouped(states->tried - states->failed)), cell(grouped(states->failed)));
  for (const DemoBlame& blame : bug.blames) blames += blame_table(blame);
  return fmt::format(
      "<section id=bug>\n<h2>A planted bug</h2>\n<p>{} The program is built with <code>{}</code>. The crash checker "
      "(<code>ew crash --states model</code>) records one run. It makes crash states that SBRP allows of this run, and "
      "lets the program recover from each.</p>\n"
      "<table><thead><tr><th>program</th><th class=number>crash states</th><th class=number>recovered</th><th "
      "class=number>failed</th></tr></thead><tbody>\n{}</tbody></table>\n"
      "<p>{}</p>\n{}{}</section>\n",
      escaped(bug.says), escaped(bug.build), rows,
      bug.blames.empty() ? "The checker found nothing." : "What the checker found:", blames, excerpt(bug));
}

/// What each configuration is, and the command of its run.
std::string runs_section(const DemoStory& story) {
  std::string rows, machines;
  for (const DemoConfiguration& one : story.configurations) {
    if (!one.run) continue;
    rows += fmt::format("<tr id=\"{}\"><td>{}</td><td><code>{}</code></td>{}{}</tr>\n", escaped(one.name),
                        escaped(one.label()), escaped(one.run->text("command")),
                        cell(grouped(one.run->warp_instructions())), cell(one.run->wall_seconds(), 2));
    machines += fmt::format("<details><summary>{}: every field of the machine</summary><pre>{}</pre></details>\n",
                            escaped(one.label()), escaped(one.run->resolved_machine()));
  }
  if (rows.empty()) return {};
  return fmt::format(
      "<section id=runs>\n<h2>The timed runs</h2>\n<p>{}</p>\n<table><thead><tr><th>configuration</th><th>command</th>"
      "<th class=number>warp instructions</th><th class=number>seconds to simulate</th></tr></thead><tbody>\n{}</tbody>"
      "</table>\n{}</section>\n",
      escaped(speed_sentence(*story.study)), rows, machines);
}

}  // namespace

std::size_t DemoStory::crashes() const {
  std::size_t sum = 0;
  for (const DemoConfiguration& one : configurations) sum += one.crashes;
  return sum;
}

std::size_t DemoStory::recovered() const {
  std::size_t sum = 0;
  for (const DemoConfiguration& one : configurations) sum += one.recovered;
  return sum;
}

std::string demo_page(const DemoStory& story, const ChartLibrary& library) {
  const Provenance& from = story.study->provenance;
  const std::string body =
      fmt::format("<p class=note>Everwarp {}, commit {}, on {}. Made by <code>{}</code></p>\n", escaped(from.version),
                  escaped(from.commit), escaped(from.host), escaped(from.command)) +
      summary(story) + times_section(story) + crashes_section(story) + bug_section(story) + runs_section(story);
  const Json charts = {{{"place", "chart-times"}, {"chart", times_chart(story)}},
                       {{"place", "chart-paper"}, {"chart", chart_of(story.study->figures.front())}}};
  return html_page("A persistent key-value store: timed, crashed, recovered", body, charts, library);
}

}  // namespace ew::report
