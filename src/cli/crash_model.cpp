#include "cli/crash_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>

#include "check/persist_builder.hpp"
#include "cli/crash_folder.hpp"
#include "cli/job_threads.hpp"
#include "core/diagnostics.hpp"
#include "core/fingerprint.hpp"
#include "core/nearest.hpp"
#include "runtime/environment.hpp"

namespace ew::cli {

namespace {

namespace fs = std::filesystem;
using check::PersistModel;
using check::PersistSet;
using core::UserError;
using runtime::Environment;

using Clock = std::chrono::steady_clock;

constexpr std::array models{PersistModel::sbrp,     PersistModel::epoch,  PersistModel::gpm,
                            PersistModel::gpm_ddio, PersistModel::strict, PersistModel::sbrp_sys};

}  // namespace

check::PersistModel model_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const PersistModel model : models) {
    if (name_of(model) == name) return model;
    names.push_back(name_of(model));
  }
  if (name == "none") return PersistModel::gpm_ddio;  // neither orders persists, nor waits for them
  names.emplace_back("none");
  throw UserError(fmt::format("--model should be one of {}, but is \"{}\"{}", fmt::join(names, ", "), name,
                              core::did_you_mean(name, names)));
}

std::string_view name_of(FailureClass kind) {
  switch (kind) {
    case FailureClass::recovery_bug:
      return "recovery bug";
    case FailureClass::missing_order:
      return "missing order";
    case FailureClass::scope_bug:
      return "scoped persistency bug";
    case FailureClass::early_acknowledgement:
      return "early acknowledgement";
  }
  return "";
}

// --- The run

ModelCampaign::ModelCampaign(const CrashPlan& plan, const ModelPlan& model) : plan_(plan), model_(model) {
  record();
  const auto begin = Clock::now();
  graph_ = check::build_persist_graph(*events_, model.model);
  build_seconds_ = seconds_since(begin);
  acknowledged_ = std::make_unique<check::AcknowledgedProgress>(graph_);
  mapped_ = std::make_unique<check::AcknowledgedProgress>(graph_, graph_.mappings());
  states_ = std::make_unique<check::CrashStates>(graph_, model.budget, plan.settings.seed);
}

void ModelCampaign::record() {
  const auto begin = Clock::now();
  const Scratch scratch, kept;
  copy_named_files(plan_.program, scratch.path());
  const fs::path file = kept.path() / "events";
  auto environment = plan_.settings.environment();
  environment.emplace_back(Environment::events_name, file.string());
  const RunOptions options{.capture = Capture::both,
                           .environment = environment,
                           .directory = scratch.path().string(),
                           .timeout_seconds = plan_.timeout_seconds,
                           .no_input = true};
  std::set<fs::path> there;
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path())) there.insert(entry.path());
  const Outcome outcome = cli::run(in_folder(plan_.program, scratch.path()), options);
  if (outcome.status != 0)
    throw UserError(fmt::format("the program should succeed without a crash first, but it {}:\n{}",
                                how_it_ended(outcome), outcome.output));
  if (!fs::exists(file))
    throw UserError(
        "the program ran nothing under Everwarp, so there is nothing to crash: was it built with `ew build`?");
  events_ = std::make_unique<check::EventFile>(file.string());
  if (events_->pools().empty())
    throw UserError("the program maps no persistent pool (gpm_map), so a crash leaves nothing");
  pool_paths_ = pool_paths(*events_, scratch.path(), shares_pools_);
  for (const fs::path& path : pool_paths_) made_pools_ = path.is_relative() && !there.contains(scratch.path() / path);
  auto recovery = options;
  recovery.environment = plan_.settings.environment();
  const Outcome after = cli::run(in_folder(plan_.recovery, scratch.path()), recovery);
  if (after.status != 0)
    throw UserError(fmt::format("the recovery should succeed after a run without a crash, but it {}:\n{}",
                                how_it_ended(after), after.output));
  record_seconds_ = seconds_since(begin);
}

// --- States and their recoveries

ModelCampaign::Worker::Worker(ModelCampaign& of, bool warm)
    : campaign(of), recovery(of.plan_, warm), image(*of.events_, of.graph_.persists()), reach(of.graph_) {}

Image ModelCampaign::Worker::pool_files() const {
  Image files;
  for (std::size_t i = 0; i < pools; ++i) files.push_back({campaign.pool_paths_[i], &image.file(i)});
  return files;
}

Outcome ModelCampaign::Worker::recover_image() {
  return recovery.run(pool_files(), acknowledged);
}

void ModelCampaign::Worker::build(const PersistSet& set) {
  image.build(set);
  pools = campaign.mapped_->of(set);
  acknowledged = campaign.acknowledged_->of(set);
}

u64 ModelCampaign::Worker::digest() const {
  return image.digest() ^ acknowledged * 0x9e3779b97f4a7c15 ^ pools << 56;
}

Outcome ModelCampaign::Worker::judge(const PersistSet& set) {
  build(set);
  return recover_image();
}

std::vector<std::string> ModelCampaign::wanted_states() const {
  if (!model_.state.empty()) return {model_.state};
  std::vector<std::string> names;
  if (made_pools_) names.emplace_back(no_pool);
  for (u64 i = 0; i < states_->size(); ++i) names.push_back(states_->name(i));
  return names;
}

PersistSet ModelCampaign::named(const std::string& state, check::Reach& reach) const {
  return states_->named(state, reach);
}

std::vector<ModelCampaign::Failed> ModelCampaign::try_all(const std::vector<std::string>& names, ModelReport& report,
                                                          const Progress& progress) {
  std::atomic<u64> next = 0;
  std::mutex mutex;
  std::set<u64> seen;
  std::map<u64, Failed> failures;  // by index: the same whoever came first
  u64 finished = 0;
  const auto work = [&] {
    Worker worker(*this, model_.warm);
    for (u64 i; (i = next++) < names.size();) {
      const bool nothing = names[i] == no_pool;
      const PersistSet set = nothing ? PersistSet(graph_.size()) : named(names[i], worker.reach);
      if (!nothing) worker.build(set);
      const u64 digest = nothing ? 0 : worker.digest();
      bool fresh = false;
      {
        const std::lock_guard lock(mutex);
        report.warm |= worker.recovery.warm();
        fresh = seen.insert(digest).second;
      }
      Failed failed{.state = names[i], .set = set, .outcome = {}, .nested = {}, .nested_place = {}};
      if (fresh) failed.outcome = nothing ? worker.recovery.run({}) : worker.recover_image();
      bool good = failed.outcome.status == 0;
      if (fresh && good && plan_.nested > 1) good = worker.survives_crash(names[i], failed);
      const std::lock_guard lock(mutex);
      ++finished;
      if (!good) report.nested_failed += !failed.nested.empty(), failures.emplace(i, std::move(failed));
      if (progress) progress(finished, failures.size(), names.size());
    }
    const std::lock_guard lock(mutex);
    report.nested += worker.nested;
  };
  run_jobs(shares_pools_ ? 1 : model_.jobs, next, names.size(), work);
  report.tried = names.size();
  report.distinct = seen.size();
  report.failed = failures.size();
  report.passed = report.distinct - report.failed;
  report.nested_distinct = nested_.size();
  std::vector<Failed> list;
  for (auto& [index, failure] : failures) list.push_back(std::move(failure));
  return list;
}

/// Some states once more, each by a process started anew: what forks say must be what processes say.
void ModelCampaign::try_cold(const std::vector<std::string>& names, const std::vector<Failed>& failures,
                             ModelReport& report) {
  if (!report.warm) {
    report.cold = report.distinct;
    return;
  }
  const u64 first = !names.empty() && names.front() == no_pool;  // nothing was built for it
  const u64 count = std::min<u64>(model_.cold, names.size() - first);
  std::atomic<u64> next = 0, unlike = 0;
  const auto work = [&] {
    Worker worker(*this, false);
    for (u64 i; (i = next++) < count;) {
      const std::string& name = names[first + i * (names.size() - first) / count];
      const PersistSet set = named(name, worker.reach);
      const Outcome outcome = worker.judge(set);
      const auto failed = std::find_if(failures.begin(), failures.end(),
                                       [&](const Failed& f) { return f.state == name && f.nested.empty(); });
      if ((failed != failures.end()) == (outcome.status != 0)) continue;
      // An image that another state had shown first is not in the list under this name.
      if (failed == failures.end() && !Worker(*this, true).passes(set)) continue;
      ++unlike;
    }
  };
  run_jobs(shares_pools_ ? 1 : model_.jobs, next, count, work);
  report.cold = count;
  report.unlike = unlike;
}

ModelReport ModelCampaign::run(const Progress& progress) {
  ModelReport report;
  report.events = events_->records();
  report.persists = graph_.size();
  report.coverage = model_.state.empty() ? states_->coverage() : "one state";
  report.record_seconds = record_seconds_;
  report.build_seconds = build_seconds_;
  const auto names = wanted_states();
  const auto begin = Clock::now();
  const auto failures = try_all(names, report, progress);
  report.seconds = seconds_since(begin);
  try_cold(names, failures, report);
  explain_all(failures, report);
  return report;
}

}  // namespace ew::cli
