// Which runs a reproduction needs: one for each program, machine, size and seed, however many figures ask for it. A run
// is known by the contents of everything that decides its result: library, program, resolved machine, words, seed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/machine_run.hpp"
#include "report/study.hpp"

namespace ew::cli {

struct ReproduceRequest {
  std::vector<std::string> figures, programs;  // empty: all of the suite's
  std::string size;                            // empty: the suite's
  unsigned long long seed = 0;                 // the first of them
  unsigned seeds = 1;                          // every run is made with so many
  std::vector<std::string> settings;           // key=value: on top of every configuration's
  std::vector<u64> each_seed() const;
};

struct PlannedRun {
  const report::Program* program = nullptr;
  const report::Configuration* configuration = nullptr;
  report::Phase phase = report::Phase::run;
  std::string size;
  MachineRun run;    // prepared by another call where a recovery is measured
  std::string name;  // of its directory; ends in the key
};

/// A program as one configuration has it built.
struct ProgramBuild {
  std::filesystem::path source, output;
  std::vector<std::string> options;
};

/// Values that outlive what is asked of them: the suite must outlive the plan.
class ReproducePlan {
 public:
  /// Mistakes in the request (a figure, a program or a size that the suite does not have) are core::UserErrors.
  ReproducePlan(const report::Suite&, const ReproduceRequest&, const std::filesystem::path& out);

  const std::vector<const report::Figure*>& figures() const { return figures_; }
  const std::vector<std::string>& programs() const { return programs_; }
  const std::vector<ProgramBuild>& builds() const { return builds_; }

  /// Makes the runs, each once. REQUIRED: the builds' outputs exist; their contents are part of a run's key.
  void make_runs();
  const std::vector<PlannedRun>& runs() const { return runs_; }
  const std::string& size() const { return request_.size; }
  /// The run that stands for this one, or nothing.
  const PlannedRun* find(const report::Program&, const report::Configuration&, report::Phase, u64 seed) const;

 private:
  const ProgramBuild& build_of(const report::Program&, const report::Configuration&) const;
  void add_run(const report::Program&, const report::Configuration&, report::Phase, u64 seed);
  PlannedRun planned(const report::Program&, const report::Configuration&, report::Phase, u64 seed) const;

  const report::Suite& suite_;
  const ReproduceRequest request_;
  const std::filesystem::path out_;
  std::vector<const report::Figure*> figures_;
  std::vector<std::string> programs_;
  std::vector<ProgramBuild> builds_;
  std::vector<PlannedRun> runs_;
  RunKeys keys_;
  std::map<std::string, std::size_t> by_name_;  // place in runs_
  std::map<std::string, std::string> name_of_;  // program, configuration, phase and seed to the name of the run
};

/// How long the runs will take, in a sentence, from the times and parts that the suite has of its own size.
std::string expected_time(const ReproducePlan&, const report::Suite&, unsigned jobs);

/// How much memory the largest runs will take, in a sentence, from the memory and parts that the suite has of its own
/// size; empty, when it has none. Throws UserError when `jobs` of them need more than `free` bytes.
std::string expected_memory(const ReproducePlan&, const report::Suite&, unsigned jobs, u64 free);

}  // namespace ew::cli
