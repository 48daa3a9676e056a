#include "simt/carveout.hpp"

#include <algorithm>

namespace ew::simt {

std::span<const u32> carveouts_of(core::ComputeCapability capability) {
  static constexpr u32 volta[] = {0, 8, 16, 32, 64, 96}, turing[] = {32, 64};
  static constexpr u32 ampere[] = {0, 8, 16, 32, 64, 100, 132, 164}, small[] = {0, 8, 16, 32, 64, 100};
  static constexpr u32 hopper[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  switch (capability.major * 10 + capability.minor) {
    case 70:
      return volta;
    case 75:
      return turing;
    case 80:
    case 87:
      return ampere;
    case 86:
    case 89:
      return small;
    case 90:
      return hopper;
    default:
      return {};
  }
}

u64 l1_bytes_of(const GpuLimits& limits, const BlockNeeds& needs, int preferred) {
  if (!limits.unified_bytes) return 0;
  const u64 of_block = needs.shared_bytes + limits.shared_reserved_per_block;
  const u64 wanted =
      preferred < 0 ? blocks_per_sm(limits, needs) * of_block
                    : std::max(of_block, (u64{limits.shared_bytes_per_sm} * static_cast<u32>(preferred) + 99) / 100);
  for (const u32 kib : limits.carveouts)
    if (u64{kib} * 1024 >= wanted) return limits.unified_bytes - u64{kib} * 1024;
  return limits.unified_bytes - u64{limits.carveouts.back()} * 1024;
}

}  // namespace ew::simt
