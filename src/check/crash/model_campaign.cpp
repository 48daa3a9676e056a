#include "check/crash/model_campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>

#include "check/crash/failure_explainer.hpp"
#include "check/crash/folder.hpp"
#include "process/job_threads.hpp"

namespace ew::check {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

ModelCampaign::ModelCampaign(const CrashPlan& plan, const ModelPlan& model)
    : model_(model), program_(plan, *model.axioms, model.budget) {}

std::vector<std::string> ModelCampaign::wanted_states() const {
  if (!model_.state.empty()) return {model_.state};
  return program_.state_names();
}

std::vector<FailedState> ModelCampaign::try_all(const std::vector<std::string>& names, ModelReport& report,
                                                const Progress& progress) {
  std::atomic<u64> next = 0;
  std::mutex mutex;
  std::set<u64> seen;
  std::map<u64, FailedState> failures;  // by index: the same whoever came first
  u64 finished = 0;
  const auto work = [&] {
    StateWorker worker(program_, model_.warm);
    for (u64 i; (i = next++) < names.size();) {
      const bool nothing = names[i] == no_pool;
      const PersistSet set = nothing ? PersistSet(program_.graph().size()) : program_.named(names[i], worker.reach());
      if (!nothing) worker.build(set);
      const u64 digest = nothing ? 0 : worker.digest();
      bool fresh = false;
      {
        const std::lock_guard lock(mutex);
        report.warm |= worker.recovery().warm();
        fresh = seen.insert(digest).second;
      }
      FailedState failed{.state = names[i], .set = set, .outcome = {}, .nested = {}, .nested_place = {}};
      if (fresh) failed.outcome = nothing ? worker.recover_nothing() : worker.recover();
      bool good = failed.outcome.status == 0;
      if (fresh && good && program_.plan().nested > 1) good = worker.survives_crash(names[i], nested_, failed);
      const std::lock_guard lock(mutex);
      ++finished;
      if (!good) report.nested_failed += !failed.nested.empty(), failures.emplace(i, std::move(failed));
      if (progress) progress(finished, failures.size(), names.size());
    }
    const std::lock_guard lock(mutex);
    report.nested += worker.nested();
  };
  process::run_jobs(jobs(), next, names.size(), work);
  report.tried = names.size();
  report.distinct = seen.size();
  report.failed = failures.size();
  report.passed = report.distinct - report.failed;
  report.nested_distinct = nested_.size();
  std::vector<FailedState> list;
  for (auto& [index, failure] : failures) list.push_back(std::move(failure));
  return list;
}

/// Some states once more, each by a process started anew: what forks say must be what processes say.
void ModelCampaign::try_cold(const std::vector<std::string>& names, const std::vector<FailedState>& failures,
                             ModelReport& report) {
  if (!report.warm) {
    report.cold = report.distinct;
    return;
  }
  const u64 first = !names.empty() && names.front() == no_pool;  // nothing was built for it
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
      // An image that another state had shown first is not in the list under this name.
      if (failed == failures.end() && !StateWorker(program_, true).passes(set)) continue;
      ++unlike;
    }
  };
  process::run_jobs(jobs(), next, count, work);
  report.cold = count;
  report.unlike = unlike;
}

ModelReport ModelCampaign::run(const Progress& progress) {
  ModelReport report;
  report.events = program_.events().records();
  report.persists = program_.graph().size();
  report.coverage = model_.state.empty() ? program_.coverage() : "one state";
  report.record_seconds = program_.record_seconds();
  report.build_seconds = program_.build_seconds();
  const auto names = wanted_states();
  const auto begin = Clock::now();
  const auto failures = try_all(names, report, progress);
  report.seconds = process::seconds_since(begin);
  try_cold(names, failures, report);
  if (!failures.empty()) report.failures = FailureExplainer(program_, model_.warm).explain_all(failures);
  return report;
}

}  // namespace ew::check
