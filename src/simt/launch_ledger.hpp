// What each launch on a timing machine is counted for: its account while it runs, and its figures once it has ended,
// until they are taken. Owned by TimingGpu.
#pragma once

#include <vector>

#include "simt/sm/sm_array.hpp"
#include "simt/timing_gpu.hpp"

namespace ew::simt {

class LaunchLedger {
 public:
  LaunchLedger(const GridRuns& runs, SmArray& sms, LatencyAccounts& latencies)
      : runs_(runs), sms_(sms), latencies_(latencies) {}

  /// Gives the launch, which begins, its account.
  void open(GridRun&, Cycle now);
  /// The launch ends in the cycle before `end`.
  void close(const GridRun&, Cycle end);
  /// What was counted for a launch that runs, up to now.
  EndedLaunch take(const GridRun&, Cycle now);
  /// Of an account that is no running launch's.
  TimingStatistics take(core::Account, Cycle now);
  /// Of one that has ended; its account may be another launch's then. Empty when it has been taken.
  EndedLaunch take_ended(LaunchId);

 private:
  void charge_idle_slots(Cycle until);
  u64 take_idle_slots(core::Account, Cycle now);

  const GridRuns& runs_;
  SmArray& sms_;
  LatencyAccounts& latencies_;
  LaunchAccounts accounts_;
  // Idle slots are the only launch's, or nobody's.
  core::Account alone_ = core::nobody;
  u64 charged_idle_slots_ = 0;   // of all SMs
  std::vector<u64> idle_slots_;  // by account
  std::vector<EndedLaunch> ended_;
};

}  // namespace ew::simt
