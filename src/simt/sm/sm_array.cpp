#include "simt/sm/sm_array.hpp"

#include <algorithm>

namespace ew::simt {

SmArray::SmArray(const SmSetup& setup, const SmNeighbours& neighbours, const core::TimeWheel& wheel,
                 std::vector<Sm>& sms, IssuingSm& issuing)
    : agenda_(static_cast<u32>(sms.size())),
      idle_slots_(static_cast<u32>(sms.size()), setup.config.schedulers),
      issuing_(issuing),
      atomics_observer_(neighbours.trace, wheel, neighbours.recorder),
      observes_homes_(core::observation && (neighbours.trace || neighbours.recorder)) {
  for (Sm& sm : sms) sms_.emplace_back(setup, neighbours, sm, core::Agenda::Line(agenda_, sm.index));
}

void RunningSm::run(Cycle end) {
  core::TimeWheel& wheel = partition_.wheel;
  core::Inbox& inbox = partition_.inbox;
  for (;;) {
    const Cycle event = std::min(inbox.next(), wheel.next()), next = std::min(sm_.due(), event);
    if (next >= end) {
      partition_.due.set(next);
      return;
    }
    if (next > wheel.now()) wheel.advance(next);
    const Cycle now = wheel.now();
    if (event <= now) {
      inbox.run_due(now);
      wheel.run_due();
    }
    if (sm_.due() <= now) sm_.step(now);
  }
}

void SmArray::run(Cycle end) {
  expect(0, end, 0);
  expect(1, end, 0);
  expect(0, end, 1);
  agenda_.each_before(end, [&](u32 i) {
    expect(i + 2, end, 0);
    expect(i + 1, end, 1);
    sms_[i].expect(end, 2);
    issuing_.set(sms_[i].sm());
    sms_[i].run(end);
    idle_slots_.has_changed(i);
  });
}

void SmArray::stand_at(Cycle now) {
  for (RunningSm& sm : sms_) sm.stand_at(now);
}

void SmArray::forget(const GridRun& run, Cycle now) {
  stand_at(now);
  for (RunningSm& sm : sms_) sm.sm().forget(run, now);
  idle_slots_.all_have_changed();
}

TimingStatistics SmArray::statistics(Cycle until) {
  TimingStatistics sum;
  for (RunningSm& sm : sms_) sum.add(sm.sm().account().statistics(until));
  sum.cycles = until;
  return sum;
}

u64 SmArray::digest() {
  u64 all = 0;
  for (RunningSm& sm : sms_) all = (all ^ sm.sm().issue().digest()) * 0x9e3779b97f4a7c15;
  return all;
}

}  // namespace ew::simt
