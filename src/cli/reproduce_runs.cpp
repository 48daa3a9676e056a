#include "cli/reproduce_runs.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "cli/progress_line.hpp"
#include "cli/table.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "report/finished_run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;
using report::FailedRun, report::Phase;
using Clock = std::chrono::steady_clock;

std::string last_lines(const std::string& text, std::size_t lines) {
  std::size_t begin = text.size();
  for (std::size_t i = 0; i <= lines && begin != std::string::npos && begin > 0; ++i)
    begin = text.rfind('\n', begin - 1);
  return begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
}

/// The call as someone types it again.
std::string typed(const RunSettings& settings, const Words& call, bool functional) {
  Words words{"ew", "run"};
  for (const std::string& word : settings.as_options()) words.push_back(word);
  if (functional) words.push_back("--functional");
  words.push_back("--");
  words.insert(words.end(), call.begin(), call.end());
  return shell_line(words);
}

/// One run in a folder that is not yet its final one.
class Attempt {
 public:
  Attempt(const PlannedRun& planned, const ReproduceOptions& options)
      : planned_(planned),
        options_(options),
        part_(options.out / "runs" / fmt::format(".part-{}", planned.name)),
        work_(part_ / "work") {}

  /// Nothing when it became a finished run; its failure otherwise.
  std::optional<FailedRun> carry_out() {
    fs::remove_all(part_);
    fs::create_directories(work_);
    core::write_file(part_ / "resolved.toml", planned_.machine_text);
    const std::time_t began = std::time(nullptr);
    if (planned_.phase == Phase::recovery) {
      if (const Outcome outcome = call(planned_.prepare, true); outcome.status != 0)
        return failure(outcome, typed(planned_.settings, planned_.prepare, true));
    }
    const auto begin = Clock::now();
    const Outcome outcome = call(planned_.command, false);
    const double seconds = seconds_since(begin);
    const std::string command = typed(planned_.settings, planned_.command, false);
    if (outcome.status != 0) return failure(outcome, command);
    if (!fs::is_regular_file(part_ / "stats.json"))
      return FailedRun{planned_.program->name, planned_.configuration->name, command, "left no statistics",
                       last_lines(outcome.output, 10)};
    core::write_file(part_ / "output.txt", outcome.output);
    core::write_file(part_ / "env.json", core::json_text(environment(command, began, seconds)) + "\n");
    fs::remove_all(work_);
    fs::rename(part_, options_.out / "runs" / planned_.name);
    return std::nullopt;
  }

 private:
  Outcome call(const Words& words, bool functional) const {
    // The machine as it was resolved, whatever happens to machine files meanwhile.
    RunSettings settings = planned_.settings;
    settings.machine = (part_ / "resolved.toml").string();
    settings.settings.clear();
    if (functional)  // the state that a crash leaves is made fast: what is performed is durable
      settings.settings.push_back("machine.mode=functional");
    else
      settings.statistics_file = (part_ / "stats.json").string();
    return run(words, {.capture = Capture::both,
                       .environment = settings.environment(),
                       .directory = work_.string(),
                       .timeout_seconds = options_.timeout_seconds,
                       .no_input = true});
  }

  FailedRun failure(const Outcome& outcome, const std::string& command) const {
    fs::remove_all(part_);
    return {planned_.program->name, planned_.configuration->name, command, how_it_ended(outcome),
            last_lines(outcome.output, 10)};
  }

  nlohmann::ordered_json environment(const std::string& command, std::time_t began, double seconds) const {
    nlohmann::ordered_json json{{"program", planned_.program->name},
                                {"phase", planned_.phase == Phase::run ? "run" : "recovery"},
                                {"size", options_.size},
                                {"machine", planned_.settings.machine},
                                {"set", planned_.settings.settings},
                                {"options", planned_.options},
                                {"seed", planned_.settings.seed},
                                {"command", command}};
    if (planned_.phase == Phase::recovery) json["prepared_by"] = typed(planned_.settings, planned_.prepare, true);
    json["version"] = EW_VERSION;
    json["commit"] = options_.commit;
    json["began"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(began));
    json["wall_seconds"] = seconds;
    return json;
  }

  const PlannedRun& planned_;
  const ReproduceOptions& options_;
  const fs::path part_, work_;
};

/// What is done, under way and left, as one line.
class Tally {
 public:
  Tally(std::size_t all, unsigned jobs) : all_(all), jobs_(jobs) {}

  void begin(const PlannedRun& run) {
    running_.push_back(&run);
    show();
  }
  void end(const PlannedRun& run, double seconds, bool failed) {
    std::erase(running_, &run);
    ++done_;
    failed_ += failed;
    seconds_ += seconds;
    show();
  }
  void clear() const { line_.clear(); }

 private:
  void show() {
    std::string names;
    for (const PlannedRun* run : running_)
      names += fmt::format("{}{} on {}", names.empty() ? "" : ", ", run->program->name, run->configuration->name);
    std::string text = fmt::format("ew reproduce: {} {} of {} runs", progress_bar(done_, all_), done_, all_);
    if (failed_) text += fmt::format(", {} failed", failed_);
    if (done_ > 0 && done_ < all_) {
      const double each = seconds_ / static_cast<double>(done_);
      text += fmt::format(", about {} left", seconds_text(each * static_cast<double>(all_ - done_) / jobs_));
    }
    if (!names.empty()) text += fmt::format(" ({})", names);
    line_.show(text);
  }

  ProgressLine line_;
  std::size_t all_, done_ = 0, failed_ = 0;
  unsigned jobs_;
  double seconds_ = 0;
  std::vector<const PlannedRun*> running_;
};

/// Calls `work(i)` for every i below `count`, `jobs` at once. The first exception ends it and is thrown on.
void in_parallel(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr mistake;
  const auto loop = [&] {
    for (std::size_t i; (i = next++) < count;) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!mistake) mistake = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> pool;
  for (unsigned job = 1; job < jobs; ++job) pool.emplace_back(loop);
  loop();
  for (std::thread& thread : pool) thread.join();
  if (mistake) std::rethrow_exception(mistake);
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder / "runs", error);
  fs::create_directories(folder / "programs", error);
  if (error) throw UserError(fmt::format("cannot make {}: {}", folder.string(), error.message()));
  file_ = open((folder / ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (file_ < 0) throw UserError(fmt::format("{} may not be written: {}", folder.string(), strerror(errno)));
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    close(file_);
    throw UserError(fmt::format("another `ew reproduce` works in {}; wait for it, or name another folder with --out",
                                folder.string()));
  }
  for (const auto& entry : fs::directory_iterator(folder / "runs"))
    if (entry.path().filename().string().starts_with(".part-")) fs::remove_all(entry.path());
}

OutputFolder::~OutputFolder() {
  close(file_);
}

void build_programs(const std::vector<ProgramBuild>& builds, unsigned jobs) {
  ProgressLine line;
  std::mutex mutex;
  std::size_t done = 0;
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  in_parallel(builds.size(), jobs, [&](std::size_t i) {
    const ProgramBuild& build = builds[i];
    Words words{self, "build", "-O2"};
    words.insert(words.end(), build.options.begin(), build.options.end());
    words.insert(words.end(), {build.source.string(), "-o", build.output.string()});
    const Outcome outcome = run(words, {.capture = Capture::both, .no_input = true});
    if (outcome.status != 0)
      throw UserError(fmt::format("{} did not build:\n{}", build.source.string(), outcome.output));
    const std::lock_guard lock(mutex);
    line.show(fmt::format("ew reproduce: {} {} of {} programs built", progress_bar(++done, builds.size()), done,
                          builds.size()));
  });
  line.clear();
}

std::vector<FailedRun> carry_out(const std::vector<PlannedRun>& runs, const ReproduceOptions& options) {
  std::vector<const PlannedRun*> missing;
  for (const PlannedRun& run : runs) {
    const fs::path directory = options.out / "runs" / run.name;
    if (options.resume && report::FinishedRun::read(directory)) continue;
    fs::remove_all(directory);
    missing.push_back(&run);
  }
  std::mutex mutex;
  Tally tally(missing.size(), options.jobs);
  std::vector<std::optional<FailedRun>> failed(missing.size());
  in_parallel(missing.size(), options.jobs, [&](std::size_t i) {
    const auto locked = [&](auto&& tell) {
      const std::lock_guard lock(mutex);
      tell();
    };
    locked([&] { tally.begin(*missing[i]); });
    const auto begin = Clock::now();
    failed[i] = Attempt(*missing[i], options).carry_out();
    locked([&] { tally.end(*missing[i], seconds_since(begin), failed[i].has_value()); });
  });
  tally.clear();
  std::vector<FailedRun> failures;
  for (auto& failure : failed)
    if (failure) failures.push_back(std::move(*failure));
  return failures;
}

}  // namespace ew::cli
