#include "simt/launch_ledger.hpp"

#include <algorithm>

namespace ew::simt {

void LaunchLedger::open(GridRun& run, Cycle now) {
  run.account = accounts_.open();
  latencies_[run.account];  // opened before the first is counted
  charge_idle_slots(now, nullptr);
}

void LaunchLedger::close(const GridRun& run, Cycle end) {
  charge_idle_slots(end, &run);
  ended_.push_back(take(run, end));
}

EndedLaunch LaunchLedger::take(const GridRun& run, Cycle now) const {
  EndedLaunch launch{.id = run.grid->id, .account = run.account};
  for (RunningSm& sm : sms_) launch.statistics.add(sm.sm().take(run.account, now));
  launch.statistics.cycles = now - run.begun;
  launch.latencies = latencies_.take(run.account);
  return launch;
}

EndedLaunch LaunchLedger::take_ended(LaunchId id) {
  const auto found = std::find_if(ended_.begin(), ended_.end(), [&](const auto& one) { return one.id == id; });
  if (found == ended_.end()) return {};
  const EndedLaunch result = *found;
  ended_.erase(found);
  accounts_.close(result.account);
  return result;
}

/// Idle slots are the only launch's, or nobody's.
void LaunchLedger::charge_idle_slots(Cycle until, const GridRun* ended) const {
  const core::Account alone = runs_.account_alone(ended);
  for (RunningSm& sm : sms_) sm.sm().account().charge_idle_slots(until, alone);
}

}  // namespace ew::simt
