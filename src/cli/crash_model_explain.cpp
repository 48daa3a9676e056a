// Which failures of `ew crash --states model` are told, and which persists of the run are to blame for each.
#include <fmt/format.h>

#include <map>

#include "cli/crash_model.hpp"
#include "cli/recorded_recovery.hpp"

namespace ew::cli {

using check::PersistSet;

namespace {

/// Failures of one kind: of what is durable the last, and of what is not the first.
struct Ends {
  u32 last_present = check::no_persist, first_absent = check::no_persist;
  explicit Ends(const PersistSet& set) {
    for (u32 p = 0; p < set.size(); ++p) {
      if (set.has(p)) last_present = p;
      if (!set.has(p) && first_absent == check::no_persist) first_absent = p;
    }
  }
};

}  // namespace

std::string ModelCampaign::place_of(u32 persist) const {
  if (persist == check::no_persist) return "none";
  const check::Persist& p = graph_.persist(persist);
  return events_->place(p.launch, p.pc);
}

/// One failure for each pair of places of the program that they end between, few at most.
void ModelCampaign::explain_all(const std::vector<Failed>& failures, ModelReport& report) {
  if (failures.empty()) return;
  constexpr std::size_t most_explained = 24, most_told = 8;
  std::map<std::string, std::vector<const Failed*>> places;
  std::vector<std::string> order;
  for (const Failed& failure : failures) {
    const Ends ends(failure.set);
    const std::string place = !failure.nested.empty()    ? "crashed recovery, " + failure.nested_place
                              : failure.state == no_pool ? failure.state
                                                         : place_of(ends.last_present) + place_of(ends.first_absent);
    if (places[place].empty()) order.push_back(place);
    places[place].push_back(&failure);
  }
  Worker worker(*this, model_.warm);
  std::map<std::string, std::size_t> told;
  for (std::size_t i = 0; i < order.size() && i < most_explained; ++i) {
    const auto& alike = places[order[i]];
    ModelFailure failure = explain(worker, *alike.front());
    failure.alike = alike.size();
    const bool early = failure.kind == FailureClass::early_acknowledgement;
    const std::string key =
        fmt::format("{} {} {} {}", name_of(failure.kind), failure.nested.empty(),
                    early ? failure.not_durable_at : failure.durable_at, early ? "" : failure.advice);
    const auto [found, fresh] = told.try_emplace(key, report.failures.size());
    if (!fresh)
      report.failures[found->second].alike += failure.alike;
    else if (report.failures.size() < most_told)
      report.failures.push_back(std::move(failure));
    else
      told.erase(found);
  }
}

/// The state that is told is not the one that was tried: what the recovery says of it.
void tell_outcome(const Outcome& outcome, ModelFailure& failure) {
  failure.status = outcome.status;
  failure.output =
      outcome.output + (outcome.status == 1 ? "" : fmt::format("[the recovery {}]\n", how_it_ended(outcome)));
}

ModelFailure ModelCampaign::explain(Worker& worker, const Failed& failed) {
  ModelFailure failure;
  failure.state = failed.state;
  tell_outcome(failed.outcome, failure);
  failure.kind = FailureClass::recovery_bug;
  failure.nested = failed.nested;
  if (!failed.nested.empty()) {
    explain_crashed_recovery(worker, failed, failure);
  } else if (failed.state == no_pool) {
    failure.happened = "the crash came before the program had made its pool, and the recovery fails without one";
    failure.advice = "let the recovery succeed where there is no pool yet (gpm_size() is 0)";
  } else {
    explain_crashed_run(worker, failed, failure);
    if (failure.state != failed.state) tell_outcome(worker.judge(named(failure.state, worker.reach)), failure);
  }
  return failure;
}

void ModelCampaign::explain_crashed_run(Worker& worker, const Failed& failed, ModelFailure& failure) {
  const ExplainedRun run{*events_, graph_, model_.model, false};
  const u32 size = graph_.size();
  u64 told = 0;
  const check::Fails fails = [&](const PersistSet& set) {
    worker.build(set);
    worker.acknowledged = told;
    return explained_.of(worker.digest(), [&] { return worker.recover_image(); }).status != 0;
  };
  if (fails(failed.set)) {
    if (!fails(PersistSet(size)))
      return explain_blame(run, find_blame(*events_, graph_, failed.set, 0, fails), fails, failure);
    failure.happened = "the recovery fails where nothing has become durable yet";
    failure.advice = "let the recovery succeed on a pool that is still empty (all bytes zero)";
    return;
  }
  // As long as nobody has been told anything, it is recovered: the first acknowledgement with which it is not.
  u32 issued = 0;
  const u64 most = acknowledged_->of(failed.set);
  for (std::size_t i = 0; i < acknowledged_->size() && acknowledged_->progress(i) <= most; ++i) {
    told = acknowledged_->progress(i), issued = acknowledged_->issued(i);
    if (fails(failed.set)) break;
  }
  failure.acknowledged = told;
  const PersistSet with_all_before = failed.set.filled_to(issued);
  if (!fails(with_all_before)) {  // it lacks a persist that had been issued when it was acknowledged
    u32 broken = 0, mended = issued;
    while (mended - broken > 1) {
      const u32 middle = broken + (mended - broken) / 2;
      (fails(failed.set.filled_to(middle)) ? broken : mended) = middle;
    }
    return explain_early_acknowledgement(run, mended - 1, false, failure);
  }
  if (fails(PersistSet(size).filled_to(issued))) {  // even the run itself did not hold it then
    if (const auto mended = check::first_mended(size, issued, fails))
      return explain_early_acknowledgement(run, *mended - 1, true, failure);
    failure.happened = fmt::format("the recovery misses what gpm_acknowledge({}) has told, whatever is durable", told);
    failure.advice = "no fence helps: the recovery gives up what is there, or looks for it in the wrong place";
    return;
  }
  explain_blame(run, find_blame(*events_, graph_, with_all_before, issued, fails), fails, failure);
}

/// The recovery once more, with its own persists to blame.
void ModelCampaign::explain_crashed_recovery(Worker& worker, const Failed& failed, ModelFailure& failure) {
  if (failed.state != no_pool) worker.build(failed.set);
  const RecordedRecovery recovery(worker.recovery, failed.state == no_pool ? Image{} : worker.pool_files(),
                                  failed.state == no_pool ? 0 : worker.acknowledged, model_.model);
  if (!recovery.ran()) return;
  const check::Fails fails = [&](const PersistSet& set) { return recovery.crashed(set).status != 0; };
  check::CrashStates states(recovery.graph(), plan_.nested_points, recovery_seed(failed.state));
  check::Reach reach(recovery.graph());
  const PersistSet set = states.named(failed.nested, reach);
  if (fails(PersistSet(set.size()))) {
    failure.happened = "a recovery that had changed nothing yet when it was crashed cannot be followed by another";
    failure.advice = "let the recovery succeed on what it has found itself";
    return;
  }
  const ExplainedRun run{recovery.events(), recovery.graph(), model_.model, true};
  explain_blame(run, find_blame(run.events, run.graph, set, 0, fails), fails, failure);
  if (failure.nested == failed.nested) return;
  const PersistSet told = states.named(failure.nested, reach);
  tell_outcome(recovery.crashed(told), failure);
  failure.output += recovery.text_of_crash(told);
}

}  // namespace ew::cli
