#include "cli/correlate_runs.hpp"

#include <fmt/format.h>

#include <functional>
#include <mutex>
#include <sstream>

#include "cli/run_settings.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/nearest.hpp"
#include "process/job_threads.hpp"
#include "process/progress_line.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;

RunSettings settings_on(const std::string& machine, const std::vector<std::string>& settings) {
  RunSettings run;
  run.machine = machine;
  run.settings = settings;
  return run;
}

/// What a program prints; status 0 or a UserError with a command that can be typed again.
std::string output_of(const Words& program, const RunSettings& settings, Capture capture) {
  const Outcome outcome = run(program, {.capture = capture, .environment = settings.environment(), .no_input = true});
  if (outcome.status == 0) return outcome.output;
  Words words{"ew", "run"};
  for (const std::string& word : settings.as_options()) words.push_back(word);
  words.insert(words.end(), program.begin(), program.end());
  throw UserError(fmt::format("{} {}:\n{}", shell_line(words), how_it_ended(outcome), outcome.output));
}

/// Calls `work` for every name, `jobs` at once; shows how many are done.
void for_each_at_once(const std::vector<std::string>& names, unsigned jobs, const std::string& what,
                      const std::function<void(const std::string&)>& work) {
  std::mutex mutex;
  std::size_t done = 0;
  ProgressLine line;
  for_each_number(names.size(), jobs, [&](u64 i) {
    work(names[i]);
    const std::lock_guard lock(mutex);
    line.show(fmt::format("ew correlate: {} {} of {}", what, ++done, names.size()));
  });
  line.clear();
}

/// "kernel_time_ns 123.5 launches 4", as tests/silicon/kernel_time.cu prints it.
std::optional<report::KernelTime> kernel_time(const std::string& output) {
  std::optional<report::KernelTime> found;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    double nanoseconds = 0;
    std::size_t launches = 0;
    if (std::sscanf(line.c_str(), "kernel_time_ns %lf launches %zu", &nanoseconds, &launches) == 2)
      found = report::KernelTime{nanoseconds, launches};
  }
  return found;
}

}  // namespace

fs::path CorrelateRuns::build(const std::string& name, const std::vector<std::string>& words) {
  const fs::path output = scratch_.path() / name;
  if (fs::exists(output)) return output;
  Words command{fs::read_symlink("/proc/self/exe").string(), "build", "-O2"};
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"-o", output.string()});
  const Outcome outcome = run(command, {.capture = Capture::both, .no_input = true});
  if (outcome.status != 0) throw UserError(fmt::format("{} did not build:\n{}", words[0], outcome.output));
  return output;
}

report::Figures CorrelateRuns::figures(const std::string& machine, const std::vector<std::string>& settings,
                                       std::vector<std::string> groups) {
  const std::string program =
      build("microbenchmarks", {(core::home_directory() / "workloads/micro/microbenchmarks.cu").string()}).string();
  std::vector<std::string> known;
  std::istringstream names(output_of({program, "--list"}, RunSettings(), Capture::standard_output));
  for (std::string name; std::getline(names, name);) known.push_back(name);
  const std::vector<std::string_view> views(known.begin(), known.end());
  for (const std::string& group : groups)
    if (std::ranges::find(known, group) == known.end())
      throw UserError(
          fmt::format("groups: the microbenchmarks have no group \"{}\"{}", group, core::did_you_mean(group, views)));
  if (groups.empty()) groups = known;
  std::mutex mutex;
  report::Figures figures;
  const RunSettings on_machine = settings_on(machine, settings);
  for_each_at_once(groups, jobs_, fmt::format("microbenchmarks on {}, group", machine), [&](const std::string& group) {
    const std::string text = output_of({program, "--json", group}, on_machine, Capture::standard_output);
    const report::Figures some = report::read_figures(text, "microbenchmarks --json " + group);
    const std::lock_guard lock(mutex);
    figures.insert(some.begin(), some.end());
  });
  return figures;
}

std::map<std::string, report::KernelTime> CorrelateRuns::programs(const std::string& machine,
                                                                  const std::vector<std::string>& settings,
                                                                  const std::vector<std::string>& names) {
  const fs::path home = core::home_directory();
  const RunSettings on_machine = settings_on(machine, settings);
  std::vector<std::string> known;
  for (const auto& entry : fs::directory_iterator(home / "workloads/cuda"))
    if (entry.path().extension() == ".cu") known.push_back(entry.path().stem().string());
  const std::vector<std::string_view> views(known.begin(), known.end());
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw UserError(
          fmt::format("programs.{}: no program of workloads/cuda{}", name, core::did_you_mean(name, views)));
  std::mutex mutex;
  std::map<std::string, report::KernelTime> times;
  for_each_at_once(names, jobs_, fmt::format("programs on {},", machine), [&](const std::string& name) {
    const fs::path program =
        build(name, {(home / "workloads/cuda" / (name + ".cu")).string(),
                     (home / "tests/silicon/kernel_time.cu").string(), "-Xlinker", "--wrap=main", "-Xlinker",
                     "--wrap=cudaLaunchKernel", "-Xlinker", "--wrap=cudaLaunchCooperativeKernel"});
    const auto time = kernel_time(output_of({program.string()}, on_machine, Capture::both));
    if (!time) throw UserError(fmt::format("{} printed no kernel_time_ns", name));
    const std::lock_guard lock(mutex);
    times[name] = *time;
  });
  return times;
}

}  // namespace ew::cli
