// The simulated side of `ew correlate`: the microbenchmarks and timed programs, built once and run on a machine.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "process/scratch.hpp"
#include "report/correlation.hpp"

namespace ew::cli {

class CorrelateRuns {
 public:
  explicit CorrelateRuns(unsigned jobs) : jobs_(jobs) {}

  /// Figures of these groups of microbenchmarks, or of all. A run that fails is a core::UserError with its command.
  report::Figures figures(const std::string& machine, const std::vector<std::string>& settings,
                          std::vector<std::string> groups = {});
  /// Kernel time of programs of workloads/cuda, by name.
  std::map<std::string, report::KernelTime> programs(const std::string& machine,
                                                     const std::vector<std::string>& settings,
                                                     const std::vector<std::string>& names);

 private:
  std::filesystem::path build(const std::string& name, const std::vector<std::string>& words);

  process::Scratch scratch_;
  unsigned jobs_;
};

}  // namespace ew::cli
