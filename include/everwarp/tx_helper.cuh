// The ring of a block, and the helper warps that empty it ("Architectural Support for NVRAM Persistence in GPUs",
// section 4.1). Included by tx.cuh; tx_space.cuh has the words.
//
// A pair's place in the ring is its place in the block's log, each by its own size. Who commits takes room in both
// before it takes its number: so a number that is taken is logged without waiting for anybody, and the order never
// stops. A pair is one store of 8 bytes; zero is a place that nobody has written.
#pragma once

#if defined(__CUDACC__)

#include "helper_warp.cuh"
#include "tx_log.cuh"

namespace everwarp {
namespace tx {

/// The first 64 bytes of a block's dynamic shared memory; the pairs follow.
struct Ring {
  unsigned tail;     // room is taken up to here; counted in pairs since the space was opened
  unsigned head;     // … emptied up to here
  unsigned freed;    // the log may be written up to here + Options::log
  unsigned running;  // threads that may still commit
  unsigned assist;   // an Assist: what the block has been told
  unsigned borrowed;  // slots that threads have looked for beyond their own (strict)
  unsigned free[10];

  EVERWARP_DEVICE unsigned long long* pair(const Space& space, unsigned at) {
    return reinterpret_cast<unsigned long long*>(this + 1) + at % space.options.ring;
  }
};
static_assert(sizeof(Ring) == 64, "Space::shared_bytes()");

/// Room for a frame of `pairs` pairs. False: there is none now. `first`: nobody has asked for this frame before. Lanes that
/// ask together for as many pairs are served by one swap, in their order: each its own would wait for 31 others.
EVERWARP_DEVICE bool reserve(const Space& space, Ring* ring, unsigned pairs, unsigned& at, bool first) {
  const unsigned peers = __match_any_sync(__activemask(), pairs), rank = rank_in(peers);
  unsigned frames = 0, begin = 0, ring_full = 0;
  if (rank == 0) {
    begin = look(&ring->tail);
    for (;;) {  // a swap that fails has let another warp through
      const unsigned in_ring = look(&ring->head) + space.options.ring - begin;
      const unsigned in_log = look(&ring->freed) + space.options.log - begin;
      ring_full = in_ring <= in_log;
      frames = min(static_cast<unsigned>(__popc(peers)), min(in_ring, in_log) / pairs);
      if (frames == 0) break;
      const unsigned there = atomicCAS(&ring->tail, begin, begin + frames * pairs);
      if (there == begin) break;
      begin = there;
    }
  }
  const unsigned leader = __ffs(peers) - 1;
  at = __shfl_sync(peers, begin, leader) + rank * pairs;
  ring_full = __shfl_sync(peers, ring_full, leader);
  if (rank < __shfl_sync(peers, frames, leader)) return true;
  if (first) count(ring_full ? &space.shared->statistics.ring_full : &space.shared->statistics.log_full);
  return false;
}

EVERWARP_DEVICE void note_occupancy(const Space& space, unsigned pairs) {
  TimelineBin* const bin = bin_now(space);
  if (bin == NULL) return;
  atomicAdd(&bin->looks, 1u);
  atomicAdd(&bin->occupancy, pairs);
}

constexpr unsigned run_parts = 8;  // a run is up to so many warps' worth of pairs

/// Moves whole frames from the ring to the log: up to 256 pairs, which the lanes write side by side. A whole warp.
EVERWARP_DEVICE bool drain(const Space& space, Ring* ring, unsigned block, unsigned lane) {
  const unsigned begin = __shfl_sync(~0u, look(&ring->head), 0), mask = space.options.log - 1;
  unsigned long long pairs[run_parts];
  unsigned length = 0, last_head = 0, last_end = 0;
  bool whole = true;
#pragma unroll
  for (unsigned part = 0; part < run_parts; ++part) {
    pairs[part] = 0;
    if (!whole) continue;
    // What is a whole ring further on is the same place again.
    if (32 * part + lane < space.options.ring) pairs[part] = look(ring->pair(space, begin + 32 * part + lane));
    const unsigned there = __ballot_sync(~0u, pairs[part] != 0);
    const unsigned run = there == ~0u ? 32 : __ffs(~there) - 1;
    const unsigned heads = __ballot_sync(~0u, lane < run && is_head(pairs[part]));
    if (heads != 0) {
      const unsigned from = 31 - __clz(heads);
      last_head = 32 * part + from;
      last_end = last_head + 1 + high_part(__shfl_sync(~0u, pairs[part], from));
    }
    length += run;
    whole = run == 32;
  }
  if (last_end > length) length = last_head;  // the last frame is not all there
  if (length == 0) return false;
  if (lane == 0) {
    const unsigned used = (look(&ring->tail) - begin) * occupancy_bins / (space.options.ring + 1);
    count(&space.shared->statistics.occupancy[used]);
    count(&space.shared->statistics.runs);
    count(&space.shared->statistics.pairs, length);
    note_occupancy(space, look(&ring->tail) - begin);
  }
  unsigned long long* const log = log_of(space, block);
  unsigned long long* const mirror = space.mirror + static_cast<size_t>(block) * space.options.log;
#pragma unroll
  for (unsigned part = 0; part < run_parts; ++part)
    if (32 * part + lane < length) {
      const unsigned at = begin + 32 * part + lane;
      put(log + (at & mask), pairs[part]);  // @run
      put(mirror + (at & mask), pairs[part]);
      put(ring->pair(space, at), 0ull);
    }
  __threadfence_block();
  __syncwarp();
  if (lane == 0) put(&ring->head, begin + length);
  wait_cycles(space.options.delay);
  dfence();  // @run_durable
  meet(0);
  if (lane == 0) {
    LogEnds* const ends = ends_of(space, block);
    put(&ends->tail, static_cast<unsigned long long>(begin + length));  // @tail
    dfence();  // @tail_durable
    persisted(space, 8 * length);
  }
  meet(0);
#pragma unroll
  for (unsigned part = 0; part < run_parts; ++part)
    if (32 * part + lane < length && is_head(pairs[part]))
      put_place(space, low_part(pairs[part]), in_mirror | (block * space.options.log + ((begin + 32 * part + lane) & mask)));
  __threadfence();  // one for all: each takes as long as the others' stores
#pragma unroll
  for (unsigned part = 0; part < run_parts; ++part)
    if (32 * part + lane < length && is_head(pairs[part])) put_logged(space, low_part(pairs[part]));
  return true;
}

/// Applies up to 32 frames, one a lane, if there are `least`. A whole warp.
EVERWARP_DEVICE bool apply_some(const Space& space, unsigned which, unsigned lane, unsigned least) {
  const unsigned ready = advance_warp(space, &space.shared->logged, space.logged, which, lane);
  unsigned taken = 0, first = 0;
  if (lane == 0 && ready - min(look(&space.shared->claimed), ready) >= least) first = claim(space, ready, 32, taken);
  first = __shfl_sync(~0u, first, 0);
  taken = __shfl_sync(~0u, taken, 0);
  meet(which);
  if (taken == 0) return false;
  apply(space, lane < taken ? first + lane : 0);
  return true;
}

/// Gives room of the block's log back whose frames the image has for good. One lane.
EVERWARP_DEVICE void free_log(const Space& space, Ring* ring, unsigned block, unsigned applied) {
  raise_base(space, applied);
  const unsigned long long* const mirror = space.mirror + static_cast<size_t>(block) * space.options.log;
  const unsigned base = look(&space.shared->base), mask = space.options.log - 1, end = look(&ring->head);
  unsigned at = look(&ring->freed);
  while (at != end) {
    const unsigned long long head = look(mirror + (at & mask));
    if (low_part(head) > base) break;
    at += 1 + high_part(head);
  }
  if (at == look(&ring->freed)) return;
  put(&ends_of(space, block)->head, static_cast<unsigned long long>(at));  // @head
  dfence();  // @head_durable
  put(&ring->freed, at);
}

/// What a helper warp does until the block's other threads are through. Warp 0 of the helpers empties the ring; it
/// applies frames as well when there is nothing else to do, or room runs out. Other helper warps only apply. While
/// helpers are switched off they empty what the ring still holds, and apply frames only when room runs out.
EVERWARP_DEVICE void help(const Space& space, Ring* ring, unsigned block, unsigned which, unsigned lane) {
  mark_helper_warp();
  for (;;) {
    const unsigned left = __shfl_sync(~0u, look(&ring->running), 0);
    __threadfence_block();
    const bool moved = which == 0 && drain(space, ring, block, lane);
    // At the end frames may be left that are not applied: others apply them when they need room, or tx::settle() does.
    const bool empty = look(&ring->tail) == look(&ring->head);
    if (__shfl_sync(~0u, left == 0 && !moved && (which != 0 || empty), 0)) break;
    const unsigned used = __shfl_sync(~0u, look(&ring->head) - look(&ring->freed), 0);
    const bool tight = used > space.options.log / 2;
    bool applied = false;
    const bool off = space.options.mode == adaptive && __shfl_sync(~0u, helpers_on(space), 0) == 0;
    if ((!moved && !off) || tight) applied = apply_some(space, which, lane, tight ? 1 : 32);
    if (which == 0 && tight) {
      const unsigned to = advance_warp(space, &space.shared->applied, space.applied, which, lane);
      if (lane == 0) free_log(space, ring, block, to);
    }
    __syncwarp();
    if (moved || applied) continue;
    wait_ns(300);
  }
  if (which == 0 && lane == 0) {
    space.block_logs[block].tail = look(&ring->head);
    space.block_logs[block].freed = look(&ring->freed);
  }
}

}  // namespace tx
}  // namespace everwarp

#endif  // __CUDACC__
