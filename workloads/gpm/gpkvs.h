// What our kernel of gpKVS and the published program's (gpkvs_published.h) share: the store's sets, a batch's requests,
// and the entries of the log.
#pragma once

#include "system.h"

namespace bench {

constexpr unsigned kWays = 8;

// A set: its keys, then its values, as in the published program's. Key 0: the slot is free.
struct alignas(128) Set {
  uint32_t key[kWays];
  uint64_t value[kWays];
};
struct LogEntry {
  uint64_t value;
  uint32_t key, way, set, unused;
};
__host__ __device__ inline uint32_t set_of(uint32_t key, uint32_t sets) {
  return static_cast<uint32_t>(mix(key) % sets);
}
__host__ __device__ inline unsigned victim_of(uint32_t key) {
  return static_cast<unsigned>(mix(key) >> 61);
}

// A SET of a batch. SETs for the same set form a chain, in their order. The eight threads of its head serve it.
struct Request {
  uint64_t value;
  uint32_t key;
  uint32_t next : 31;  // the next SET for this set, plus one; or 0
  uint32_t head : 1;   // no earlier SET of the batch is for this set
};
static_assert(sizeof(Request) == 16, "what the host copies for a SET");

// Where the store's sets lie.
struct Sets {
  Set* stored;  // the pool, or device memory
  Set* copy;    // in device memory, beside the pool; NULL: there are no GETs
  uint32_t count;
};

}  // namespace bench
