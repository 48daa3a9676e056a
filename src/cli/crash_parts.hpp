// A crash campaign in parts, whose results stand in a folder: so that one that was ended goes on, and tasks of Slurm
// share one. A part is some of the campaign's trials; the trials of a part are tried by threads of one process, as
// those of a whole campaign are, since they share a recorded run.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "check/crash/model_campaign.hpp"
#include "check/crash/timed_campaign.hpp"
#include "check/crash/trials.hpp"
#include "cli/batch_settings.hpp"
#include "cli/machine_run.hpp"

namespace ew::cli {

class CrashParts {
 public:
  /// `kind`: what else than program, recovery and machine decides the result of a trial. `jobs`: trials at once;
  /// `apart`: two parts may be tried at the same time, as pools lie in the folders of the trials.
  CrashParts(const BatchSettings&, const check::CrashPlan&, const RunSettings&, const std::string& kind, unsigned jobs,
             bool apart);

  // Each tries what is missing, and returns all.
  std::vector<check::Trial> trials(
      const std::vector<unsigned long long>& points,
      const std::function<std::vector<check::Trial>(const std::vector<unsigned long long>&)>& make);
  /// Adds to `nested` the images that crashed recoveries have left.
  std::vector<check::TimedTrial> trials(const std::vector<check::CrashMoment>&, const std::vector<bool>& kills,
                                        check::TimedCampaign&, std::set<u64>& nested);
  check::TriedStates states(const std::vector<std::string>&, check::ModelCampaign&);

  /// This process is a task of an array: its part of the work is done, and nothing is to be reported.
  bool is_slice() const { return slice_; }
  /// Every part has a result.
  bool complete() const { return missing_ == 0; }

 private:
  using Json = nlohmann::ordered_json;
  /// `make` of each part that is missing, from `begin` to before `end`; the results in order.
  std::vector<Json> carry_out(const std::vector<std::string>& trials, std::size_t size,
                              const std::function<Json(std::size_t begin, std::size_t end)>& make);

  process::Batch batch_;
  std::string name_, key_;  // of the program; of what all parts have in common
  bool slice_;
  unsigned jobs_;
  std::size_t missing_ = 0;
};

}  // namespace ew::cli
