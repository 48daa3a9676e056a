#include "check/crash/model_campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <span>

#include "check/crash/failure_explainer.hpp"
#include "check/crash/folder.hpp"
#include "process/job_threads.hpp"

namespace ew::check {

namespace {

using Clock = std::chrono::steady_clock;

/// It waits for its persists as programs of libGPM do: it has fences of system scope, and none of SBRP's operations.
bool waits_like_libgpm(const EventFile& events) {
  bool system_fences = false, of_sbrp = false;
  events.each([&](const EventRecord& record, std::span<const u64>) {
    system_fences |= record.action == EventAction::fence && record.scope == Scope::sys;
    of_sbrp |= record.action == EventAction::ofence || record.action == EventAction::dfence ||
               record.action == EventAction::prel || record.action == EventAction::pacq;
  });
  return system_fences && !of_sbrp;
}

}  // namespace

ModelCampaign::ModelCampaign(const CrashPlan& plan, const ModelPlan& model)
    : model_(model), program_(plan, *model.axioms, model.budget) {}

std::vector<std::string> ModelCampaign::states() const {
  if (!model_.state.empty()) return {model_.state};
  return program_.state_names();
}

TriedStates ModelCampaign::try_states(const std::vector<std::string>& names, const Progress& progress) {
  TriedStates tried;
  std::atomic<u64> next = 0;
  std::mutex mutex;
  std::set<u64> seen;
  std::vector<std::optional<StateVerdict>> verdicts(names.size());  // only for the first state with each image
  u64 finished = 0, failures = 0;
  const auto work = [&] {
    StateWorker worker(program_, model_.warm);
    for (u64 i; (i = next++) < names.size();) {
      const bool nothing = names[i] == no_pool;
      const PersistSet set = nothing ? PersistSet(program_.graph().size()) : program_.named(names[i], worker.reach());
      if (!nothing) worker.build(set);
      StateVerdict verdict{.state = names[i], .digest = nothing ? 0 : worker.digest()};
      bool fresh = false;
      {
        const std::lock_guard lock(mutex);
        tried.warm |= worker.recovery().warm();
        fresh = seen.insert(verdict.digest).second;
      }
      if (fresh) {
        const u64 nested_before = worker.nested();
        FailedState failed{.state = names[i], .set = set, .outcome = {}, .nested = {}, .nested_place = {}};
        failed.outcome = nothing ? worker.recover_nothing() : worker.recover();
        bool good = failed.outcome.status == 0;
        if (good && program_.plan().nested > 1) good = worker.survives_crash(names[i], nested_, failed);
        verdict.nested = worker.nested() - nested_before;
        if (!good) {
          verdict.failed = true;
          verdict.outcome = std::move(failed.outcome);
          verdict.nested_state = std::move(failed.nested);
          verdict.nested_place = std::move(failed.nested_place);
        }
      }
      const std::lock_guard lock(mutex);
      ++finished;
      failures += verdict.failed;
      if (fresh) verdicts[i] = std::move(verdict);
      if (progress) progress(finished, failures, names.size());
    }
  };
  process::run_jobs(jobs(), next, names.size(), work);
  for (auto& verdict : verdicts)
    if (verdict) tried.verdicts.push_back(std::move(*verdict));
  tried.nested_images = nested_.images();
  return tried;
}

FailedState ModelCampaign::failure_of(const StateVerdict& verdict) const {
  Reach reach(program_.graph());
  return {.state = verdict.state,
          .set = verdict.state == no_pool ? PersistSet(program_.graph().size()) : program_.named(verdict.state, reach),
          .outcome = verdict.outcome,
          .nested = verdict.nested_state,
          .nested_place = verdict.nested_place};
}

/// Recovers some states once more, each by a new process. A fork and a new process must come to the same end.
void ModelCampaign::try_cold(const std::vector<std::string>& names, const std::vector<FailedState>& failures,
                             ModelReport& report) {
  if (!report.warm) {
    report.cold = report.distinct;
    return;
  }
  const u64 first = !names.empty() && names.front() == no_pool;  // it has no image: left out
  const u64 count = std::min<u64>(model_.cold, names.size() - first);
  std::atomic<u64> next = 0, unlike = 0;
  const auto work = [&] {
    StateWorker worker(program_, false);
    for (u64 i; (i = next++) < count;) {
      const std::string& name = names[first + i * (names.size() - first) / count];
      const PersistSet set = program_.named(name, worker.reach());
      const process::Outcome outcome = worker.judge(set);
      const auto failed = std::find_if(failures.begin(), failures.end(),
                                       [&](const FailedState& f) { return f.state == name && f.nested.empty(); });
      if ((failed != failures.end()) == (outcome.status != 0)) continue;
      // If another state had the same image first, the failure stands under that state's name.
      if (failed == failures.end() && !StateWorker(program_, true).passes(set)) continue;
      ++unlike;
    }
  };
  process::run_jobs(jobs(), next, count, work);
  report.cold = count;
  report.unlike = unlike;
}

ModelReport ModelCampaign::report(const std::vector<std::string>& states, const TriedStates& tried, double seconds) {
  ModelReport report;
  report.events = program_.events().records();
  report.persists = program_.graph().size();
  report.coverage = model_.state.empty() ? program_.coverage() : "one state";
  report.messages = program_.messages();
  report.record_seconds = program_.record_seconds();
  report.build_seconds = program_.build_seconds();
  report.seconds = seconds;
  report.warm = tried.warm;
  report.tried = states.size();
  report.nested_distinct = tried.nested_images.size();
  std::set<u64> seen;  // two parts may have tried equal images
  std::vector<FailedState> failures;
  for (const StateVerdict& verdict : tried.verdicts) {
    if (!seen.insert(verdict.digest).second) continue;
    report.nested += verdict.nested;
    if (!verdict.failed) continue;
    report.nested_failed += !verdict.nested_state.empty();
    failures.push_back(failure_of(verdict));
  }
  report.distinct = seen.size();
  report.failed = failures.size();
  report.passed = report.distinct - report.failed;
  try_cold(states, failures, report);
  if (!failures.empty() && !model_.chosen && waits_like_libgpm(program_.events()))
    report.suggestion =
        "The program has no operation of SBRP, but fences of system scope, like gpm_persist(): if it is written for "
        "libGPM, take --model gpm.";
  if (!failures.empty()) report.failures = FailureExplainer(program_, model_.warm).explain_all(failures);
  return report;
}

ModelReport ModelCampaign::run(const Progress& progress) {
  const auto names = states();
  const auto begin = Clock::now();
  const TriedStates tried = try_states(names, progress);
  return report(names, tried, process::seconds_since(begin));
}

}  // namespace ew::check
