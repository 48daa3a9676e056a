// What `ew litmus` says of the tests it judged: a table of questions, then what is wrong and how to see it again; or
// the same as JSON.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "check/verdict.hpp"
#include "cli/persistency_report.hpp"
#include "cli/table.hpp"

namespace ew::cli {

class LitmusReport {
 public:
  /// The command that repeats one run of a test.
  using Replay = std::function<std::string(const std::string& file, const std::string& test, u64 seed)>;

  LitmusReport(Replay replay, bool histograms, bool witnesses);

  void add(const std::string& file, const check::Verdict&);
  bool failed() const { return failed_; }
  bool any_judged() const { return tests_ > not_judged_; }
  /// One sentence about the tests that were not executed; empty when all were.
  std::string not_judged() const;
  std::string text() const;
  const nlohmann::ordered_json& json() const { return json_; }

 private:
  void add_answer(const check::Verdict&, const check::Answer&);
  void add_failures(const std::string& file, const check::Verdict&);
  void add_histogram(const check::Verdict&);
  nlohmann::ordered_json to_json(const std::string& file, const check::Verdict&) const;

  Replay replay_;
  bool with_histograms_;
  Table table_;
  PersistencyReport persistency_;
  nlohmann::ordered_json json_ = nlohmann::ordered_json::array();
  std::vector<std::string> problems_, not_judged_kinds_;
  std::string histograms_;
  u64 tests_ = 0, not_judged_ = 0, runs_ = 0, weak_runs_ = 0, forbidden_ = 0, disagreements_ = 0, missing_ = 0,
      waiting_ = 0;
  bool failed_ = false;
};

}  // namespace ew::cli
