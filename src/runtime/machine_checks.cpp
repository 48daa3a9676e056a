#include "runtime/machine_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/diagnostics.hpp"
#include "media/dram_standards.hpp"
#include "simt/carveout.hpp"

namespace ew::runtime {

namespace {

// Of what the simulator keeps a record for each line. The largest caches of GPUs and servers that there are have a half
// of this.
constexpr u64 most_cache_bytes = u64{512} << 20;

[[noreturn]] void too_much(std::string_view key, std::string_view times, u64 bytes) {
  throw core::UserError(fmt::format("{} times {} should be at most {} bytes (512 MiB) in all, but is {}", key, times,
                                    most_cache_bytes, bytes));
}

/// A request must fit between two refreshes with all that it may wait for, or it never ends. The largest is named.
void check_refresh(const media::DramConfig& m) {
  if (!m.refresh || !m.refi) return;
  const std::pair<const char*, u64> parts[] = {
      {"rcd", m.rcd}, {"rp", m.rp},   {"ras", m.ras},          {"cl", m.cl},   {"wl", m.wl},
      {"wr", m.wr},   {"rtp", m.rtp}, {"wtr", m.wtr},          {"rrd", m.rrd}, {"faw", m.faw},
      {"rfc", m.rfc}, {"ccd", m.ccd}, {"ccd_long", m.ccd_long}};
  u64 sum = m.burst.count / m.bytes_per_clock;
  for (const auto& [name, cycles] : parts) sum += cycles;
  const auto& largest = *std::ranges::max_element(parts, {}, [](const auto& part) { return part.second; });
  if (sum >= m.refi)
    throw core::UserError(
        fmt::format("memory.{} should leave time for a request between two refreshes, which memory.refi has {} cycles "
                    "apart, but is {}: the timings are {} cycles together",
                    largest.first, m.refi, largest.second, sum));
}

[[noreturn]] void refuse_size(std::string_view key, std::string_view why) {
  throw core::UserError(fmt::format("{} {}", key, why));
}

/// l1.unified: what shared memory leaves of it is there for the L1.
void check_unified(const MachineConfig& config) {
  const u64 unified = config.l1.unified;
  if (!unified) return;
  const core::ComputeCapability capability = config.device.compute_capability;
  const std::span<const u32> sizes = simt::carveouts_of(capability);
  if (sizes.empty())
    refuse_size("l1.unified",
                fmt::format("should be 0: no sizes of shared memory are known of compute capability {}.{}",
                            capability.major, capability.minor));
  if (const u64 most = u64{sizes.back()} * 1024; most >= unified)
    refuse_size("l1.unified",
                fmt::format("should be more than the {} bytes that shared memory may have, but is {}", most, unified));
  if (const u64 most = u64{sizes.back()} * 1024; config.sm.shared.count > most)
    refuse_size("sm.shared",
                fmt::format("should be at most {} bytes, the most of compute capability {}.{}, or l1.unified "
                            "should be 0; but it is {}",
                            most, capability.major, capability.minor, config.sm.shared.count));
  if (const u64 most = unified - u64{sizes.front()} * 1024; config.l1.bytes > most)
    refuse_size("l1.bytes", fmt::format("should be at most {}, which the least shared memory leaves of l1.unified, or "
                                        "l1.unified should be 0; but it is {}",
                                        most, config.l1.bytes));
}

}  // namespace

void check_sizes(const MachineConfig& config) {
  const u64 l2 = u64{config.address_map.slices} * config.l2.bytes, l1 = u64{config.sm.count} * config.l1.bytes;
  if (l2 > most_cache_bytes) too_much("l2.bytes", "address_map.slices", l2);
  if (l1 > most_cache_bytes) too_much("l1.bytes", "sm.count", l1);
  const memory::PrivateCacheConfig& c = config.l1;
  if (c.tags > 1 && (c.banks > 1 || c.bank_bytes < c.line))
    refuse_size("l1.tags",
                fmt::format("should be 1 unless l1.banks is 1 and l1.bank_bytes at least l1.line ({}), but is {}",
                            c.line, c.tags));
  check_refresh(media::resolved(config.memory));
  check_unified(config);
}

}  // namespace ew::runtime
