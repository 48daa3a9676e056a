// Two levels: Gebhart et al., Energy-Efficient Mechanisms for Managing Thread Context in Throughput Processors (ISCA
// 2011). A small active set takes turns, and the others stay behind until one of the set waits for memory. Theirs has 8
// warps of 32; this one has the same part of a scheduler's slots. When no active warp can issue, theirs waits; here the
// oldest that can takes the place of the youngest active one.
#include <algorithm>
#include <bit>

#include "simt/schedulers/models.hpp"

namespace ew::simt {
namespace {

class TwoLevel final : public SchedulerState {
 public:
  explicit TwoLevel(u64 slots) : most_(std::max(1, std::popcount(slots) / 4)) {}

  u32 choose(const WarpChoice& choice) override {
    for (u64 others = choice.candidates & ~active_; others && std::popcount(active_) < most_;) {
      const u64 oldest = u64{1} << oldest_of(others, choice.age);
      active_ |= oldest;
      others &= ~oldest;
    }
    if (!(choice.candidates & active_)) {
      active_ &= ~(u64{1} << youngest(choice.age));
      active_ |= u64{1} << oldest_of(choice.candidates, choice.age);
    }
    return next_behind(choice.candidates & active_, choice.last);
  }
  void ended(u32 slot) override { active_ &= ~(u64{1} << slot); }
  void waits_for_memory(u32 slot) override { active_ &= ~(u64{1} << slot); }

 private:
  u32 youngest(const u64* age) const {
    u32 found = static_cast<u32>(std::countr_zero(active_));
    for (u64 left = active_ & (active_ - 1); left; left &= left - 1)
      if (const u32 slot = static_cast<u32>(std::countr_zero(left)); age[slot] > age[found]) found = slot;
    return found;
  }

  int most_;
  u64 active_ = 0;
};

}  // namespace

SchedulerPolicy schedulers::two_level() {
  return {
      "two-level",
      "A quarter of the warps take turns; one that waits for memory gives its place to the oldest of the others that "
      "is ready.",
      nullptr, [](const SchedulerPlace& place) -> std::unique_ptr<SchedulerState> {
        return std::make_unique<TwoLevel>(place.slots);
      }};
}

}  // namespace ew::simt
