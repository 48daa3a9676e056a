#include "check/crash/trials.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>

#include "check/crash/folder.hpp"
#include "check/crash/points.hpp"
#include "check/crash/pool_watch.hpp"
#include "check/crash/recorded_run.hpp"
#include "core/diagnostics.hpp"
#include "process/job_threads.hpp"
#include "process/scratch.hpp"
#include "runtime/acknowledgements.hpp"
#include "runtime/environment.hpp"

namespace ew::check {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using runtime::Environment;

/// Runs a command in `folder`, and kills it at the moment that `when` names. If it acknowledges more progress, raises
/// `told` to that.
process::Outcome run_and_kill(const CrashPlan& plan, const process::Words& words, const fs::path& folder, u64& told,
                              process::Variables when) {
  const process::Scratch kept;
  const std::string file = (kept.path() / "acknowledgements").string();
  when.emplace_back(Environment::acknowledgements_name, file);
  when.emplace_back(Environment::acknowledged_name, std::to_string(told));
  process::Outcome outcome = run_in(plan, words, folder, when);
  for (const runtime::Acknowledgement& one : runtime::read_acknowledgements(file)) told = std::max(told, one.progress);
  return outcome;
}

process::Outcome recover_in(const CrashPlan& plan, const fs::path& folder, u64 told) {
  return run_in(plan, plan.recovery, folder, {{Environment::acknowledged_name, std::to_string(told)}});
}

/// Runs the recovery on copies of `folder`, where a crash has left its files, and kills it right after some of its
/// changes of a pool. Each time another recovery must succeed.
bool survives_crashed_recovery(const CrashPlan& plan, const fs::path& folder, Trial& trial) {
  const process::Scratch kept, copies;
  const auto fresh = [&](const std::string& name) {
    const fs::path copy = copies.path() / name;
    fs::copy(folder, copy, fs::copy_options::recursive);
    return copy;
  };
  const std::string told = std::to_string(trial.acknowledged);
  const Recording recording;
  const fs::path count = kept.path() / "count";
  process::Variables watched = recording.environment();
  if (plan.drives) watched = {{Environment::count_file_name, count.string()}};
  watched.emplace_back(Environment::acknowledged_name, told);
  const process::Outcome whole = run_in(plan, plan.recovery, fresh("whole"), watched);
  if (whole.status != 0) return true;  // the recovery fails without a crash: the caller reports that
  u64 moments = 0;
  if (plan.drives)
    std::ifstream(count) >> moments;
  else
    moments = recording.changes();
  const std::string_view moment = plan.drives ? "warp instruction" : "change of a pool,";
  for (const u64 point : nested_points(plan, moments, trial.moment)) {
    ++trial.nested;
    const fs::path again = fresh(fmt::format("again-{}", point));
    u64 acknowledged = trial.acknowledged;
    const std::string at = std::to_string(point);
    const process::Variables when = plan.drives ? process::Variables{{Environment::crash_at_name, at}}
                                                : process::Variables{{Environment::events_name, "/dev/null"},
                                                                     {Environment::crash_at_persist_name, at}};
    const process::Outcome killed = run_and_kill(plan, plan.recovery, again, acknowledged, when);
    if (killed.signal != SIGKILL || killed.timed_out) {
      trial.output = fmt::format("{}[the recovery {} before it could be killed at its {} {}]\n", killed.output,
                                 process::how_it_ended(killed), moment, point);
    } else {
      const process::Outcome second = recover_in(plan, again, acknowledged);
      if (second.status == 0) continue;
      trial.output = fmt::format("{}[the recovery was killed right after its {} {}, and the one after that {}]\n",
                                 second.output, moment, point, process::how_it_ended(second));
    }
    trial.nested_at = point;
    return false;
  }
  return true;
}

void judge(Trial& trial, const CrashPlan& plan, const fs::path& folder) {
  const process::Outcome outcome = run_and_kill(
      plan, plan.program, folder, trial.acknowledged,
      {{plan.cycles ? Environment::crash_at_cycle_name : Environment::crash_at_name, std::to_string(trial.moment)}});
  trial.killed = outcome.signal == SIGKILL && !outcome.timed_out;
  if (!trial.killed && outcome.status != 0) {
    trial.end = TrialEnd::program_failed;
    trial.output = fmt::format("{}[the program {}]\n", outcome.output, process::how_it_ended(outcome));
    trial.last_line = last_line(outcome.output);
    return;
  }
  if (plan.nested > 1 && !survives_crashed_recovery(plan, folder, trial)) {
    trial.recovery_status = 1;
    trial.last_line = last_line(trial.output);
    trial.end = TrialEnd::recovery_failed;
    return;
  }
  const process::Outcome recovery = recover_in(plan, folder, trial.acknowledged);
  trial.recovery_status = recovery.status;
  trial.last_line = last_line(recovery.output);
  trial.end = trial.killed ? TrialEnd::recovered : TrialEnd::finished;
  if (recovery.status == 0) return;
  trial.end = TrialEnd::recovery_failed;
  trial.output = fmt::format("{}[the recovery {}]\n", recovery.output, process::how_it_ended(recovery));
}

}  // namespace

std::string_view name_of(TrialEnd end) {
  switch (end) {
    case TrialEnd::recovered:
      return "recovered";
    case TrialEnd::finished:
      return "finished before";
    case TrialEnd::recovery_failed:
      return "FAIL";
    case TrialEnd::program_failed:
      return "FAIL (program)";
  }
  return "";
}

CleanRun run_once(const CrashPlan& plan) {
  const process::Scratch scratch, count;
  copy_named_files(plan.program, scratch.path());
  const auto files = [&] {
    std::map<fs::path, fs::file_time_type> written;
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path()))
      written[entry.path()] = entry.is_regular_file() ? entry.last_write_time() : fs::file_time_type();
    return written;
  };
  const auto before = files();
  const fs::path file = count.path() / "count";
  run_program(plan, scratch.path(), {{Environment::count_file_name, file.string()}});
  CleanRun result;
  u64 instructions = 0, cycles = 0, outside = 0;
  const bool counted = static_cast<bool>(std::ifstream(file) >> instructions >> cycles >> outside);
  result.moments = plan.cycles ? cycles : instructions;
  if (result.moments == 0)
    throw UserError(
        counted ? "the program ran no kernel, so there is no instruction to crash at; work of the host is crashed with "
                  "--timing, or with --states model"
                : "the program ran no kernel under Everwarp, so there is no instruction to crash at: was it built with "
                  "`ew build`?");
  result.own_files = !outside && files() != before;
  // With drives, the data may be on drives alone.
  run_recovery(
      plan, scratch.path(),
      plan.drives ? std::vector<fs::path>() : pools_left(scratch.path(), in_folder(plan.program, scratch.path())));
  return result;
}

Trial crash_at(const CrashPlan& plan, unsigned long long moment) {
  const auto begin = std::chrono::steady_clock::now();
  Trial trial;
  trial.moment = moment;
  {
    const process::Scratch scratch;
    copy_named_files(plan.program, scratch.path());
    judge(trial, plan, scratch.path());
    if (!trial.passed() && !plan.keep.empty()) {
      const fs::path kept = plan.keep / fmt::format("crash-{}", moment);
      fs::create_directories(plan.keep);
      fs::copy(scratch.path(), kept, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    }
  }
  trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return trial;
}

std::vector<Trial> run_trials(const CrashPlan& plan, const std::vector<unsigned long long>& points, unsigned jobs,
                              const std::function<void(std::size_t, std::size_t)>& done) {
  std::vector<Trial> trials(points.size());
  std::atomic<u64> next = 0;
  std::mutex mutex;
  std::size_t finished = 0, failures = 0;
  const auto worker = [&] {
    for (std::size_t i; (i = next++) < points.size();) {
      trials[i] = crash_at(plan, points[i]);
      const std::lock_guard lock(mutex);
      ++finished;
      failures += !trials[i].passed();
      if (done) done(finished, failures);
    }
  };
  process::run_jobs(jobs, next, points.size(), worker);
  return trials;
}

}  // namespace ew::check
