// What `ew crash` says of a campaign, as text or as JSON: a line a trial or a count, and the first failures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/crash/drive_campaign.hpp"
#include "check/crash/model_campaign.hpp"
#include "check/crash/timed_campaign.hpp"
#include "check/crash/trials.hpp"

namespace ew::cli {

/// The command that brings a failure back.
template <class Failure>
using Again = std::function<std::string(const Failure&)>;

/// Of a campaign on a timing machine.
struct TimedReport {
  u64 last_cycle = 0, last_write = 0;
  std::vector<check::TimedTrial> trials;
  u64 distinct = 0, nested_distinct = 0;  // different states, and those that crashes of recoveries have left
  double seconds = 0;
};

// Each returns whether all was recovered.

/// Of a program that runs `total` warp instructions.
bool print_report(const std::vector<check::Trial>&, const check::CrashPlan&, u64 total, bool json,
                  const Again<check::Trial>&);
bool print_report(const TimedReport&, bool json, const Again<check::TimedTrial>&);
bool print_report(const check::ModelReport&, bool json, const Again<check::ModelFailure>&);
bool print_report(const check::DriveReport&, bool json, const Again<check::DriveFailure>&);

}  // namespace ew::cli
