// `ew crash --at cycle|ns|persist|random` on a timing machine: one run logs what became durable and when, the image of
// any moment is rebuilt from the log and recovered; some moments are real: the process is killed there, its pool file
// must be the rebuilt one, byte for byte, and a process started anew recovers it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "check/durable_log.hpp"
#include "check/event_file.hpp"
#include "cli/crash_trials.hpp"
#include "runtime/acknowledgements.hpp"

namespace ew::cli {

/// A moment of a run.
struct CrashMoment {
  bool persist = false;  // after this durable write; else when this cycle begins
  u64 number = 0;
  std::string words() const;  // as --at takes them
};

struct TimedTrial {
  CrashMoment moment;
  u64 writes = 0;        // records of the log that are in the image
  u64 acknowledged = 0;  // what the program had told to be durable
  int status = 0;
  std::string output;   // of a failed recovery
  bool killed = false;  // for real, too
  std::string unlike;   // what the real crash did differently
  bool passed() const { return status == 0 && unlike.empty(); }
};

class TimedCampaign {
 public:
  /// Runs the program once to its end. Throws core::UserError when that, or the recovery after it, fails.
  explicit TimedCampaign(const CrashPlan&);

  /// Of the last durable write or, if later, the one behind the last acknowledgement.
  u64 last_cycle() const;
  u64 last_write() const { return log_->last_number(); }
  using Progress = std::function<void(u64 finished, u64 failed, u64 total)>;
  /// `kills`: how many of them are real as well. In the order of the moments.
  std::vector<TimedTrial> run(const std::vector<CrashMoment>&, std::size_t kills, unsigned jobs, const Progress&);
  u64 distinct() const { return distinct_; }

 private:
  class Worker;
  u64 writes_before(const CrashMoment&) const;
  u64 acknowledged_before(const CrashMoment&) const;

  const CrashPlan& plan_;
  std::unique_ptr<check::EventFile> events_;
  std::unique_ptr<check::DurableLog> log_;
  std::vector<runtime::Acknowledgement> acknowledgements_;
  std::vector<std::filesystem::path> pool_paths_;
  bool shares_pools_ = false;
  u64 distinct_ = 0;
};

}  // namespace ew::cli
