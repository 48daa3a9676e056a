// `ew crash --at cycle|ns|persist|random` on a timing machine: one run logs what became durable and when, the image of
// any moment is rebuilt from the log and recovered; some moments are real: the process is killed there, its pool file
// must be the rebuilt one, byte for byte, and a process started anew recovers it.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "check/crash/image_verdicts.hpp"
#include "check/crash/plan.hpp"
#include "check/crash/recorded_run.hpp"

namespace ew::check {

struct TimedTrial {
  CrashMoment moment;
  u64 writes = 0;         // records of the log that are in the image
  std::size_t pools = 0;  // of the run that are
  u64 acknowledged = 0;   // what the program had told to be durable
  int status = 0;
  std::string output;   // of a failed recovery
  bool killed = false;  // for real, too
  u64 nested = 0;       // moments at which its recovery was crashed
  u64 nested_at = 0;    // of them, the durable write behind which that could not be recovered; 0: none
  std::string unlike;   // what the real crash did differently
  bool passed() const { return status == 0 && unlike.empty(); }
};

/// Which of so many moments are real as well: `kills` of them, spread over all.
std::vector<bool> spread_kills(std::size_t moments, std::size_t kills);
/// Of a whole campaign, whose parts were tried apart: a state that an earlier trial had is not counted again. Returns
/// the number of different states.
u64 count_once(std::vector<TimedTrial>&);

class TimedCampaign {
 public:
  /// Runs the program once to its end. Throws core::UserError when that, or the recovery after it, fails.
  explicit TimedCampaign(const CrashPlan&);

  u64 last_cycle() const { return run_->last_cycle(); }
  u64 last_write() const { return run_->last_write(); }
  /// So many moments of the run, most of them cycles: the same for the same seed.
  std::vector<CrashMoment> random_moments(std::size_t count, u64 seed) const;
  using Progress = std::function<void(u64 finished, u64 failed, u64 total)>;
  /// `kills`: which of them are real as well. In the order of the moments.
  std::vector<TimedTrial> run(const std::vector<CrashMoment>&, const std::vector<bool>& kills, unsigned jobs,
                              const Progress&);
  /// Digests of the states that crashes of recoveries have left.
  std::set<u64> nested_images() const { return nested_.images(); }
  /// Pools lie outside of the trials' folders: one trial at a time.
  bool shares_pools() const { return run_->shares_pools(); }

 private:
  class Worker;

  const CrashPlan& plan_;
  std::unique_ptr<RecordedRun> run_;
  ImageVerdicts nested_;
};

}  // namespace ew::check
