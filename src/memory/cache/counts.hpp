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
  u64 stores = 0, joined = 0, through = 0;  // parts of accesses
  u64 sent = 0, acknowledged = 0;
  u64 lines = 0, bytes = 0;  // of those that waited in a line
  u64 evictions = 0, flushed_at_orders = 0, flushed_at_ends = 0;
  u64 read_misses = 0, words_invalidated = 0;
  std::array<u64, persist_holds> held{};
  std::array<u64, persist_orders> orders{}, entered{}, merged{};
  u64 orders_held = 0, window_full_cycles = 0, drains = 0, drain_cycles = 0;
};

struct PrivateCacheStatistics {
  u64 loads = 0, load_hits = 0, load_merges = 0, load_misses = 0;
  u64 stores = 0, store_hits = 0, atomics = 0, atomic_hits = 0, mmio = 0;
  u64 sectors_fetched = 0, lines_evicted = 0, lines_written = 0, bytes_written = 0, bytes_through = 0;
  u64 acquires = 0, words_invalidated = 0, releases = 0, lines_drained = 0, lines_recalled = 0;
  u64 probes = 0, forwards = 0;
  u64 prefetches = 0, prefetches_useful = 0, prefetches_late = 0;
  PersistStatistics persist;
  std::array<u64, stalls> stalled{};
};

using CacheCounts = core::CurrentAccount<PrivateCacheStatistics>;

}  // namespace ew::memory
