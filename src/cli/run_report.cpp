#include "cli/run_report.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/chart_library.hpp"
#include "core/files.hpp"
#include "process/interrupt.hpp"
#include "process/scratch.hpp"
#include "report/run_page.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

struct Activity {
  std::vector<report::ActivitySample> samples;
  std::string none;  // why there are no samples
};

Activity activity_in(const std::string& timeline) {
  const core::FileText text = core::read_file(timeline);
  if (!text.why.empty()) return {{}, fmt::format("There is no plot over time: the timeline {}.", text.why)};
  Activity activity{report::activity_of(text.text), {}};
  if (activity.samples.empty()) activity.none = "There is no plot over time: the run was shorter than one sample.";
  return activity;
}

}  // namespace

int run_with_page(const Words& words, RunSettings settings, const runtime::MachineConfig& config,
                  const std::string& page) {
  const Scratch scratch;
  Words command{"ew", "run"};
  const Words options = settings.as_options();
  command.insert(command.end(), options.begin(), options.end());
  command.emplace_back("--");
  command.insert(command.end(), words.begin(), words.end());
  if (settings.statistics_file.empty()) settings.statistics_file = (scratch.path() / "stats.json").string();
  if (settings.timeline_file.empty()) settings.timeline_file = (scratch.path() / "timeline.json").string();
  const Outcome outcome = run(words, {.environment = settings.environment(), .finishes = true});
  if (!fs::exists(settings.statistics_file)) {
    fmt::print(stderr,
               "ew: no page is written: the program has left no statistics (it made no CUDA call, or was killed)\n");
  } else {
    const Activity activity = activity_in(settings.timeline_file);
    const report::RunPageFacts facts{.program = fs::path(words[0]).filename().string(),
                                     .command = fmt::format("{}", fmt::join(command, " ")),
                                     .resolved_machine = runtime::to_toml(runtime::effective(config)),
                                     .no_activity = activity.none};
    core::write_file(page, report::run_page(report::MeasuredRun::read(settings.statistics_file), activity.samples,
                                            facts, chart_library()));
    fmt::print(stderr, "page: {}\n", fs::absolute(page).lexically_normal().string());
  }
  end_as_child(outcome.signal);
  return outcome.status;
}

}  // namespace ew::cli
