#include "simt/launch_ledger.hpp"

#include <algorithm>
#include <utility>

namespace ew::simt {

void LaunchLedger::open(GridRun& run, Cycle now) {
  run.account = accounts_.open();
  latencies_[run.account];  // opened before the first is counted
  charge_idle_slots(now);
  alone_ = runs_.account_alone(nullptr);
}

void LaunchLedger::close(const GridRun& run, Cycle end) {
  ended_.push_back(take(run, end));
  alone_ = runs_.account_alone(&run);
}

EndedLaunch LaunchLedger::take(const GridRun& run, Cycle now) {
  EndedLaunch launch{.id = run.grid->id, .account = run.account, .statistics = take(run.account, now)};
  launch.statistics.cycles = now - run.begun;
  launch.latencies = latencies_.take(run.account);
  return launch;
}

TimingStatistics LaunchLedger::take(core::Account account, Cycle now) {
  charge_idle_slots(now);
  TimingStatistics sum;
  for (RunningSm& sm : sms_)  // most have had nothing to do with a small launch
    if (sm.sm().account().counts(account)) sum.add(sm.sm().take(account, now));
  if (account < idle_slots_.size()) sum.slots.idle += std::exchange(idle_slots_[account], 0);
  return sum;
}

EndedLaunch LaunchLedger::take_ended(LaunchId id) {
  const auto found = std::find_if(ended_.begin(), ended_.end(), [&](const auto& one) { return one.id == id; });
  if (found == ended_.end()) return {};
  const EndedLaunch result = *found;
  ended_.erase(found);
  accounts_.close(result.account);
  return result;
}

void LaunchLedger::charge_idle_slots(Cycle until) {
  u64 all = 0;
  for (RunningSm& sm : sms_) all += sm.sm().account().idle_slots(until);
  if (alone_ >= idle_slots_.size()) idle_slots_.resize(alone_ + std::size_t{1});
  idle_slots_[alone_] += all - std::exchange(charged_idle_slots_, all);
}

}  // namespace ew::simt
