#include "simt/launch_ledger.hpp"

#include <algorithm>
#include <utility>

namespace ew::simt {

void LaunchLedger::open(GridRun& run, Cycle now) {
  run.account = accounts_.open();
  latencies_.open(run.account);
  charge_idle_slots(now);
  alone_ = runs_.account_alone(nullptr);
}

void LaunchLedger::close(const GridRun& run, Cycle end) {
  ended_.push_back(take(run, end));
  alone_ = runs_.account_alone(&run);
}

EndedLaunch LaunchLedger::take(const GridRun& run, Cycle now) {
  EndedLaunch launch{.id = run.id, .account = run.account};
  for (const u32 sm : run.sms) launch.statistics.add(sms_[sm].take(run.account, now));
  launch.statistics.slots.idle += take_idle_slots(run.account, now);
  launch.statistics.cycles = now - run.begun;
  launch.latencies = latencies_.take(run.account, launch.statistics.latency_count);
  return launch;
}

TimingStatistics LaunchLedger::take(core::Account account, Cycle now) {
  TimingStatistics sum;
  for (RunningSm& sm : sms_) sum.add(sm.sm().take(account, now));
  sum.slots.idle += take_idle_slots(account, now);
  return sum;
}

EndedLaunch LaunchLedger::take_ended(LaunchId id) {
  const auto found = std::find_if(ended_.begin(), ended_.end(), [&](const auto& one) { return one.id == id; });
  if (found == ended_.end()) return {};
  EndedLaunch result = std::move(*found);
  ended_.erase(found);
  accounts_.close(result.account);
  return result;
}

u64 LaunchLedger::take_idle_slots(core::Account account, Cycle now) {
  charge_idle_slots(now);
  return account < idle_slots_.size() ? std::exchange(idle_slots_[account], 0) : 0;
}

void LaunchLedger::charge_idle_slots(Cycle until) {
  const u64 all = sms_.idle_slots(until);
  if (alone_ >= idle_slots_.size()) idle_slots_.resize(alone_ + std::size_t{1});
  idle_slots_[alone_] += all - std::exchange(charged_idle_slots_, all);
}

}  // namespace ew::simt
