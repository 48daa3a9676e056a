#include "persistency/sbrp_in_flight.hpp"

#include <algorithm>

namespace ew::persistency {

u64 SbrpInFlight::of(u64 warps) const {
  if (!persists()) return 0;
  if (together_) return warps;
  u64 some = 0;
  each(warps, [&](u32 warp) { some |= sent_before_[warp] > marks_over_ ? bit(warp) : 0; });
  return some;
}

void SbrpInFlight::hold(u64 warps) {
  if (!warps || set_mark(warps, 0)) return;
  fsm_ |= warps;
  each(warps, [&](u32 warp) { fsm_until_[warp] = marks_set_; });
}

void SbrpInFlight::hold(u64 warps, Mark until) {
  if (until <= marks_over_) return;
  marks_[static_cast<u32>(until - marks_over_ - 1)].fsm |= warps;
  each(warps, [&](u32 warp) { fsm_until_[warp] = std::max(fsm_ & bit(warp) ? fsm_until_[warp] : 0, until); });
  fsm_ |= warps;
}

SbrpInFlight::Mark SbrpInFlight::held_until(u64 warps) const {
  Mark until = 0;
  each(warps & fsm_, [&](u32 warp) { until = std::max(until, fsm_until_[warp]); });
  return until;
}

bool SbrpInFlight::set_mark(u64 fsm, u64 others) {
  if (together_ ? persists() == 0 : machinery_.when_durable(fsm | others)) return true;
  if (together_ && !marks_.empty()) {
    marks_.back().fsm |= fsm;
    marks_.back().others |= others;
    return false;
  }
  marks_.push_back({fsm, others});
  ++marks_set_;
  return false;
}

u64 SbrpInFlight::end_oldest() {
  const Waiting over = marks_.front();
  marks_.pop_front();
  ++marks_over_;
  each(over.fsm, [&](u32 warp) { fsm_ &= fsm_until_[warp] == marks_over_ ? ~bit(warp) : ~u64{0}; });
  return over.others;
}

}  // namespace ew::persistency
