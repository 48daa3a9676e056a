// Carries out the runs of a plan, several processes at once. A run works in a folder of its own that gets its final
// name only when it is complete, so that an interrupted reproduction can go on from what is there.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/reproduce_plan.hpp"
#include "report/reproduction.hpp"

namespace ew::cli {

struct ReproduceOptions {
  std::filesystem::path out;
  std::string size, commit;
  unsigned jobs = 1;
  double timeout_seconds = 3600;
  bool resume = false;  // take the finished runs that are there
};

/// The lock on an output folder: one `ew reproduce` works in it at a time. Removes what an interrupted one left.
class OutputFolder {
 public:
  explicit OutputFolder(const std::filesystem::path&);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  int file_ = -1;
};

/// Builds every program, `jobs` at once. A program that does not build is a core::UserError with what the compiler
/// said.
void build_programs(const std::vector<ProgramBuild>&, unsigned jobs);

/// What was made of each run that failed; the others are in out/runs/NAME.
std::vector<report::FailedRun> carry_out(const std::vector<PlannedRun>&, const ReproduceOptions&);

}  // namespace ew::cli
