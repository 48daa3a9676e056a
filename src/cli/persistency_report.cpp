#include "cli/persistency_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "check/persistency_model.hpp"

namespace ew::cli {

namespace {

using check::CrashAnswer;
using check::Evidence;
using check::ImagesAnswer;

std::vector<std::string> headings() {
  std::vector<std::string> all{"test", "question"};
  for (const auto* axioms : check::persistency_columns()) all.emplace_back(axioms->name);
  all.insert(all.end(), {"class", "readings", ""});
  return all;
}

std::string_view letter(bool allowed) {
  return allowed ? "A" : "F";
}
std::string_view verdict_word(bool allowed) {
  return allowed ? "allowed (A)" : "forbidden (F)";
}
std::string_view name_of(std::size_t model) {
  return check::persistency_columns()[model]->name;
}

/// What was found; in parentheses where the row does not ask, with what was expected where it is something else.
template <class Text>
std::string cell(bool asked, bool agrees, const Text& found, const Text& expected) {
  if (!asked) return fmt::format("({})", found);
  return agrees ? fmt::format("{}", found) : fmt::format("{}, not {}", found, expected);
}

std::string text_of(const Evidence& evidence, bool allowed) {
  if (evidence.image.empty()) return "    no execution leaves such values, in whatever order they become durable\n";
  std::string text = fmt::format("    {} {}:\n", allowed ? "a crash leaves" : "to leave", evidence.image);
  std::size_t width = 0;
  for (const auto& step : evidence.steps) width = std::max(width, step.text.size());
  for (const auto& step : evidence.steps) {
    const std::string_view fate = check::text_of(step.fate);
    text += fmt::format("      line {:<4} {:<{}}{}{}\n", step.line, step.text, fate.empty() ? 0 : width,
                        fate.empty() ? "" : "  ", fate);
  }
  for (const std::string& sentence : evidence.order) text += fmt::format("    {}\n", sentence);
  return text;
}

nlohmann::ordered_json to_json(const Evidence& evidence) {
  nlohmann::ordered_json json{{"image", evidence.image}, {"steps", nlohmann::ordered_json::array()}};
  for (const auto& step : evidence.steps)
    json["steps"].push_back({{"line", step.line}, {"statement", step.text}, {"fate", check::text_of(step.fate)}});
  json["order"] = evidence.order;
  return json;
}

}  // namespace

PersistencyReport::PersistencyReport(Replay replay, bool witnesses)
    : replay_(std::move(replay)),
      witnesses_(witnesses),
      table_(headings()),
      runs_table_({"test", "axioms", ">runs", ">not ended", ">crashes", ">images allowed", ">shown", ">of them weak",
                   ">forbidden", ""}) {}

void PersistencyReport::add_row(const std::string& test, const std::string& question, std::vector<std::string> cells,
                                std::vector<std::string> rest) {
  cells.insert(cells.begin(), {test, question});
  cells.insert(cells.end(), rest.begin(), rest.end());
  table_.row(std::move(cells));
}

void PersistencyReport::add_crash(const std::string& file, const std::string& test, const CrashAnswer& answer) {
  std::vector<std::string> cells;
  for (std::size_t m = 0; m < answer.cells.size(); ++m) {
    const CrashAnswer::Cell& c = answer.cells[m];
    cells.push_back(cell(c.expected.has_value(), c.agrees(), letter(c.allowed), letter(c.expected.value_or(false))));
    asked_ += c.expected.has_value();
    wrong_ += !c.agrees();
    if (!c.agrees())
      problems_.push_back(fmt::format("FAIL {}:{}: {}: {} under {}: expected {}, found {}\n{}", file, answer.line, test,
                                      answer.question, name_of(m), verdict_word(*c.expected), verdict_word(c.allowed),
                                      text_of(c.evidence, c.allowed)));
  }
  if (witnesses_) add_evidence(file, test, answer);
  std::string ids;
  for (const u32 change : answer.readings) {
    ids += fmt::format("{}{}", ids.empty() ? "" : " ", check::reading_changes()[change].id);
    readings_.insert(change);
  }
  add_row(test, answer.question, std::move(cells),
          {std::string(check::text_of(answer.class_of)), ids, answer.agrees() ? "ok" : "FAIL"});
}

/// Models that answer alike for the same reason together.
void PersistencyReport::add_evidence(const std::string& file, const std::string& test, const CrashAnswer& answer) {
  std::vector<std::pair<std::string, std::string>> groups;  // evidence, models
  for (std::size_t m = 0; m < answer.cells.size(); ++m) {
    const CrashAnswer::Cell& c = answer.cells[m];
    std::string text = fmt::format("{}\n{}", verdict_word(c.allowed), text_of(c.evidence, c.allowed));
    const auto group = std::ranges::find(groups, text, &std::pair<std::string, std::string>::first);
    if (group == groups.end())
      groups.emplace_back(std::move(text), name_of(m));
    else
      group->second += fmt::format(", {}", name_of(m));
  }
  for (const auto& [text, models] : groups)
    evidence_.push_back(
        fmt::format("{}:{}: {}: {} under {}: {}", file, answer.line, test, answer.question, models, text));
}

void PersistencyReport::add_images(const std::string& file, const std::string& test, const ImagesAnswer& answer) {
  std::vector<std::string> cells;
  for (std::size_t m = 0; m < answer.cells.size(); ++m) {
    const ImagesAnswer::Cell& c = answer.cells[m];
    cells.push_back(cell(c.expected.has_value(), c.agrees(), c.found, c.expected.value_or(0)));
    asked_ += c.expected.has_value();
    wrong_ += !c.agrees();
    if (!c.agrees())
      problems_.push_back(fmt::format("FAIL {}:{}: {}: images under {}: expected {}, found {}\n", file, answer.line,
                                      test, name_of(m), *c.expected, c.found));
  }
  add_row(test, "images", std::move(cells), {"", "", answer.agrees() ? "ok" : "FAIL"});
}

void PersistencyReport::add(const std::string& file, const std::string& test,
                            const check::PersistencyVerdict& verdict) {
  ++tests_;
  executions_ += verdict.executions;
  for (const CrashAnswer& answer : verdict.crashes) add_crash(file, test, answer);
  for (const ImagesAnswer& answer : verdict.images) add_images(file, test, answer);
  if (verdict.runs) add_runs(file, test, verdict);
  for (const std::string& race : verdict.races) races_.push_back(fmt::format("race in {}: {}", test, race));
}

void PersistencyReport::add_runs(const std::string& file, const std::string& test,
                                 const check::PersistencyVerdict& verdict) {
  const check::PersistencyRuns& runs = *verdict.runs;
  runs_ += runs.runs;
  crashes_ += runs.crashes;
  runs_table_.row({test, runs.column, grouped(runs.runs), grouped(runs.unfinished), grouped(runs.crashes),
                   grouped(runs.allowed), grouped(runs.shown), grouped(runs.weak), grouped(runs.forbidden.size()),
                   verdict.broken()         ? "FAIL"
                   : runs.forbidden.empty() ? "ok"
                                            : "race"});
  if (!verdict.broken()) return;
  for (const auto& image : runs.forbidden) {
    ++forbidden_;
    problems_.push_back(fmt::format("FAIL {}: a crash leaves {}, which {} forbids\n  again: {}\n", test, image.text,
                                    runs.column, replay_(file, test, image.first_seed)));
  }
}

std::string PersistencyReport::text() const {
  std::string text = table_.text();
  if (runs_table_.rows()) text += runs_table_.text();
  for (const std::string& evidence : evidence_) text += evidence;
  for (const std::string& race : races_) text += race + "\n";
  if (!readings_.empty()) text += "readings of SBRP with which sbrp answers otherwise:\n";
  for (const u32 change : readings_)
    text += fmt::format("  {:<5} {}\n", check::reading_changes()[change].id, check::reading_changes()[change].sentence);
  for (const std::string& problem : problems_) text += problem;
  text += fmt::format("{} persistency tests, {} executions: {} of {} answers agree", tests_, grouped(executions_),
                      asked_ - wrong_, asked_);
  if (runs_)
    text += fmt::format("; {} crashes of {} runs: {} forbidden images", grouped(crashes_), grouped(runs_), forbidden_);
  return text + "\n";
}

nlohmann::ordered_json PersistencyReport::to_json(const check::PersistencyVerdict& verdict) {
  nlohmann::ordered_json json{{"executions", verdict.executions},
                              {"races", verdict.races},
                              {"crashes", nlohmann::ordered_json::array()},
                              {"images", nlohmann::ordered_json::array()}};
  for (const CrashAnswer& answer : verdict.crashes) {
    nlohmann::ordered_json row{{"line", answer.line},
                               {"question", answer.question},
                               {"ok", answer.agrees()},
                               {"class", check::text_of(answer.class_of)},
                               {"readings", nlohmann::ordered_json::array()},
                               {"models", nlohmann::ordered_json::object()}};
    for (const u32 change : answer.readings)
      row["readings"].push_back(
          {{"id", check::reading_changes()[change].id}, {"sentence", check::reading_changes()[change].sentence}});
    for (std::size_t m = 0; m < answer.cells.size(); ++m) {
      const CrashAnswer::Cell& c = answer.cells[m];
      auto& model = row["models"][std::string(name_of(m))] = {{"found", letter(c.allowed)}};
      if (c.expected) model["expected"] = letter(*c.expected);
      model[c.allowed ? "witness" : "obstacle"] = cli::to_json(c.evidence);
    }
    json["crashes"].push_back(std::move(row));
  }
  for (const ImagesAnswer& answer : verdict.images) {
    nlohmann::ordered_json row{{"line", answer.line}, {"ok", answer.agrees()}};
    for (std::size_t m = 0; m < answer.cells.size(); ++m) {
      auto& model = row["models"][std::string(name_of(m))] = {{"found", answer.cells[m].found}};
      if (answer.cells[m].expected) model["expected"] = *answer.cells[m].expected;
    }
    json["images"].push_back(std::move(row));
  }
  if (const auto& runs = verdict.runs) {
    json["runs"] = {{"axioms", runs->column},
                    {"runs", runs->runs},
                    {"not_ended", runs->unfinished},
                    {"crashes", runs->crashes},
                    {"allowed", runs->allowed},
                    {"shown", runs->shown},
                    {"weak", runs->weak},
                    {"forbidden", nlohmann::ordered_json::array()}};
    for (const auto& image : runs->forbidden)
      json["runs"]["forbidden"].push_back(
          {{"image", image.text}, {"crashes", image.crashes}, {"first_seed", image.first_seed}});
  }
  return json;
}

}  // namespace ew::cli
