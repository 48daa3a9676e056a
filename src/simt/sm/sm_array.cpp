#include "simt/sm/sm_array.hpp"

#include <algorithm>
#include <bit>

namespace ew::simt {

SmArray::SmArray(const SmSetup& setup, const SmNeighbours& neighbours, std::vector<Sm>& sms, IssuingSm& issuing)
    : active_((sms.size() + 63) / 64),
      issuing_(issuing),
      atomics_observer_(neighbours.trace, neighbours.wheel, neighbours.recorder),
      observes_homes_(core::observation && (neighbours.trace || neighbours.recorder)) {
  for (Sm& sm : sms) sms_.push_back(std::make_unique<TimingSm>(setup, neighbours, sm, active_[sm.index / 64]));
}

Cycle SmArray::step(Cycle now) {
  Cycle next = core::never;
  for (std::size_t word = 0; word < active_.size(); ++word)
    for (u64 left = active_[word]; left; left &= left - 1) {
      const u32 bit = static_cast<u32>(std::countr_zero(left));
      TimingSm& sm = *sms_[word * 64 + bit];
      if (sm.due() <= now) {
        issuing_.set(sm);
        sm.step(now);
      }
      if (sm.due() == core::never)
        active_[word] &= ~(u64{1} << bit);
      else
        next = std::min(next, sm.due());
    }
  return next;
}

Cycle SmArray::due_behind(Cycle now) const {
  Cycle next = core::never;
  for (const auto& sm : sms_) next = std::min(next, std::max(sm->due(), now + 1));
  return next;
}

TimingStatistics SmArray::statistics(Cycle until) {
  TimingStatistics sum;
  for (auto& sm : sms_) sum.add(sm->statistics(until));
  sum.cycles = until;
  return sum;
}

}  // namespace ew::simt
