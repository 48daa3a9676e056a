#include "simt/schedulers/models.hpp"

#include <array>
#include <bit>

namespace ew::simt {
namespace {

constexpr std::array table{
    SchedulerPolicy{"gto",
                    "The warp that issued last goes on; when it cannot, the one that has been on the SM for longest.",
                    greedy_then_oldest},
    SchedulerPolicy{"lrr", "Loose round robin: the next warp behind the one that issued last.", loose_round_robin},
    SchedulerPolicy{"two-level",
                    "A quarter of the warps take turns; one that waits for memory gives its place to the oldest of the "
                    "others that is ready.",
                    nullptr, make_two_level},
};

}  // namespace

std::span<const SchedulerPolicy> scheduler_policies() {
  return table;
}

std::vector<std::string_view> scheduler_names() {
  std::vector<std::string_view> names;
  for (const SchedulerPolicy& policy : table) names.push_back(policy.name);
  return names;
}

const SchedulerPolicy* scheduler_policy(std::string_view name) {
  for (const SchedulerPolicy& policy : table)
    if (policy.name == name) return &policy;
  return nullptr;
}

u32 oldest_of(u64 slots, const u64* age) {
  u32 oldest = static_cast<u32>(std::countr_zero(slots));
  for (u64 left = slots & (slots - 1); left; left &= left - 1) {
    const u32 slot = static_cast<u32>(std::countr_zero(left));
    if (age[slot] < age[oldest]) oldest = slot;
  }
  return oldest;
}

u32 next_behind(u64 slots, u32 last) {
  const u64 behind = last == 63 ? 0 : slots & (~u64{0} << (last + 1));
  return static_cast<u32>(std::countr_zero(behind ? behind : slots));
}

}  // namespace ew::simt
