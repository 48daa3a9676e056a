// What `ew litmus` says of tests of kind pm: one line a row of the test with every model's answer, and for what
// disagrees (or for all, when asked) the crash that shows it.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "check/persistency_litmus.hpp"
#include "cli/table.hpp"

namespace ew::cli {

class PersistencyReport {
 public:
  /// The command that repeats one run of a test.
  using Replay = std::function<std::string(const std::string& file, const std::string& test, u64 seed)>;

  PersistencyReport(Replay replay, bool witnesses);

  void add(const std::string& file, const std::string& test, const check::PersistencyVerdict&);
  bool empty() const { return tests_ == 0; }
  u64 tests() const { return tests_; }
  std::string text() const;
  static nlohmann::ordered_json to_json(const check::PersistencyVerdict&);

 private:
  void add_crash(const std::string& file, const std::string& test, const check::CrashAnswer&);
  void add_evidence(const std::string& file, const std::string& test, const check::CrashAnswer&);
  void add_images(const std::string& file, const std::string& test, const check::ImagesAnswer&);
  void add_runs(const std::string& file, const std::string& test, const check::PersistencyVerdict&);
  void add_row(const std::string& test, const std::string& question, std::vector<std::string> cells,
               std::vector<std::string> rest);

  Replay replay_;
  bool witnesses_;
  Table table_, runs_table_;
  std::set<u32> readings_;  // that some row depends on
  std::vector<std::string> problems_, evidence_, races_;
  u64 tests_ = 0, asked_ = 0, wrong_ = 0, executions_ = 0;
  u64 runs_ = 0, crashes_ = 0, forbidden_ = 0;
};

}  // namespace ew::cli
