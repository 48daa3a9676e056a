// Chooses which failures of `ew crash --states model` are reported, and finds the persists of the run that are to blame
// for each. To find them, it recovers further states of the run, one after the other. Refers to the recorded program,
// which outlives it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "check/crash/image_verdicts.hpp"
#include "check/crash/model_failure.hpp"
#include "check/crash/recorded_program.hpp"
#include "check/crash/state_worker.hpp"

namespace ew::check {

class FailureExplainer {
 public:
  /// `warm`: as Recovery takes it.
  FailureExplainer(const RecordedProgram& program, bool warm) : program_(program), worker_(program, warm) {}

  /// Explains one failure for each pair of places: the place of the last durable persist, and the place of the first
  /// one that is not durable. Only a few are explained.
  std::vector<ModelFailure> explain_all(const std::vector<FailedState>&);

 private:
  using FailsWhenTold = std::function<bool(const PersistSet&, u64 acknowledged)>;
  ModelFailure explain(const FailedState&);
  void explain_set(const ExplainedRun&, const PersistSet& failed, u64 least, const AcknowledgedProgress&,
                   const FailsWhenTold&, const std::pair<std::string, std::string>& nothing, ModelFailure&);
  void explain_crashed_run(const FailedState&, ModelFailure&);
  void explain_crashed_recovery(const FailedState&, ModelFailure&);
  std::string place_of(u32 persist) const;

  const RecordedProgram& program_;
  StateWorker worker_;
  ImageVerdicts verdicts_;
};

}  // namespace ew::check
