// `ew crash --states model`: one recorded run, the crash states that a persistency model allows of it, a recovery of
// each, and of failures which order is missing and why.
//
// The campaign chooses the states, has them tried by several threads and counts. What the run was and which states
// there are says recorded_program.hpp; one thread's recoveries are made by state_worker.hpp; why a state fails is found
// by failure_explainer.hpp.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "check/crash/image_verdicts.hpp"
#include "check/crash/model_failure.hpp"
#include "check/crash/recorded_program.hpp"
#include "check/crash/state_worker.hpp"

namespace ew::check {

struct ModelPlan {
  const PersistAxioms* axioms = &persistency::sbrp_axioms;
  u64 budget = 1000;       // states, about
  std::string state;       // only this one; empty: as many as the budget says
  std::size_t cold = 100;  // states that a process started anew recovers too
  bool warm = true;        // forks for the others
  unsigned jobs = 2;
};

struct ModelReport {
  u64 events = 0, persists = 0;
  std::string coverage;
  u64 tried = 0, distinct = 0, passed = 0, failed = 0;
  u64 nested = 0, nested_distinct = 0;  // states in which recoveries were crashed; different images that left
  u64 nested_failed = 0;                // of `failed`: recovered, but not when the recovery was crashed
  u64 cold = 0, unlike = 0;             // recovered by a process started anew as well; those that ended differently
  double record_seconds = 0, build_seconds = 0, seconds = 0;
  bool warm = false;
  std::vector<ModelFailure> failures;
};

/// What became of one state. Of states with equal images one is recovered.
struct StateVerdict {
  std::string state;
  u64 digest = 0;  // of its image
  u64 nested = 0;  // states in which its recovery was crashed
  bool failed = false;
  process::Outcome outcome;                // of a failure
  std::string nested_state, nested_place;  // the state in which the recovery was crashed, and where that ends
};
struct TriedStates {
  std::vector<StateVerdict> verdicts;  // in the order of the states
  std::set<u64> nested_images;         // what crashed recoveries have left
  bool warm = false;
};

class ModelCampaign {
 public:
  /// Records the run. Throws core::UserError when that, or the recovery after it, fails.
  ModelCampaign(const CrashPlan&, const ModelPlan&);

  using Progress = std::function<void(u64 finished, u64 failed, u64 total)>;
  ModelReport run(const Progress&);

  // The same in parts.
  /// Those that are to be tried.
  std::vector<std::string> states() const;
  TriedStates try_states(const std::vector<std::string>&, const Progress&);
  /// Of all states, whoever has tried them: counts, recovers some anew, and explains failures.
  ModelReport report(const std::vector<std::string>& states, const TriedStates&, double seconds);
  /// Pools lie outside of the trials' folders: one trial at a time.
  bool shares_pools() const { return program_.shares_pools(); }

 private:
  FailedState failure_of(const StateVerdict&) const;
  void try_cold(const std::vector<std::string>&, const std::vector<FailedState>&, ModelReport&);
  /// Threads that may recover states at the same time.
  unsigned jobs() const { return program_.shares_pools() ? 1 : model_.jobs; }

  const ModelPlan& model_;
  const RecordedProgram program_;
  ImageVerdicts nested_;  // of what crashed recoveries have left
};

}  // namespace ew::check
