// The kernel of the published gpKVS, for measurements (`gpkvs --published 1`). What decides its time and differs from
// our own kernel:
//
// * 1,024 blocks of 512 threads take the batch, each an equal part in rounds of 64 SETs. A block waits at a barrier
//   several times in each round. A thread fences inside its log, and once behind its last round.
// * A batch is arranged by parts of the table, of which there are as many as blocks: a block's SETs are of one or two.
// * A key is stored before the log entry. Behind a barrier the slot is read again: it may have been lost.
// * Each SET reads the keys of a second set, which it needs only when the first is full.
// * The log has an entry more: the batch's own, in front. So those of a warp's four SETs begin one place behind a line.
//
// A crash of such a run cannot be recovered. Where SETs of a batch are for the same set, the threads of the first one
// serve them all, as in our own kernel: the result is that of the batch's order.
#pragma once

#include "gpkvs.h"
#include "published_log.h"

namespace bench {

constexpr unsigned kPublishedBlocks = 1024, kPublishedThreads = 512;

/// The chain of SETs that begins with `first`, or no SET when it is 0. All threads of the block call it together.
template <class Persist>
__device__ void work_off_as_published(const Sets& sets, gpmlog* log, const LogShape& shape, const Request* requests,
                                      unsigned first, Persist persist, unsigned* refused) {
  const unsigned way = threadIdx.x % kWays, lane = threadIdx.x % 32, group = 0xffu << (lane - way);
  bool logged = false;
  for (unsigned i = first; __syncthreads_or(i != 0);) {
    Request request = {};
    unsigned chosen = 0, same = 0;
    uint32_t old = 0, number = 0;
    if (i != 0) {
      request = requests[i - 1];
      number = set_of(request.key, sets.count);
      const volatile uint32_t* const keys = sets.stored[number].key;
      old = keys[way];
      same = __ballot_sync(group, old == request.key);
      const unsigned free = __ballot_sync(group, old == 0);
      chosen = same ? __ffs(same) - 1 : free ? __ffs(free) - 1 : lane - way + victim_of(request.key);
      if (lane == chosen && same == 0) sets.stored[number].key[way] = request.key;
    }
    __syncthreads();
    if (i != 0) {
      Set& set = sets.stored[number];
      const volatile uint32_t* const keys = set.key;
      const bool mine = keys[chosen % kWays] == request.key;
      if (mine && lane == chosen) {
        const LogEntry entry = {set.value[way], old, way, number, 0};
        if (!logged && log != nullptr &&
            insert_as_published(log, reinterpret_cast<const unsigned*>(&entry), sizeof entry / 4,
                                shape.partition_of(i)) != gpmlog_ok)
          atomicAdd(refused, 1u);
        set.value[way] = request.value;
        persist_one(persist, &set.value[way], sizeof set.value[way]);
        persist_one(persist, &set.key[way], sizeof set.key[way]);
        if (sets.copy != nullptr) {
          sets.copy[number].value[way] = request.value;
          sets.copy[number].key[way] = request.key;
        }
        logged = true;
      }
    }
    __syncthreads();
    if (i != 0) {
      const volatile uint32_t* const keys = sets.stored[set_of(request.key ^ number, sets.count)].key;
      __ballot_sync(group, keys[way] == request.key);
    }
    __syncthreads();
    i = request.next;
  }
}

template <class Persist>
__global__ void __launch_bounds__(kPublishedThreads)
    serve_as_published(Sets sets, gpmlog* log, LogShape shape, const Request* requests, unsigned count, Persist persist,
                       unsigned* refused) {
  const unsigned part = (count + kPublishedBlocks - 1) / kPublishedBlocks;
  const unsigned begin = blockIdx.x * part, end = min(begin + part, count);
  for (unsigned i = begin; i < end; i += kPublishedThreads / kWays) {
    const unsigned mine = i + threadIdx.x / kWays;
    work_off_as_published(sets, log, shape, requests, mine < end && requests[mine].head ? mine + 1 : 0, persist,
                          refused);
  }
  persist_all(persist);
}

}  // namespace bench
