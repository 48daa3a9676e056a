#include "simt/scheduler_policies.hpp"

#include <bit>

namespace ew::simt {
namespace {

/// Rogers, O'Connor, Aamodt: Cache-Conscious Wavefront Scheduling (MICRO 2012), section 3.
u32 greedy_then_oldest(const WarpChoice& choice) {
  if ((choice.candidates >> choice.last) & 1) return choice.last;
  u32 oldest = static_cast<u32>(std::countr_zero(choice.candidates));
  for (u64 left = choice.candidates & (choice.candidates - 1); left; left &= left - 1) {
    const u32 slot = static_cast<u32>(std::countr_zero(left));
    if (choice.age[slot] < choice.age[oldest]) oldest = slot;
  }
  return oldest;
}

u32 loose_round_robin(const WarpChoice& choice) {
  const u64 behind = choice.last == 63 ? 0 : choice.candidates & (~u64{0} << (choice.last + 1));
  return static_cast<u32>(std::countr_zero(behind ? behind : choice.candidates));
}

}  // namespace

const std::array<SchedulerPolicy, 2> scheduler_policies{{
    {"gto", "The warp that issued last goes on; when it cannot, the one that has been on the SM for longest.",
     greedy_then_oldest},
    {"lrr", "Loose round robin: the next warp behind the one that issued last.", loose_round_robin},
}};

const SchedulerPolicy* scheduler_policy(std::string_view name) {
  for (const SchedulerPolicy& policy : scheduler_policies)
    if (policy.name == name) return &policy;
  return nullptr;
}

}  // namespace ew::simt
