// What a home counts.
#pragma once

#include "core/accounts.hpp"

namespace ew::memory {

struct HomeStatistics {
  u64 reads = 0, read_hits = 0, read_misses = 0, reads_past = 0;
  u64 owns = 0, own_hits = 0, writes = 0, written_bytes = 0, write_backs = 0, written_back_bytes = 0;
  u64 atomics = 0, atomic_hits = 0, atomic_lanes = 0, atomic_wait_cycles = 0;
  u64 sectors_fetched = 0, sectors_written = 0, lines_evicted = 0, recalls = 0;
  u64 host_accesses = 0, host_sectors_read = 0, host_sectors_written = 0;  // of host memory that is not kept here
  u64 probes = 0, forwards = 0, held_cycles = 0, waited = 0;
  // Bytes sent to non-volatile memory: written through for requests that persist, and of lines that were evicted.
  u64 persists = 0, sectors_persisted = 0, persisted_bytes = 0, evicted_persistent_bytes = 0;
};

using HomeCounts = core::CurrentAccount<HomeStatistics>;

}  // namespace ew::memory
