#include "check/crash/failure_explainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <tuple>

#include "check/blame.hpp"
#include "check/crash/recorded_recovery.hpp"

namespace ew::check {

namespace {

/// The last persist that is durable, and the first one that is not. Failures that agree in both places are of one kind.
struct Ends {
  u32 last_present = no_persist, first_absent = no_persist;
  explicit Ends(const PersistSet& set) {
    for (u32 p = 0; p < set.size(); ++p) {
      if (set.has(p)) last_present = p;
      if (!set.has(p) && first_absent == no_persist) first_absent = p;
    }
  }
};

/// For a failure whose reported state is not the one that was tried: how the recovery of the reported state ended.
void tell_outcome(const process::Outcome& outcome, ModelFailure& failure) {
  failure.status = outcome.status;
  failure.output =
      outcome.output + (outcome.status == 1 ? "" : fmt::format("[the recovery {}]\n", process::how_it_ended(outcome)));
}

/// The advice without the numbers that tell one store of a line from another. Failures that then agree are told once.
/// A store of the host has no line: its address stays.
std::string without_instances(const ModelFailure& failure) {
  static const std::regex numbers("((thread|block|launch|call) )[0-9]+"), addresses("[+]0x[0-9a-f]+");
  const std::string text = std::regex_replace(failure.advice, numbers, "$1");
  return failure.not_durable_at == "the host" ? text : std::regex_replace(text, addresses, "");
}

}  // namespace

std::string FailureExplainer::place_of(u32 persist) const {
  if (persist == no_persist) return "none";
  const Persist& p = program_.graph().persist(persist);
  return program_.events().place(p.launch, p.pc);
}

std::vector<ModelFailure> FailureExplainer::explain_all(const std::vector<FailedState>& failures) {
  constexpr std::size_t most_explained = 24, most_told = 8;
  std::map<std::string, std::vector<const FailedState*>> places;
  std::vector<std::string> order;
  for (const FailedState& failure : failures) {
    const Ends ends(failure.set);
    const std::string place = !failure.nested.empty()    ? "crashed recovery, " + failure.nested_place
                              : failure.state == no_pool ? failure.state
                                                         : place_of(ends.last_present) + place_of(ends.first_absent);
    if (places[place].empty()) order.push_back(place);
    places[place].push_back(&failure);
  }
  std::vector<ModelFailure> explained;
  std::map<std::string, std::size_t> told;
  for (std::size_t i = 0; i < order.size() && i < most_explained; ++i) {
    const auto& alike = places[order[i]];
    ModelFailure failure = explain(*alike.front());
    failure.alike = alike.size();
    const bool early = failure.kind == FailureClass::early_acknowledgement;
    const std::string key =
        fmt::format("{} {} {} {}", name_of(failure.kind), failure.nested.empty(),
                    early ? failure.not_durable_at : failure.durable_at, early ? "" : without_instances(failure));
    const auto [found, fresh] = told.try_emplace(key, explained.size());
    if (!fresh)
      explained[found->second].alike += failure.alike;
    else if (explained.size() < most_told)
      explained.push_back(std::move(failure));
    else
      told.erase(found);
  }
  return explained;
}

ModelFailure FailureExplainer::explain(const FailedState& failed) {
  ModelFailure failure;
  failure.state = failed.state;
  tell_outcome(failed.outcome, failure);
  failure.kind = FailureClass::recovery_bug;
  failure.nested = failed.nested;
  if (!failed.nested.empty()) {
    explain_crashed_recovery(failed, failure);
  } else if (failed.state == no_pool) {
    failure.happened = "the crash came before the program had made its pool, and the recovery fails without one";
    failure.advice = "let the recovery succeed where there is no pool yet (gpm_size() is 0)";
  } else {
    explain_crashed_run(failed, failure);
    if (failure.state != failed.state) {
      const process::Outcome outcome = worker_.judge(program_.named(failure.state, worker_.reach()));
      if (outcome.status == 0)
        failure.state = failed.state;  // more counts as acknowledged there than what made this state fail
      else
        tell_outcome(outcome, failure);
    }
  }
  return failure;
}

/// Finds the persists, or the acknowledgement, that are to blame for the failure of `failed`. `least`: the progress
/// that recoveries are told where the run has acknowledged nothing. `fails` judges a set of persists with a progress.
/// `nothing`: what happened, and what to do, when it fails where nothing of the run is durable.
void FailureExplainer::explain_set(const ExplainedRun& run, const PersistSet& failed, u64 least,
                                   const AcknowledgedProgress& acknowledgements, const FailsWhenTold& fails_when_told,
                                   const std::pair<std::string, std::string>& nothing, ModelFailure& failure) {
  const u32 size = run.graph.size();
  u64 told = least;
  const Fails fails_then = [&](const PersistSet& set) { return fails_when_told(set, told); };
  // A recovery may find that the run has come further than what it is told. So later acknowledgements count where the
  // run had made them by the last persist that is there.
  const Fails fails = [&](const PersistSet& set) {
    const u32 last = Ends(set).last_present;
    u64 made = 0;
    for (std::size_t i = 0; i < acknowledgements.size(); ++i)
      if (last != no_persist && acknowledgements.issued(i) <= last + 1) made = acknowledgements.progress(i);
    return fails_when_told(set, std::max(told, std::min(made, acknowledgements.of(set))));
  };
  if (fails_then(failed)) {
    const Fails& fails = fails_then;
    if (!fails(PersistSet(size)))
      return explain_blame(run, find_blame(run.events, run.graph, failed, 0, fails), fails, failure);
    std::tie(failure.happened, failure.advice) = nothing;
    return;
  }
  // Without an acknowledgement the state is recovered. Finds the first acknowledgement with which it is not.
  u32 issued = 0;
  const u64 most = acknowledgements.of(failed);
  for (std::size_t i = 0; i < acknowledgements.size() && acknowledgements.progress(i) <= most; ++i) {
    told = std::max(least, acknowledgements.progress(i)), issued = acknowledgements.issued(i);
    if (fails_then(failed)) break;
  }
  failure.acknowledged = told;
  const PersistSet with_all_before = failed.filled_to(issued);
  if (!fails(with_all_before)) {  // the state lacks a persist that had been issued before the acknowledgement
    u32 broken = 0, mended = issued;
    while (mended - broken > 1) {
      const u32 middle = broken + (mended - broken) / 2;
      (fails(failed.filled_to(middle)) ? broken : mended) = middle;
    }
    return explain_early_acknowledgement(run, mended - 1, false, failure);
  }
  if (fails(PersistSet(size).filled_to(issued))) {  // the run itself fails at the moment of the acknowledgement
    auto mended = first_mended(run.graph, issued, fails_then);
    if (!mended) mended = first_mended(run.graph, issued, fails);
    if (mended) return explain_early_acknowledgement(run, *mended - 1, true, failure);
    failure.happened = fmt::format("the recovery misses what gpm_acknowledge({}) has told, whatever is durable", told);
    failure.advice = "no fence helps: the recovery gives up what is there, or looks for it in the wrong place";
    return;
  }
  explain_blame(run, find_blame(run.events, run.graph, with_all_before, issued, fails), fails, failure);
}

void FailureExplainer::explain_crashed_run(const FailedState& failed, ModelFailure& failure) {
  const ExplainedRun run{program_.events(), program_.graph(), program_.axioms(), false};
  const FailsWhenTold fails = [&](const PersistSet& set, u64 told) {
    worker_.build(set);
    worker_.tell_acknowledged(told);
    return verdicts_.of(worker_.digest(), [&] { return worker_.recover(); }).status != 0;
  };
  explain_set(run, failed.set, 0, program_.acknowledgements(), fails,
              {"the recovery fails where nothing has become durable yet",
               "let the recovery succeed on a pool that is still empty (all bytes zero)"},
              failure);
}

/// Records the recovery once more, and finds those of its own persists that are to blame.
void FailureExplainer::explain_crashed_recovery(const FailedState& failed, ModelFailure& failure) {
  const bool nothing = failed.state == no_pool;
  if (!nothing) worker_.build(failed.set);
  const RecordedRecovery recovery(worker_.recovery(), nothing ? PoolFiles{} : worker_.pool_files(),
                                  nothing ? 0 : worker_.acknowledged(), program_.axioms());
  if (!recovery.ran()) return;
  CrashStates states(recovery.graph(), program_.plan().nested_points, recovery_seed(program_.plan(), failed.state));
  Reach reach(recovery.graph());
  const PersistSet set = states.named(failed.nested, reach);
  const ExplainedRun run{recovery.events(), recovery.graph(), program_.axioms(), true};
  const FailsWhenTold fails = [&](const PersistSet& of, u64 told) { return recovery.crashed(of, told).status != 0; };
  explain_set(run, set, recovery.told(), recovery.acknowledgements(), fails,
              {"a recovery that had changed nothing yet when it was crashed cannot be followed by another",
               "let the recovery succeed on what it has found itself"},
              failure);
  if (failure.nested == failed.nested) return;
  const PersistSet told = states.named(failure.nested, reach);
  const process::Outcome outcome = recovery.crashed(told);
  if (outcome.status == 0) {
    failure.nested = failed.nested;
    return;
  }
  tell_outcome(outcome, failure);
  failure.output += recovery.text_of_crash(told);
}

}  // namespace ew::check
