// `ew crash --states model`: records one run, recovers crash states that a persistency model allows of it, and explains
// failures: which order is missing, and why.
//
// The campaign lets several threads try the states, and counts. recorded_program.hpp has the run and its states,
// state_worker.hpp the recoveries of one thread. failure_explainer.hpp finds out why a state fails.
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
  u64 budget = 1000;       // about this many states
  std::string state;       // only this state; empty: as many as the budget says
  std::size_t cold = 100;  // this many states are also recovered by a new process
  bool warm = true;        // the other recoveries are forks
  unsigned jobs = 2;
  bool chosen = false;  // the user has named the model
};

struct ModelReport {
  u64 events = 0, persists = 0;
  std::string coverage;
  u64 tried = 0, distinct = 0, passed = 0, failed = 0;
  u64 nested = 0, nested_distinct = 0;  // states in which recoveries were crashed; different images that these left
  u64 nested_failed = 0;                // counted in `failed`: only the crash of a recovery was not recovered
  u64 cold = 0, unlike = 0;             // states that a new process recovered too; those that ended differently there
  double record_seconds = 0, build_seconds = 0, seconds = 0;
  bool warm = false;
  std::vector<ModelFailure> failures;
  std::string messages;    // of Everwarp, in the output of the recorded run: a kernel that failed
  std::string suggestion;  // states fail, and the program may be written for another model; empty: nothing says so
};

/// The verdict on one state. Among states with equal images one is recovered.
struct StateVerdict {
  std::string state;
  u64 digest = 0;  // of its image
  u64 nested = 0;  // the number of states in which its recovery was crashed
  bool failed = false;
  process::Outcome outcome;                // for a failure
  std::string nested_state, nested_place;  // the state in which the recovery was crashed, and its place in the program
};
struct TriedStates {
  std::vector<StateVerdict> verdicts;  // in the order of the states
  std::set<u64> nested_images;         // digests of the images that crashed recoveries have left
  bool warm = false;
};

class ModelCampaign {
 public:
  /// Records the run. Throws core::UserError when that, or the recovery after it, fails.
  ModelCampaign(const CrashPlan&, const ModelPlan&);

  using Progress = std::function<void(u64 finished, u64 failed, u64 total)>;
  ModelReport run(const Progress&);

  // The same in parts, which several processes may share.
  /// The states that are to be tried.
  std::vector<std::string> states() const;
  TriedStates try_states(const std::vector<std::string>&, const Progress&);
  /// The report on all states, after other processes have tried their parts: counts, recovers some states by new
  /// processes, and explains failures.
  ModelReport report(const std::vector<std::string>& states, const TriedStates&, double seconds);
  /// Some pools lie outside of the trials' folders. Then only one trial runs at a time.
  bool shares_pools() const { return program_.shares_pools(); }

 private:
  FailedState failure_of(const StateVerdict&) const;
  void try_cold(const std::vector<std::string>&, const std::vector<FailedState>&, ModelReport&);
  /// The number of threads that may recover states at the same time.
  unsigned jobs() const { return program_.shares_pools() ? 1 : model_.jobs; }

  const ModelPlan& model_;
  const RecordedProgram program_;
  ImageVerdicts nested_;  // of the images that crashed recoveries have left
};

}  // namespace ew::check
