#include "simt/sm/sm_array.hpp"

#include <algorithm>

namespace ew::simt {

SmArray::SmArray(const SmSetup& setup, const SmNeighbours& neighbours, const core::TimeWheel& wheel,
                 std::vector<Sm>& sms, IssuingSm& issuing)
    : due_(sms.size(), core::never),
      issuing_(issuing),
      atomics_observer_(neighbours.trace, wheel, neighbours.recorder),
      observes_homes_(core::observation && (neighbours.trace || neighbours.recorder)) {
  for (Sm& sm : sms) sms_.emplace_back(setup, neighbours, sm, due_[sm.index]);
}

void RunningSm::run(Cycle end) {
  core::TimeWheel& wheel = partition_.wheel;
  core::Inbox& inbox = partition_.inbox;
  for (;;) {
    const Cycle now = std::min({sm_.due(), inbox.next(), wheel.next()});
    if (now >= end) {
      partition_.due = now;
      return;
    }
    if (now > wheel.now()) wheel.advance(now);
    inbox.run_due(wheel.now());
    wheel.run_due();
    if (sm_.due() <= wheel.now()) sm_.step(wheel.now());
  }
}

void SmArray::run(Cycle end) {
  for (u32 i = 0; i < sms_.size(); ++i) {
    if (due_[i] >= end) continue;
    issuing_.set(sms_[i].sm());
    sms_[i].run(end);
  }
}

Cycle SmArray::next() const {
  return *std::min_element(due_.begin(), due_.end());
}

void SmArray::stand_at(Cycle now) {
  for (RunningSm& sm : sms_) sm.stand_at(now);
}

TimingStatistics SmArray::statistics(Cycle until) {
  TimingStatistics sum;
  for (RunningSm& sm : sms_) sum.add(sm.sm().account().statistics(until));
  sum.cycles = until;
  return sum;
}

u64 SmArray::digest() {
  u64 all = 0;
  for (RunningSm& sm : sms_) all = (all ^ sm.sm().digest()) * 0x9e3779b97f4a7c15;
  return all;
}

}  // namespace ew::simt
