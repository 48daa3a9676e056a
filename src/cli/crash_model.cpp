#include "cli/crash_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>

#include "check/persist_builder.hpp"
#include "check/persist_order.hpp"
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
  if (model.model == PersistModel::sbrp) wide_ = check::build_persist_graph(*events_, PersistModel::sbrp_sys);
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
  acknowledged = tells ? campaign.acknowledged_->of(set) : 0;
}

u64 ModelCampaign::Worker::digest() const {
  return image.digest() ^ acknowledged * 0x9e3779b97f4a7c15 ^ pools << 56;
}

Outcome ModelCampaign::Worker::judge(const PersistSet& set) {
  build(set);
  return recover_image();
}

Outcome ModelCampaign::Worker::judge(const PersistSet& set, u64 told) {
  build(set);
  acknowledged = told;
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

// --- Failures

/// One failure for each place of the program that they end in, few at most.
void ModelCampaign::explain_all(const std::vector<Failed>& failures, ModelReport& report) {
  if (failures.empty()) return;
  constexpr std::size_t most_explained = 24, most_told = 8;
  std::map<std::string, std::vector<const Failed*>> places;
  std::vector<std::string> order;
  for (const Failed& failure : failures) {
    u32 last = 0;
    for (u32 p = 0; p < failure.set.size(); ++p)
      if (failure.set.has(p)) last = p;
    const std::string place = !failure.nested.empty() ? "crashed recovery, " + failure.nested_place
                              : failure.set.count()   ? place_of(last)
                                                      : failure.state;
    if (places[place].empty()) order.push_back(place);
    places[place].push_back(&failure);
  }
  Worker worker(*this, model_.warm);
  std::map<std::string, std::size_t> told;
  for (std::size_t i = 0; i < order.size() && i < most_explained; ++i) {
    const auto& alike = places[order[i]];
    worker.tells = true;
    ModelFailure failure = explain(worker, *alike.front());
    failure.alike = alike.size();
    const std::string key =
        fmt::format("{} {} {} {}", name_of(failure.kind), failure.absent ? place_of(*failure.absent) : "",
                    failure.present ? place_of(*failure.present) : "", alike.front()->nested_place);
    const auto [found, fresh] = told.try_emplace(key, report.failures.size());
    if (!fresh)
      report.failures[found->second].alike += failure.alike;
    else if (report.failures.size() < most_told)
      report.failures.push_back(std::move(failure));
    else
      told.erase(found);
  }
}

ModelFailure ModelCampaign::explain(Worker& worker, const Failed& failed) {
  ModelFailure failure;
  failure.state = failed.state;
  failure.status = failed.outcome.status;
  failure.output = failed.outcome.output +
                   (failed.outcome.status == 1 ? "" : fmt::format("[the recovery {}]\n", how_it_ended(failed.outcome)));
  failure.kind = FailureClass::recovery_bug;
  failure.nested = failed.nested;
  if (failed.state == no_pool || !failed.nested.empty()) return failure;
  failure.acknowledged = acknowledged_->of(failed.set);
  if (failure.acknowledged != 0 && explain_acknowledgement(worker, failed, failure)) return failure;
  failure.acknowledged = 0;
  worker.tells = false;
  // The first persist that makes it fail: behind it the state may be cut off.
  u32 passes = 0, fails = failed.set.size();
  if (!worker.passes(PersistSet(fails))) return failure;
  while (fails - passes > 1) {
    const u32 middle = passes + (fails - passes) / 2;
    (worker.passes(failed.set.cut_at(middle)) ? passes : fails) = middle;
  }
  const PersistSet cut = failed.set.cut_at(fails);
  failure.present = fails - 1;
  if (!worker.passes(PersistSet(fails).filled_to(fails))) {  // everything up to it, as the run itself had it
    failure.state = fmt::format("upto:{}", fails);
    const Outcome again = worker.judge(PersistSet(fails).filled_to(fails));
    failure.status = again.status;
    failure.output = again.output;
    return failure;
  }
  // The first persist that mends it, when those before it are there.
  u32 broken = 0, mended = fails;
  while (mended - broken > 1) {
    const u32 middle = broken + (mended - broken) / 2;
    (worker.passes(cut.filled_to(middle)) ? mended : broken) = middle;
  }
  failure.absent = mended - 1;
  find_class(worker, cut.filled_to(broken), failure);
  return failure;
}

/// True: the state is recovered as long as nobody has been told anything. Then the first acknowledgement that fails,
/// and the first persist that mends it. Otherwise it fails for another reason, whatever was acknowledged.
bool ModelCampaign::explain_acknowledgement(Worker& worker, const Failed& failed, ModelFailure& failure) {
  if (worker.judge(failed.set, 0).status != 0) return false;
  const u32 size = failed.set.size();
  for (std::size_t i = 0; i < acknowledged_->size() && acknowledged_->progress(i) <= failure.acknowledged; ++i) {
    const Outcome outcome = worker.judge(failed.set, acknowledged_->progress(i));
    if (outcome.status == 0) continue;
    failure.acknowledged = acknowledged_->progress(i);
    break;
  }
  const auto mends = [&](u32 end) { return worker.judge(failed.set.filled_to(end), failure.acknowledged).status == 0; };
  if (!mends(size)) return true;  // even all that the run persisted is not enough: the recovery gives it up
  failure.kind = FailureClass::early_acknowledgement;
  u32 broken = 0, mended = size;
  while (mended - broken > 1) {
    const u32 middle = broken + (mended - broken) / 2;
    (mends(middle) ? mended : broken) = middle;
  }
  failure.absent = mended - 1;
  return true;
}

/// `set` fails, has `present` and lacks `absent`.
void ModelCampaign::find_class(Worker& worker, const PersistSet& set, ModelFailure& failure) {
  failure.kind = FailureClass::missing_order;
  if (model_.model != PersistModel::sbrp) return;
  check::Reach wide(wide_);
  const PersistSet possible = wide.closed(set);
  if (possible == set || !worker.passes(possible)) return;
  failure.kind = FailureClass::scope_bug;
  if (!wide.ordered(*failure.absent, *failure.present)) {
    for (u32 present = set.size(); present-- > 0;) {
      if (!set.has(present)) continue;
      PersistSet below(set.size());
      wide.add_below(present, below);
      u32 absent = set.size();
      for (u32 p = 0; p < set.size(); ++p)
        if (below.has(p) && !set.has(p)) absent = p;
      if (absent == set.size()) continue;
      failure.absent = absent, failure.present = present;
      break;
    }
  }
  find_widening(failure);
}

/// The path from absent to present that needs the fewest synchronisations widened, and what they are.
void ModelCampaign::find_widening(ModelFailure& failure) {
  std::map<u32, const check::Widening*> widened;
  for (const check::Widening& widening : wide_.widenings()) widened[widening.node] = &widening;
  constexpr u32 far = ~u32{0};
  std::vector<u32> distance(wide_.nodes(), far), next(wide_.nodes(), 0);
  const u32 goal = wide_.node_of(*failure.absent), start = wide_.node_of(*failure.present);
  std::deque<u32> open{start};
  distance[start] = 0;
  while (!open.empty()) {
    const u32 node = open.front();
    open.pop_front();
    if (node == goal) break;
    for (const u32 earlier : wide_.before(node)) {
      if (earlier < goal) continue;
      const u32 cost = widened.contains(earlier) ? 1 : 0;
      if (distance[node] + cost >= distance[earlier]) continue;
      distance[earlier] = distance[node] + cost;
      next[earlier] = node;
      cost ? open.push_back(earlier) : open.push_front(earlier);
    }
  }
  if (distance[goal] == far) return;
  const auto name_of_scope = [](Scope scope) {
    return scope == Scope::cta ? "block" : scope == Scope::gpu ? "device" : "system";
  };
  for (u32 node = goal; node != start; node = next[node]) {
    const auto found = widened.find(node);
    if (found == widened.end()) continue;
    const auto& [made, release, acquire] = *found->second;
    const auto tell = [&](std::string_view what, const check::Widening::Side& side) {
      if (side.launch == 0) return;
      const std::string text =
          fmt::format("{} at {}: {} -> device", what, events_->place(side.launch, side.pc), name_of_scope(side.scope));
      if (std::find(failure.widen.begin(), failure.widen.end(), text) == failure.widen.end())
        failure.widen.push_back(text);
    };
    tell("release", release);
    tell("acquire", acquire);
  }
}

std::string ModelCampaign::place_of(u32 persist) const {
  const check::Persist& p = graph_.persist(persist);
  return events_->place(p.launch, p.pc);
}

std::string ModelCampaign::describe(u32 persist) const {
  return check::text_of(*events_, graph_.persist(persist));
}

}  // namespace ew::cli
