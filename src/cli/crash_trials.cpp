#include "cli/crash_trials.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "cli/crash_folder.hpp"
#include "cli/scratch.hpp"
#include "core/diagnostics.hpp"
#include "core/split_mix.hpp"
#include "runtime/acknowledgements.hpp"
#include "runtime/environment.hpp"

namespace ew::cli {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using runtime::Environment;

Outcome run_in(const CrashPlan& plan, const Words& words, const fs::path& folder,
               std::vector<std::pair<std::string, std::string>> more) {
  auto environment = plan.settings.environment();
  environment.insert(environment.end(), more.begin(), more.end());
  return run(in_folder(words, folder), {.capture = Capture::both,
                                        .environment = environment,
                                        .directory = folder.string(),
                                        .timeout_seconds = plan.timeout_seconds,
                                        .no_input = true});
}

/// In `folder`, killed after the instruction. `told`: what it acknowledged, when that is more.
Outcome run_and_kill(const CrashPlan& plan, const Words& words, const fs::path& folder, unsigned long long instruction,
                     u64& told) {
  const Scratch kept;
  const std::string file = (kept.path() / "acknowledgements").string();
  Outcome outcome = run_in(plan, words, folder,
                           {{Environment::crash_at_name, std::to_string(instruction)},
                            {Environment::acknowledgements_name, file},
                            {Environment::acknowledged_name, std::to_string(told)}});
  for (const runtime::Acknowledgement& one : runtime::read_acknowledgements(file)) told = std::max(told, one.progress);
  return outcome;
}

Outcome recover_in(const CrashPlan& plan, const fs::path& folder, u64 told) {
  return run_in(plan, plan.recovery, folder, {{Environment::acknowledged_name, std::to_string(told)}});
}

void judge(Trial& trial, const CrashPlan& plan, const fs::path& folder) {
  const Outcome outcome = run_and_kill(plan, plan.program, folder, trial.instruction, trial.acknowledged);
  const bool killed = outcome.signal == SIGKILL && !outcome.timed_out;
  if (!killed && outcome.status != 0) {
    trial.end = TrialEnd::program_failed;
    trial.output = fmt::format("{}[the program {}]\n", outcome.output, how_it_ended(outcome));
    trial.last_line = last_line(outcome.output);
    return;
  }
  if (plan.nested > 1 &&
      !survives_crashed_recovery(plan, {folder, trial.acknowledged}, trial.instruction, trial.output)) {
    trial.recovery_status = 1;
    trial.last_line = last_line(trial.output);
    trial.end = TrialEnd::recovery_failed;
    return;
  }
  const Outcome recovery = recover_in(plan, folder, trial.acknowledged);
  trial.recovery_status = recovery.status;
  trial.last_line = last_line(recovery.output);
  trial.end = killed ? TrialEnd::recovered : TrialEnd::finished;
  if (recovery.status == 0) return;
  trial.end = TrialEnd::recovery_failed;
  trial.output = fmt::format("{}[the recovery {}]\n", recovery.output, how_it_ended(recovery));
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

bool survives_crashed_recovery(const CrashPlan& plan, const CrashedFolder& crashed, unsigned long long seed,
                               std::string& output) {
  const Scratch count, copies;
  const auto fresh = [&](const std::string& name) {
    const fs::path copy = copies.path() / name;
    fs::copy(crashed.path, copy, fs::copy_options::recursive);
    return copy;
  };
  const std::string told = std::to_string(crashed.acknowledged);
  const fs::path file = count.path() / "count";
  const Outcome whole = run_in(plan, plan.recovery, fresh("whole"),
                               {{Environment::count_file_name, file.string()}, {Environment::acknowledged_name, told}});
  unsigned long long instructions = 0;
  std::ifstream(file) >> instructions;
  if (whole.status != 0 || instructions == 0) return true;  // told by the recovery without a crash
  for (const auto point : random_points(instructions, plan.nested_points, seed)) {
    const fs::path again = fresh(fmt::format("again-{}", point));
    u64 acknowledged = crashed.acknowledged;
    const Outcome killed = run_and_kill(plan, plan.recovery, again, point, acknowledged);
    if (killed.signal != SIGKILL && killed.status == 0) continue;
    const Outcome second = recover_in(plan, again, acknowledged);
    if (second.status == 0) continue;
    output = fmt::format("{}[the recovery was killed after its warp instruction {}, and the recovery after that {}]\n",
                         second.output, point, how_it_ended(second));
    return false;
  }
  return true;
}

CleanRun count_instructions(const CrashPlan& plan) {
  const Scratch scratch, count;
  copy_named_files(plan.program, scratch.path());
  const auto entries = [&] {
    return std::distance(fs::recursive_directory_iterator(scratch.path()), fs::recursive_directory_iterator());
  };
  const auto before = entries();
  const fs::path file = count.path() / "count";
  const Outcome outcome = run_in(plan, plan.program, scratch.path(), {{Environment::count_file_name, file.string()}});
  if (outcome.status != 0)
    throw UserError(fmt::format("the program should succeed without a crash first, but it {}:\n{}",
                                how_it_ended(outcome), outcome.output));
  CleanRun result;
  std::ifstream(file) >> result.instructions;
  if (result.instructions == 0)
    throw UserError(
        "the program ran no kernel under Everwarp, so there is no instruction to crash at: was it built with `ew "
        "build`?");
  result.own_files = entries() > before;
  const Outcome recovery = run_in(plan, plan.recovery, scratch.path(), {});
  if (recovery.status != 0)
    throw UserError(fmt::format("the recovery should succeed after a run without a crash, but it {}:\n{}",
                                how_it_ended(recovery), recovery.output));
  return result;
}

Trial crash_at(const CrashPlan& plan, unsigned long long instruction) {
  const auto begin = std::chrono::steady_clock::now();
  Trial trial;
  trial.instruction = instruction;
  {
    const Scratch scratch;
    copy_named_files(plan.program, scratch.path());
    judge(trial, plan, scratch.path());
    if (!trial.passed() && !plan.keep.empty()) {
      const fs::path kept = plan.keep / fmt::format("crash-{}", instruction);
      fs::create_directories(plan.keep);
      fs::copy(scratch.path(), kept, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    }
  }
  trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return trial;
}

std::vector<unsigned long long> random_points(unsigned long long total, std::size_t count, unsigned long long seed) {
  std::set<unsigned long long> points;
  if (total <= count) {
    for (unsigned long long point = 1; point <= total; ++point) points.insert(point);
  }
  core::SplitMix64 random(seed);
  while (points.size() < count && points.size() < total) points.insert(1 + random.below(total));
  return {points.begin(), points.end()};
}

std::vector<Trial> run_trials(const CrashPlan& plan, const std::vector<unsigned long long>& points, unsigned jobs,
                              const std::function<void(std::size_t, std::size_t)>& done) {
  std::vector<Trial> trials(points.size());
  std::atomic<std::size_t> next = 0;
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
  std::vector<std::thread> pool;
  for (unsigned job = 1; job < jobs; ++job) pool.emplace_back(worker);
  worker();
  for (std::thread& thread : pool) thread.join();
  return trials;
}

}  // namespace ew::cli
