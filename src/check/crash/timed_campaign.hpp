// `ew crash --at cycle|ns|persist|random` on a timing machine. One run logs what became durable, and when. The image of
// any moment is rebuilt from this log, and recovered. At some moments a process is really killed. Then its pool file
// must equal the rebuilt image, byte for byte, and a new process recovers it.
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
  u64 writes = 0;         // the number of the log's records in the image
  std::size_t pools = 0;  // the number of pools in the image
  u64 acknowledged = 0;   // the progress that the program had acknowledged
  int status = 0;
  std::string output;   // of a failed recovery
  bool killed = false;  // a process was really killed at this moment
  u64 nested = 0;       // the number of moments at which its recovery was crashed
  u64 nested_at = 0;    // the recovery's durable write behind which a crash was not recovered; 0: there is none
  std::string unlike;   // how the real crash differs
  bool passed() const { return status == 0 && unlike.empty(); }
};

/// Chooses the moments at which a process is really killed: `kills` of `moments`, evenly spread.
std::vector<bool> spread_kills(std::size_t moments, std::size_t kills);
/// For a whole campaign whose parts were tried by several processes: a state that an earlier trial had is not counted
/// again. Returns the number of different states.
u64 count_once(std::vector<TimedTrial>&);

class TimedCampaign {
 public:
  /// Runs the program once to its end. Throws core::UserError when that, or the recovery after it, fails.
  explicit TimedCampaign(const CrashPlan&);

  u64 last_cycle() const { return run_->last_cycle(); }
  u64 last_write() const { return run_->last_write(); }
  /// `count` moments of the run, most of them cycles. The same seed gives the same moments.
  std::vector<CrashMoment> random_moments(std::size_t count, u64 seed) const;
  using Progress = std::function<void(u64 finished, u64 failed, u64 total)>;
  /// `kills` says for each moment whether a process is really killed there. Returns the trials in the order of the
  /// moments.
  std::vector<TimedTrial> run(const std::vector<CrashMoment>&, const std::vector<bool>& kills, unsigned jobs,
                              const Progress&);
  /// The digests of the images that crashes of recoveries have left.
  std::set<u64> nested_images() const { return nested_.images(); }
  /// What the recorded run has left that crashes cannot have.
  const std::string& messages() const { return messages_; }
  /// Some pools lie outside of the trials' folders. Then only one trial runs at a time.
  bool shares_pools() const { return run_->shares_pools(); }

 private:
  class Worker;

  const CrashPlan& plan_;
  std::unique_ptr<RecordedRun> run_;
  ImageVerdicts nested_;
  std::string messages_;
};

}  // namespace ew::check
