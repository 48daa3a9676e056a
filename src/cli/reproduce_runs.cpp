#include "cli/reproduce_runs.hpp"

#include <fmt/format.h>

#include <mutex>

#include "core/diagnostics.hpp"
#include "process/job_threads.hpp"
#include "process/progress_line.hpp"

namespace ew::cli {

using namespace process;

namespace fs = std::filesystem;
using core::UserError;

void build_programs(const std::vector<ProgramBuild>& builds, unsigned jobs) {
  ProgressLine line;
  std::mutex mutex;
  std::size_t done = 0;
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  for_each_number(builds.size(), jobs, [&](u64 i) {
    const ProgramBuild& build = builds[i];
    Words words{self, "build", "-O2"};
    words.insert(words.end(), build.options.begin(), build.options.end());
    words.insert(words.end(), {build.source.string(), "-o", build.output.string()});
    fs::create_directories(build.output.parent_path());
    const Outcome outcome = run(words, {.capture = Capture::both, .no_input = true});
    if (outcome.status != 0)
      throw UserError(fmt::format("{} did not build:\n{}", build.source.string(), outcome.output));
    const std::lock_guard lock(mutex);
    line.show(fmt::format("ew reproduce: {} {} of {} programs built", progress_bar(++done, builds.size()), done,
                          builds.size()));
  });
  line.clear();
}

std::vector<report::FailedRun> carry_out(const std::vector<PlannedRun>& runs, Batch& batch, double timeout_seconds,
                                         const std::string& commit) {
  std::vector<BatchRun> names;
  for (const PlannedRun& run : runs)
    names.push_back({run.name, fmt::format("{} on {}", run.program->name, run.configuration->name)});
  const auto failures = batch.carry_out(
      names, [&](std::size_t i, const fs::path& part) { return make_run(runs[i].run, part, timeout_seconds, commit); });
  std::vector<report::FailedRun> failed;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (failures[i])
      failed.push_back({runs[i].program->name, runs[i].configuration->name, failures[i]->command, failures[i]->how,
                        last_lines(failures[i]->output, 10)});
  return failed;
}

}  // namespace ew::cli
