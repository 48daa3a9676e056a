#include "cli/litmus_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ew::cli {

namespace {

std::string_view word(bool allowed) {
  return allowed ? "allowed" : "forbidden";
}

}  // namespace

LitmusReport::LitmusReport(Replay replay, bool histograms, bool witnesses)
    : replay_(std::move(replay)),
      with_histograms_(histograms),
      table_({"test", "question", "model", "axioms", "expected", ">seen", ""}),
      persistency_(replay_, witnesses) {}

void LitmusReport::add(const std::string& file, const check::Verdict& verdict) {
  ++tests_;
  runs_ += verdict.histogram.runs;
  weak_runs_ += verdict.weak_runs;
  if (!verdict.not_judged.empty()) {
    ++not_judged_;
    if (std::ranges::find(not_judged_kinds_, verdict.not_judged) == not_judged_kinds_.end())
      not_judged_kinds_.push_back(verdict.not_judged);
  }
  if (verdict.persistency) persistency_.add(file, verdict.test, *verdict.persistency);
  for (const check::Answer& answer : verdict.answers) add_answer(verdict, answer);
  add_failures(file, verdict);
  if (with_histograms_) add_histogram(verdict);
  json_.push_back(to_json(file, verdict));
  failed_ |= verdict.failed();
}

void LitmusReport::add_answer(const check::Verdict& verdict, const check::Answer& a) {
  const bool wrong = !a.agrees() || a.missing() || (a.seen && !a.allowed);
  table_.row({verdict.test, a.question, a.model, std::string(word(a.allowed)),
              a.expected ? std::string(word(*a.expected)) : "-", a.ran ? grouped(a.seen) : "-", wrong ? "FAIL" : "ok"});
  disagreements_ += !a.agrees();
  missing_ += a.missing();
  if (a.missing())
    problems_.push_back(fmt::format("FAIL {}: {} must be shown, and {} runs do not show it", verdict.test, a.question,
                                    verdict.histogram.runs));
  if (!a.agrees())
    problems_.push_back(
        fmt::format("FAIL {}: {} is {} by the axioms of {}", verdict.test, a.question, word(a.allowed), a.model));
}

void LitmusReport::add_failures(const std::string& file, const check::Verdict& verdict) {
  const check::Histogram& h = verdict.histogram;
  for (const check::Forbidden& f : verdict.forbidden) {
    forbidden_ += f.runs;
    problems_.push_back(fmt::format("FAIL {}: {} is forbidden, and seen in {} of {} runs\n  again: {}", verdict.test,
                                    f.state, f.runs, h.runs, replay_(file, verdict.test, f.first_seed)));
  }
  if (verdict.may_wait) waiting_ += h.unfinished;
  if (h.unfinished && !verdict.may_wait)
    problems_.push_back(fmt::format("FAIL {}: {} of {} runs did not end\n  again: {}\n{}", verdict.test, h.unfinished,
                                    h.runs, replay_(file, verdict.test, h.unfinished_seed), h.unfinished_why));
}

void LitmusReport::add_histogram(const check::Verdict& verdict) {
  if (verdict.histogram.states.empty()) return;
  histograms_ += fmt::format("{}\n", verdict.test);
  for (const auto& [state, count] : verdict.histogram.states)
    histograms_ += fmt::format("  {:>8}  {}  (first: seed {})\n", grouped(count.runs), verdict.program.text_of(state),
                               count.first_seed);
}

nlohmann::ordered_json LitmusReport::to_json(const std::string& file, const check::Verdict& v) const {
  nlohmann::ordered_json json{{"file", file}, {"line", v.line}, {"test", v.test}, {"ok", !v.failed()}};
  if (!v.not_judged.empty()) json["not_executed"] = v.not_judged;
  if (!v.not_run.empty()) json["not_run"] = v.not_run;
  if (v.persistency) {
    json["persistency"] = PersistencyReport::to_json(*v.persistency);
    return json;
  }
  json["questions"] = nlohmann::ordered_json::array();
  for (const check::Answer& a : v.answers)
    json["questions"].push_back({{"question", a.question},
                                 {"model", a.model},
                                 {"axioms", word(a.allowed)},
                                 {"expected", a.expected ? nlohmann::ordered_json(word(*a.expected)) : nullptr},
                                 {"must_be_shown", a.must_be_shown},
                                 {"seen", a.seen}});
  json["allowed_states"] = v.allowed_states;
  json["runs"] = v.histogram.runs;
  json["weak_runs"] = v.weak_runs;
  json["unfinished"] = v.histogram.unfinished;
  json["may_wait_for_ever"] = v.may_wait;
  json["states"] = nlohmann::ordered_json::array();
  for (const auto& [state, count] : v.histogram.states)
    json["states"].push_back(
        {{"state", v.program.text_of(state)}, {"runs", count.runs}, {"first_seed", count.first_seed}});
  json["forbidden"] = nlohmann::ordered_json::array();
  for (const check::Forbidden& f : v.forbidden)
    json["forbidden"].push_back({{"state", f.state},
                                 {"runs", f.runs},
                                 {"first_seed", f.first_seed},
                                 {"again", replay_(file, v.test, f.first_seed)}});
  return json;
}

std::string LitmusReport::not_judged() const {
  if (!not_judged_) return {};
  return fmt::format("{} of {} tests are left out: {}", not_judged_, tests_, fmt::join(not_judged_kinds_, "; "));
}

std::string LitmusReport::text() const {
  std::string text = persistency_.empty() ? "" : persistency_.text();
  if (tests_ == not_judged_ + persistency_.tests()) return text;
  if (table_.rows()) text += table_.text();
  text += histograms_;
  for (const std::string& problem : problems_) text += fmt::format("{}\n", problem);
  text += fmt::format("{} tests, {} questions, {} that the axioms answer otherwise",
                      tests_ - not_judged_ - persistency_.tests(), table_.rows(), disagreements_);
  if (runs_)
    text += fmt::format("; {} runs: {} ended as is forbidden, {} as no interleaving explains, {} questions not shown",
                        grouped(runs_), grouped(forbidden_), grouped(weak_runs_), missing_);
  if (waiting_) text += fmt::format(", {} wait for ever, as they may", grouped(waiting_));
  return text + "\n";
}

}  // namespace ew::cli
