// `ew crash --states model` for a program whose data are on NVMe drives: records one run in functional mode, and
// recovers the states that a crash may leave the drives in (check/drive_states.hpp).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "check/crash/image_verdicts.hpp"
#include "check/crash/plan.hpp"
#include "check/drive_states.hpp"
#include "storage/storage_config.hpp"

namespace ew::check {

struct DriveFailure {
  std::string state, moment, reached, not_reached;
  u64 acknowledged = 0;
  process::Outcome outcome;
  std::string nested;  // the state in which the recovery was crashed; empty: it was not
};
struct DriveReport {
  u64 commands = 0, states = 0, distinct = 0, failed = 0;
  u64 nested = 0;  // crashes of recoveries
  bool exhaustive = false;
  std::vector<DriveFailure> failures;  // the first few
};

class DriveCampaign {
 public:
  /// Records the run. Throws core::UserError when that, or the recovery after it, fails.
  DriveCampaign(const CrashPlan&, const storage::StorageConfig&, u64 budget);

  using Progress = std::function<void(u64 finished, u64 failed, u64 total)>;
  /// `state`: only this one; empty: all of the budget. `jobs`: threads.
  DriveReport run(const std::string& state, unsigned jobs, const Progress&);

 private:
  struct Verdict {
    process::Outcome outcome;
    std::string nested;
    u64 crashes = 0;
  };
  std::filesystem::path image_in(const std::filesystem::path& folder, u32 drive) const;
  DriveImages images_in(const std::filesystem::path& folder) const;
  void put_images(const DriveImages&, const std::filesystem::path& folder) const;
  process::Outcome recover(const DriveImages&, u64 acknowledged, const std::string& log) const;
  Verdict judge(const DriveImages&, u64 acknowledged) const;

  static constexpr u64 most_failures = 5, most_image_bytes = 64 << 20;

  const CrashPlan& plan_;
  const storage::StorageConfig& config_;
  std::vector<DriveFacts> facts_;
  std::unique_ptr<DriveStates> states_;
};

}  // namespace ew::check
