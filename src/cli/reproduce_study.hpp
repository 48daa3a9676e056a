// A study from beginning to end: builds, runs, comparison, and the files of the output folder.
#pragma once

#include <filesystem>
#include <string>

#include "cli/reproduce_plan.hpp"
#include "report/reproduction.hpp"

namespace ew::cli {

struct StudyRequest {
  ReproduceRequest runs;
  std::filesystem::path out;  // absolute
  std::string command;        // what someone types to make it again
  unsigned jobs = 1;
  double timeout_seconds = 3600;
  bool resume = false;
};

/// Carries it out and writes figures.csv, parts.csv, claims.csv, runs.csv, results.json and report.html. The suite must
/// outlive what comes back.
report::Reproduction reproduce_study(const report::Suite&, const StudyRequest&);

/// Where the page is.
std::filesystem::path report_page(const StudyRequest&);

/// Every run that failed, on standard error, with its command.
void print_failures(const report::Reproduction&);

}  // namespace ew::cli
