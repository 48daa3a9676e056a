// Which machines the GPU of timing mode cannot be.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "simt/sm/timing_sm.hpp"
#include "simt/timing_gpu.hpp"

namespace ew::simt {

std::string TimingGpu::refuse(const GpuLimits& limits, const SmTimingConfig& timing) {
  if (limits.warps_per_sm > most_warps)
    return fmt::format("sm.warps should be at most {} on a timing machine, but is {}", most_warps, limits.warps_per_sm);
  if (!scheduler_policy(timing.policy))
    return fmt::format("sm_timing.policy should be one of {}, but is {}", fmt::join(scheduler_names(), ", "),
                       timing.policy);
  if (!std::has_single_bit(timing.shared_banks))
    return fmt::format("sm_timing.shared_banks should be a power of two, but is {}", timing.shared_banks);
  if (!std::has_single_bit(timing.constant_line))
    return fmt::format("sm_timing.constant_line should be a power of two, but is {}", timing.constant_line);
  if (timing.constant_cache.count < u64{timing.constant_line} * timing.constant_ways)
    return fmt::format(
        "sm_timing.constant_cache should hold a set of sm_timing.constant_ways ({}) lines, but is {} bytes",
        timing.constant_ways, timing.constant_cache.count);
  if (timing.accesses <= 4 * most_taps)
    return fmt::format("sm_timing.accesses should be above {}, which one instruction may take, but is {}",
                       4 * most_taps, timing.accesses);
  return {};
}

}  // namespace ew::simt
