#include "cli/reproduce_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "process/job_threads.hpp"
#include "process/progress_line.hpp"

namespace ew::cli {

using namespace process;

namespace fs = std::filesystem;
using core::UserError;

namespace {

/// Options that name a folder of headers begin, like the path of a source, in the folder that holds workloads/.
Words headers_from_home(Words options) {
  static constexpr std::string_view names[] = {"-I", "-isystem", "--include-path", "--system-include"};
  const auto from_home = [](const std::string& path) { return (core::home_directory() / path).string(); };
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::string& option = options[i];
    const auto name = std::ranges::find_if(names, [&](std::string_view one) { return option.starts_with(one); });
    if (name == std::end(names)) continue;
    const std::string begin(option.substr(0, name->size() + (option.substr(name->size()).starts_with('=') ? 1 : 0)));
    const std::string path = option.substr(begin.size());
    if (!path.empty())
      option = begin + from_home(path);
    else if (i + 1 < options.size())
      options[i + 1] = from_home(options[i + 1]), ++i;
  }
  return options;
}

}  // namespace

void build_programs(const std::vector<ProgramBuild>& builds, unsigned jobs) {
  ProgressLine line;
  std::mutex mutex;
  std::size_t done = 0;
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  for_each_number(builds.size(), jobs, [&](u64 i) {
    const ProgramBuild& build = builds[i];
    Words words{self, "build", "-O2"};
    const Words options = headers_from_home(build.options);
    words.insert(words.end(), options.begin(), options.end());
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
  for (const PlannedRun& run : runs) {
    const auto known = run.program->seconds.find(run.size);
    names.push_back({run.name, fmt::format("{} on {}", run.program->name, run.configuration->name),
                     known == run.program->seconds.end() ? 1 : std::max(known->second, 0.1)});
  }
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
