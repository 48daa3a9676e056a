// What `ew test` runs: the C++ tests and scripts that ctest knows, and the programs of workloads/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "process/run.hpp"

namespace ew::cli {

struct Check {
  /// timing: a workload on a timing machine; its verdict and what it copies to the host must be those of functional
  /// mode.
  enum class Kind { google_test, plain, workload, timing } kind = Kind::plain;
  std::string name;        // "unit/ptx", "workload/cuda/scan_blelloch"
  process::Words command;  // empty: nothing to run
  std::string target;      // what the build calls the program; empty: it is not built
  double timeout_seconds = 300;
  int skip_status = -1;        // with which it says that it cannot run here
  process::Words run_options;  // of `ew run`; empty: the program runs by itself
  bool racing = false;         // its copies depend on an order that nothing fixes: only the verdict is compared
  bool always_shown = false;   // its output is a table that is told when it passes, too
  bool twice = false;          // a timing check runs twice: both runs must have the same digest
};

struct CheckResult {
  unsigned passed = 0, failed = 0;
  bool skipped = false;
  double seconds = 0;
  std::string output;  // when something failed or it was skipped, or it is always shown
};

/// Everything there is, in the order in which it starts. A build folder without tests is a core::UserError.
/// `filter`: "timing_" in it adds every workload on every machine and protocol, which takes long; "planted_bugs" and
/// "random_crashes" name the long campaigns of workloads/sbrp.
std::vector<Check> find_checks(const std::filesystem::path& build, const std::filesystem::path& workloads,
                               const std::string& filter = {});

/// Runs one in a folder of its own. `filter` (may be empty) narrows a GoogleTest binary to the tests that hold it in
/// their name. Thread-safe.
CheckResult run_check(const Check&, const std::string& filter);

/// The lines of a failed check's output that say most, at most `lines` of them.
std::string short_report(const std::string& output, std::size_t lines);

}  // namespace ew::cli
