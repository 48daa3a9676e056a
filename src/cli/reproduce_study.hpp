// A study from beginning to end: builds, runs, comparison, and the files of the output folder.
#pragma once

#include <filesystem>
#include <string>

#include "cli/reproduce_plan.hpp"
#include "report/reproduction.hpp"

namespace ew::cli {

struct StudyRequest {
  ReproduceRequest runs;
  process::BatchOptions batch;  // without is_complete
  std::string command;          // what someone types to make it again
  double timeout_seconds = 3600;
  std::string page = "report.html";  // what the page is called
  bool says_how_long = false;        // before the first run
};

/// Carries it out and writes figures.csv, parts.csv, claims.csv, figures.md, runs.csv, results.json and the page. The
/// suite must outlive what comes back. A task of an array makes its share of the runs and writes nothing else.
report::Reproduction reproduce_study(const report::Suite&, const StudyRequest&);

/// Where the page is.
std::filesystem::path report_page(const StudyRequest&);

/// Every run that failed, on standard error, with its command.
void print_failures(const report::Reproduction&);

}  // namespace ew::cli
