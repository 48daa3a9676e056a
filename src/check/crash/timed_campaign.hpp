// `ew crash --at cycle|ns|persist|random` on a timing machine: one run logs what became durable and when, the image of
// any moment is rebuilt from the log and recovered; some moments are real: the process is killed there, its pool file
// must be the rebuilt one, byte for byte, and a process started anew recovers it.
#pragma once

#include <functional>
#include <memory>
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

class TimedCampaign {
 public:
  /// Runs the program once to its end. Throws core::UserError when that, or the recovery after it, fails.
  explicit TimedCampaign(const CrashPlan&);

  u64 last_cycle() const { return run_->last_cycle(); }
  u64 last_write() const { return run_->last_write(); }
  /// So many moments of the run, most of them cycles: the same for the same seed.
  std::vector<CrashMoment> random_moments(std::size_t count, u64 seed) const;
  using Progress = std::function<void(u64 finished, u64 failed, u64 total)>;
  /// `kills`: how many of them are real as well. In the order of the moments.
  std::vector<TimedTrial> run(const std::vector<CrashMoment>&, std::size_t kills, unsigned jobs, const Progress&);
  u64 distinct() const { return distinct_; }
  /// Different states that crashes of recoveries have left.
  u64 nested_distinct() const { return nested_.size(); }

 private:
  class Worker;

  const CrashPlan& plan_;
  std::unique_ptr<RecordedRun> run_;
  ImageVerdicts nested_;
  u64 distinct_ = 0;
};

}  // namespace ew::check
