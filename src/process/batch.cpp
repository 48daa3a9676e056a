#include "process/batch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "process/job_threads.hpp"
#include "process/progress_line.hpp"

namespace ew::process {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

fs::path part_of(const fs::path& folder, const std::string& name) {
  return folder / (".part-" + name);
}

/// The names of the runs that the array makes, in the order in which its tasks take them.
fs::path list_file(const fs::path& folder) {
  return folder / "slurm/runs.txt";
}

std::vector<std::string> listed_runs(const fs::path& folder) {
  std::istringstream text(core::content_of(list_file(folder)));
  std::vector<std::string> names;
  for (std::string name; std::getline(text, name);) names.push_back(name);
  return names;
}

void write_failure(const fs::path& folder, const std::string& name, const RunFailure& failure) {
  const fs::path part = part_of(folder / "failed", name), whole = folder / "failed" / name;
  fs::remove_all(part);
  fs::remove_all(whole);
  fs::create_directories(part);
  core::write_file(part / "output.txt", failure.output);
  const nlohmann::ordered_json json{{"status", failure.status}, {"how", failure.how}, {"command", failure.command}};
  core::write_file(part / "failure.json", core::json_text(json) + "\n");
  fs::rename(part, whole);
}

}  // namespace

std::string last_lines(const std::string& text, std::size_t lines) {
  std::size_t begin = text.size();
  for (std::size_t i = 0; i <= lines && begin != std::string::npos && begin > 0; ++i)
    begin = text.rfind('\n', begin - 1);
  return begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
}

/// What is done, under way and left, as one line.
class Batch::Tally {
 public:
  Tally(const BatchOptions& options, const std::vector<BatchRun>& runs, const Numbers& numbers)
      : options_(options), all_(numbers.size()), began_(Clock::now()) {
    for (const std::size_t number : numbers) weight_left_ += runs[number].weight;
  }

  void begin(const BatchRun& run) {
    running_.push_back(&run);
    show();
  }
  void end(const BatchRun& run, double seconds, bool failed) {
    std::erase(running_, &run);
    ++done_;
    failed_ += failed;
    seconds_ += seconds;
    weight_done_ += run.weight;
    weight_left_ -= run.weight;
    show();
  }
  /// Of an array: what its tasks have left up to now.
  void count(std::size_t done, std::size_t failed, const std::string& queue) {
    done_ = done, failed_ = failed, queue_ = queue;
    show();
  }
  void clear() const { line_.clear(); }

 private:
  double seconds_left() const {
    if (queue_.empty()) return seconds_ * weight_left_ / weight_done_ / options_.jobs;
    return seconds_since(began_) * static_cast<double>(all_ - done_) / static_cast<double>(done_);
  }
  void show() {
    std::string text =
        fmt::format("{}: {} {} of {} {}", options_.verb, progress_bar(done_, all_), done_, all_, options_.runs);
    if (failed_) text += fmt::format(", {} failed", failed_);
    if (done_ > 0 && done_ < all_) text += fmt::format(", about {} left", seconds_text(seconds_left()));
    std::string names = queue_;
    for (const BatchRun* run : running_) names += (names.empty() ? "" : ", ") + run->label;
    if (!names.empty()) text += fmt::format(" ({})", names);
    line_.show(text);
  }

  const BatchOptions& options_;
  ProgressLine line_;
  std::size_t all_, done_ = 0, failed_ = 0;
  double seconds_ = 0, weight_done_ = 0, weight_left_ = 0;
  Clock::time_point began_;
  std::vector<const BatchRun*> running_;
  std::string queue_;
};

Batch::Batch(BatchOptions options) : options_(std::move(options)) {
  if (options_.slice) return;  // the command that submitted the array has the lock
  const fs::path& folder = options_.folder;
  std::error_code error;
  fs::create_directories(folder / "runs", error);
  if (error) throw UserError(fmt::format("cannot make {}: {}", folder.string(), error.message()));
  lock_ = open((folder / ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock_ < 0) throw UserError(fmt::format("{} may not be written: {}", folder.string(), strerror(errno)));
  try {
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0)
      throw UserError(fmt::format("another `{}` works in {}; wait for it, or name another folder with --out",
                                  options_.verb, folder.string()));
    queued_ = SlurmArray::still_queued(folder);
    if (queued_ && !(options_.slurm && options_.resume))
      throw UserError(
          fmt::format("Slurm's job {0} still works in {1}: --slurm --resume waits for it, `scancel {0}` "
                      "ends it",
                      queued_->job(), folder.string()));
    for (const char* const part : {"runs", "failed"}) {
      if (queued_ || !fs::is_directory(folder / part)) continue;
      for (const auto& entry : fs::directory_iterator(folder / part))
        if (entry.path().filename().string().starts_with(".part-")) fs::remove_all(entry.path());
    }
  } catch (...) {
    close(lock_);
    throw;
  }
}

Batch::~Batch() {
  if (lock_ >= 0) close(lock_);
}

bool Batch::is_complete(const std::string& name) const {
  const fs::path folder = folder_of(name);
  std::error_code error;
  return fs::is_directory(folder, error) && options_.is_complete(folder);
}

std::optional<RunFailure> Batch::make_one(const BatchRun& run, std::size_t number, const Make& make) const {
  const fs::path part = part_of(options_.folder / "runs", run.name);
  fs::remove_all(part);
  fs::create_directories(part);
  auto failure = make(number, part);
  if (failure) {
    fs::remove_all(part);
    write_failure(options_.folder, run.name, *failure);
  } else {
    fs::remove_all(folder_of(run.name));
    fs::rename(part, folder_of(run.name));
    fs::remove_all(options_.folder / "failed" / run.name);
  }
  return failure;
}

void Batch::make_here(const std::vector<BatchRun>& runs, Numbers missing, const Make& make) const {
  const auto weight = [&](std::size_t number) { return runs[number].weight; };
  std::ranges::stable_sort(missing, std::greater{}, weight);  // no long run is left alone at the end
  std::mutex mutex;
  Tally tally(options_, runs, missing);
  for_each_number(missing.size(), options_.jobs, [&](u64 i) {
    const BatchRun& run = runs[missing[i]];
    const auto locked = [&](auto&& tell) {
      const std::lock_guard lock(mutex);
      tell();
    };
    locked([&] { tally.begin(run); });
    const auto begin = Clock::now();
    const bool failed = make_one(run, missing[i], make).has_value();
    locked([&] { tally.end(run, seconds_since(begin), failed); });
  });
  tally.clear();
}

Batch::Numbers Batch::of_slice(const std::vector<BatchRun>& runs) const {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < runs.size(); ++i) numbers[runs[i].name] = i;
  Numbers share;
  const std::vector<std::string> names = listed_runs(options_.folder);
  for (std::size_t at = options_.slice->number; at < names.size(); at += options_.slice->of) {
    const auto found = numbers.find(names[at]);
    if (found == numbers.end())
      throw UserError(
          fmt::format("the job was submitted for other runs: a program, a machine file or the simulator has "
                      "changed since ({} is not planned now)",
                      names[at]));
    if (!is_complete(names[at])) share.push_back(found->second);  // it was: Slurm has started this task again
  }
  return share;
}

void Batch::wait_for(const SlurmArray& array, const std::vector<BatchRun>& runs, const Numbers& missing) const {
  Tally tally(options_, runs, missing);
  std::optional<std::string> queue = array.in_queue();
  const auto begin = Clock::now();
  double asked = 0;              // when squeue was, in seconds from then; long jobs ask it seldom
  unsigned looks_after_end = 0;  // what other nodes have written may show late
  for (;;) {
    std::size_t done = 0, failed = 0;
    for (const std::size_t number : missing) {
      failed += fs::exists(options_.folder / "failed" / runs[number].name);
      done += fs::exists(folder_of(runs[number].name));
    }
    tally.count(done + failed, failed, queue.value_or("ended"));
    if (done + failed == missing.size() || (!queue && ++looks_after_end > 8)) break;
    std::this_thread::sleep_for(250ms);
    const double now = seconds_since(begin);
    if (!queue || now - asked < std::clamp(now / 10, 1.0, 30.0)) continue;
    queue = array.in_queue();
    asked = now;
  }
  tally.clear();
}

SlurmArray Batch::submit(const std::vector<BatchRun>& runs, const Numbers& missing) const {
  std::string names;
  for (const std::size_t number : missing) {
    fs::remove_all(options_.folder / "failed" / runs[number].name);
    names += runs[number].name + "\n";
  }
  const unsigned most = options_.slurm->slices ? options_.slurm->slices : 1000;
  const auto slices = static_cast<unsigned>(std::min<std::size_t>(missing.size(), most));
  fs::remove_all(options_.folder / "slurm");
  fs::create_directories(options_.folder / "slurm");
  core::write_file(list_file(options_.folder), names);
  std::string name = options_.verb;
  std::ranges::replace(name, ' ', '-');
  SlurmArray array =
      SlurmArray::submit(options_.folder, name, slices, options_.cpus ? options_.cpus : options_.jobs, *options_.slurm);
  fmt::print(stderr,
             "{0}: Slurm's job {1}: {2} tasks for {3} {5}; they write to {4}\n"
             "{0}: the job goes on when this command ends: --slurm --resume waits for it, `scancel {1}` ends it\n",
             options_.verb, array.job(), slices, missing.size(), (options_.folder / "slurm").string(), options_.runs);
  return array;
}

/// What the array's end has left without a result failed.
void Batch::wait_and_judge(const SlurmArray& array, const std::vector<BatchRun>& runs, const Numbers& missing) const {
  wait_for(array, runs, missing);
  const std::vector<std::string> names = listed_runs(options_.folder);
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (fs::exists(folder_of(names[at])) || fs::exists(options_.folder / "failed" / names[at])) continue;
    const auto slice = static_cast<unsigned>(at % array.slices());
    const fs::path output = array.output_of(slice);
    write_failure(options_.folder, names[at],
                  {127, fmt::format("was not made: task {} of Slurm's job {} ended before", slice, array.job()),
                   shell_line({"less", output.string()}), core::content_of(output)});
  }
}

void Batch::make_on_slurm(const std::vector<BatchRun>& runs, const Numbers& missing) const {
  Numbers left;
  if (queued_) {
    fmt::print(stderr, "{}: waits for Slurm's job {}, which was submitted before\n", options_.verb, queued_->job());
    wait_and_judge(*queued_, runs, missing);
    for (const std::size_t number : missing)  // it may not have been asked for all of them
      if (!fs::exists(folder_of(runs[number].name)) && !fs::exists(options_.folder / "failed" / runs[number].name))
        left.push_back(number);
  } else {
    left = missing;
  }
  if (!left.empty()) wait_and_judge(submit(runs, left), runs, left);
}

std::optional<RunFailure> Batch::failure_of(const BatchRun& run) const {
  if (is_complete(run.name)) return std::nullopt;
  const fs::path folder = options_.folder / "failed" / run.name;
  const auto json = nlohmann::json::parse(core::content_of(folder / "failure.json"), nullptr, false);
  if (!json.is_object()) return RunFailure{127, "was not made", "", ""};
  return RunFailure{json.value("status", 127), json.value("how", ""), json.value("command", ""),
                    core::content_of(folder / "output.txt")};
}

std::vector<std::optional<RunFailure>> Batch::carry_out(const std::vector<BatchRun>& runs, const Make& make) {
  if (options_.slice) {
    const Numbers share = of_slice(runs);
    make_here(runs, share, make);
  } else {
    Numbers missing;
    std::size_t finished = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool there = is_complete(runs[i].name);
      finished += there;
      if (!options_.resume || !there) missing.push_back(i);
    }
    taken_ = runs.size() - missing.size();
    if (finished > taken_)
      fmt::print(stderr, "{}: {} finished {} in {} are made again; --resume would take them\n", options_.verb, finished,
                 options_.runs, options_.folder.string());
    for (const std::size_t i : missing)
      if (!queued_) fs::remove_all(folder_of(runs[i].name));
    if (!missing.empty() && options_.slurm)
      make_on_slurm(runs, missing);
    else
      make_here(runs, missing, make);
  }
  std::vector<std::optional<RunFailure>> failures;
  for (const BatchRun& run : runs) failures.push_back(failure_of(run));
  return failures;
}

}  // namespace ew::process
