// What a private cache counts.
#pragma once

#include <array>

#include "core/accounts.hpp"
#include "memory/persistency.hpp"

namespace ew::memory {

/// Why an access could not be accepted in this cycle (GSI's "memory structural" stalls).
/// The last four are holds of the persistency model: Agent::resume() names the warp when it may try again, and until
/// then its later accesses must not come.
enum class Stall : u8 {
  none,
  bank,
  mshr,
  merge,
  line,
  write_buffer,
  release,
  network,
  persist_buffer,
  persist_order,
  persist_eviction,
  persist_durable  // of an access that was accepted
};
inline constexpr u32 stalls = 12;
inline bool holds_the_warp(Stall why) {
  return why >= Stall::persist_buffer;
}

/// Persists of one private cache. Empty without a persistency model.
struct PersistStatistics {
#define STATISTICS "memory/cache/persist_statistics.inc"
#include "core/statistics_set.inc"
};

struct PrivateCacheStatistics {
#define STATISTICS "memory/cache/statistics.inc"
#include "core/statistics_set.inc"
};

using CacheCounts = core::CurrentAccount<PrivateCacheStatistics>;

}  // namespace ew::memory
