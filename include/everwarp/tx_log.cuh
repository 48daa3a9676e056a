// Durability of transactions: frames, the order in which they count, and the image that they are applied to. Included by
// tx.cuh; tx_space.cuh has the words.
//
// A frame is *logged* when all of it is durable in a log. Frames count in the order of their numbers: after a crash those
// before the first number that is in no log. So a frame is applied to the image only when all before it are logged,
// and its log is used again only when the pool's base says that it is applied durably. Any thread may apply
// any frame. Two that apply frames with one word in common agree by `newest`: the larger number stays.
#pragma once

#if defined(__CUDACC__)

#include "persist.cuh"
#include "tx_space.cuh"

namespace everwarp {
namespace tx {

template <class T>
EVERWARP_DEVICE T look(const T* word) {
  return *const_cast<const volatile T*>(word);
}
template <class T>
EVERWARP_DEVICE void put(T* word, T value) {
  *const_cast<volatile T*>(word) = value;
}
template <class T>
EVERWARP_DEVICE void count(T* statistic, unsigned long long by = 1) {
  atomicAdd(statistic, by);
}

/// How many lanes of `lanes` are before this one.
EVERWARP_DEVICE unsigned rank_in(unsigned lanes) {
  unsigned before;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
  return __popc(lanes & before);
}
/// The next number of a counter. Lanes that ask together are served by one atomic.
EVERWARP_DEVICE unsigned next_of(unsigned* counter) {
  const unsigned lanes = __activemask(), rank = rank_in(lanes);
  unsigned last = 0;
  if (rank == 0) last = atomicAdd(counter, static_cast<unsigned>(__popc(lanes)));
  return __shfl_sync(lanes, last, __ffs(lanes) - 1) + rank + 1;
}

using everwarp::Pauses;
using everwarp::wait_ns;
constexpr unsigned longest_pause = 4096;  // ns: short beside the time in which a helper persists a run
/// A thread that waits for long sleeps most of the time: half as many ns as cycles are left, so no clock is too slow.
EVERWARP_DEVICE void wait_cycles(unsigned cycles) {
  if (cycles == 0) return;
  const long long end = clock64() + cycles;
  for (long long left = cycles; left > 0; left = end - clock64())
    if (left > 128) wait_ns(static_cast<unsigned>(left / 2));
}
EVERWARP_DEVICE unsigned long long now_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}
EVERWARP_DEVICE unsigned multiprocessor() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

/// The bin of this moment; NULL: no timeline is kept.
EVERWARP_DEVICE TimelineBin* bin_now(const Space& space) {
  if (space.timeline == NULL) return NULL;
  const unsigned long long begin = look(&space.timeline->begin), now = now_ns();
  const unsigned long long at = now > begin ? (now - begin) / space.options.timeline : 0;
  return space.timeline->bins + (at < timeline_bins ? at : timeline_bins - 1);
}
EVERWARP_DEVICE void note_persisted(const Space& space, unsigned bytes) {
  if (TimelineBin* const bin = bin_now(space)) atomicAdd(&bin->bytes, bytes);
}
/// Cycles for a difference; 0 where nobody asks.
EVERWARP_DEVICE long long cycles_now(const Space& space) {
  return space.timeline != NULL ? clock64() : 0;
}

EVERWARP_DEVICE Status report(const Space& space, Status mistake) {
  atomicCAS(&space.shared->mistake, 0u, static_cast<unsigned>(mistake));
  return mistake;
}

/// Where a slot's frame is in the pool, and pair k of the write log that becomes it. Slots that lanes take together have
/// places side by side.
EVERWARP_DEVICE unsigned long long* frame_of(const Space& space, unsigned place) {
  const size_t row = place / space.all_threads, column = place % space.all_threads;
  return space.frames + (column * space.options.slots + row) * (1 + space.options.writes);
}
EVERWARP_DEVICE unsigned long long* write_of(const Space& space, unsigned place, unsigned k) {
  const size_t row = place / space.all_threads, column = place % space.all_threads;
  return space.writes + (row * space.options.writes + k) * space.all_threads + column;
}
EVERWARP_DEVICE LogEnds* ends_of(const Space& space, unsigned block) {
  return reinterpret_cast<LogEnds*>(space.logs + block * (sizeof(LogEnds) + 8ull * space.options.log));
}
EVERWARP_DEVICE unsigned long long* log_of(const Space& space, unsigned block) {
  return reinterpret_cast<unsigned long long*>(ends_of(space, block) + 1);
}

/// Moves a counter on over the marks that follow it. Returns where it is; what the marks stand for has happened.
EVERWARP_DEVICE unsigned advance(const Space& space, unsigned* counter, const unsigned* marks) {
  unsigned at = look(counter), found = at;
  bool whole = true;
  for (unsigned round = 0; whole && round < 8; ++round) {  // not too far: others go on from the counter
    unsigned seen[8];
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) seen[k] = look(marks + ((found + 1 + k) & space.window_mask));
    unsigned run = 0;
#pragma unroll
    for (unsigned k = 0; k < 8; ++k)
      if (run == k && seen[k] == found + 1 + k) ++run;
    found += run;
    whole = run == 8;
  }
  __threadfence();
  if (found != at) at = max(atomicMax(counter, found), found);
  return at;
}
/// The lanes of helper warp `which` meet, and know what each has seen. By a barrier of the block, from 15 down: the axioms
/// of persistency models know none of a warp.
EVERWARP_DEVICE void meet(unsigned which) {
  asm volatile("bar.sync %0, 32;" ::"r"(15 - which) : "memory");
}

/// As advance(), by a whole helper warp: 128 marks at a time, and not too far, for its ring fills meanwhile.
EVERWARP_DEVICE unsigned advance_warp(const Space& space, unsigned* counter, const unsigned* marks, unsigned which,
                                      unsigned lane) {
  unsigned found = __shfl_sync(~0u, look(counter), 0);
  const unsigned begin = found;
  bool whole = true;
  for (unsigned round = 0; whole && round < 4; ++round) {
    unsigned seen[4];
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) seen[k] = look(marks + ((found + 1 + 32 * k + lane) & space.window_mask));
    unsigned run = 0;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned there = __ballot_sync(~0u, seen[k] == found + 1 + 32 * k + lane);
      if (whole) run += there == ~0u ? 32 : __ffs(~there) - 1;
      whole = whole && there == ~0u;
    }
    found += run;
  }
  __threadfence();
  meet(which);
  if (found != begin && lane == 0) atomicMax(counter, found);
  return found;
}

/// What is logged so far, without gaps.
EVERWARP_DEVICE unsigned logged_to(const Space& space) {
  return advance(space, &space.shared->logged, space.logged);
}

/// The frame is in a log, durably; its pairs are at `place`. In two steps, with a fence between them.
EVERWARP_DEVICE void put_place(const Space& space, unsigned number, unsigned place) {
  put(space.places + (number & space.window_mask), place);
}
EVERWARP_DEVICE void put_logged(const Space& space, unsigned number) {
  put(space.logged + (number & space.window_mask), number);
}
EVERWARP_DEVICE void mark_logged(const Space& space, unsigned number, unsigned place) {
  put_place(space, number, place);
  __threadfence();
  put_logged(space, number);
}

/// One pair of a frame that is applied.
EVERWARP_DEVICE unsigned long long pair_at(const Space& space, unsigned place, unsigned k) {
  if (place & in_mirror) {
    const unsigned at = place & ~in_mirror, mask = space.options.log - 1;
    return look(space.mirror + ((at & ~mask) | ((at + k) & mask)));
  }
  if (k == 0) return look(space.heads + place);
  return look(write_of(space, place, k - 1));
}

/// Applies frame `number`, if there is one (0: none). Lanes of a warp may call it together.
EVERWARP_DEVICE void apply(const Space& space, unsigned number) {
  const unsigned place = number == 0 ? 0 : look(space.places + (number & space.window_mask));
  const unsigned pairs = number == 0 ? 0 : high_part(pair_at(space, place, 0));
  for (unsigned k = 1; k <= pairs; ++k) {
    const unsigned long long pair = pair_at(space, place, k);
    atomicMax(space.newest + high_part(pair), static_cast<unsigned long long>(number) << 32 | low_part(pair));
  }
  __threadfence();
  // Who stores a word's value looks again afterwards: a newer one may have come, and been stored, in between.
  for (unsigned long long before = 0, after = 1; before != after;) {
    before = after = 0;
    for (unsigned k = 1; k <= pairs; ++k) {
      const unsigned word = high_part(pair_at(space, place, k));
      const unsigned long long value = look(space.newest + word);
      put(space.image + word, low_part(value));  // @image
      before += value >> 32;
    }
    dfence();  // @applied
    __threadfence();
    for (unsigned k = 1; k <= pairs; ++k)
      after += look(space.newest + high_part(pair_at(space, place, k))) >> 32;
  }
  if (number != 0) put(space.applied + (number & space.window_mask), number);
}

/// Takes up to `most` frames that are logged and nobody's yet: the first of them, and in `taken` how many. One thread.
EVERWARP_DEVICE unsigned claim(const Space& space, unsigned ready, unsigned most, unsigned& taken) {
  const unsigned before = look(&space.shared->claimed);
  taken = before < ready ? min(most, ready - before) : 0;
  if (taken != 0 && atomicCAS(&space.shared->claimed, before, before + taken) != before) taken = 0;
  __threadfence();
  return before + 1;
}

/// Tells the pool what is applied, if that is news and nobody else is at it.
EVERWARP_DEVICE void raise_base(const Space& space, unsigned applied) {
  if (applied <= look(&space.shared->base) || atomicCAS(&space.shared->base_lock, 0u, 1u) != 0) return;
  __threadfence();
  const unsigned to = look(&space.shared->applied);
  if (to > look(&space.shared->base)) {
    put(space.base, static_cast<unsigned long long>(to));  // @base
    dfence();  // @based
    __threadfence();
    put(&space.shared->base, to);
  }
  __threadfence();
  atomicExch(&space.shared->base_lock, 0u);
}

constexpr unsigned no_place = ~0u;
constexpr unsigned long long place_taken = ~0u;  // as a head: no commit has so large a number

EVERWARP_DEVICE unsigned place_of(const Space& space, unsigned row, unsigned column) {
  return row * space.all_threads + blockIdx.x * space.options.threads + column;
}
/// Takes the slot at `place` if the image has its last frame for good.
EVERWARP_DEVICE bool try_place(const Space& space, unsigned place) {
  unsigned long long* const head = space.heads + place;
  const unsigned long long last = look(head);
  return low_part(last) <= look(&space.shared->base) && atomicCAS(head, last, place_taken) == last;
}
/// A slot for this thread's next frame: its place in `heads`. Its own in turn, from `row` on; if that is not free, one of
/// another thread of the block: a thread that commits often must not wait while others have room. `borrowed` counts
/// these, from the last slots down. Who finds none helps to make some free.
EVERWARP_DEVICE unsigned take_place(const Space& space, unsigned column, unsigned& row, unsigned* borrowed) {
  const unsigned threads = space.options.threads, own = place_of(space, row, column);
  Pauses pauses(200, longest_pause);
  for (bool waited = false;; waited = true) {
    if (try_place(space, own)) {
      if (++row == space.options.slots) row = 0;
      return own;
    }
    for (unsigned tries = 0; tries < 4; ++tries) {
      const unsigned turn = space.options.slots * threads - 1 - atomicAdd(borrowed, 1u) % (space.options.slots * threads);
      const unsigned place = place_of(space, turn / threads, turn % threads);
      if (try_place(space, place)) return place;
    }
    if (!waited) count(&space.shared->statistics.slot_waits);
    unsigned taken;
    const unsigned first = claim(space, logged_to(space), 8, taken);
    for (unsigned k = 0; k < taken; ++k) apply(space, first + k);
    raise_base(space, advance(space, &space.shared->applied, space.applied));
    if (taken == 0) pauses.pause();
  }
}
/// The own slot that a thread fills first: a launch goes on where the one before it has ended.
EVERWARP_DEVICE unsigned oldest_row(const Space& space, unsigned column) {
  unsigned oldest = 0, least = ~0u;
  for (unsigned row = 0; row < space.options.slots && least != 0; ++row) {
    const unsigned number = low_part(look(space.heads + place_of(space, row, column)));
    if (number < least) oldest = row, least = number;
  }
  return oldest;
}
EVERWARP_DEVICE void give_place_back(const Space& space, unsigned place) {
  put(space.heads + place, 0ull);
}

EVERWARP_DEVICE bool helpers_on(const Space& space) {
  return look(&space.shared->helpers_on) != 0;
}
EVERWARP_DEVICE void switch_helpers(const Space& space, bool on) {
  Shared* const all = space.shared;
  if (atomicCAS(&all->switch_lock, 0u, 1u) != 0) return;
  if ((atomicExch(&all->helpers_on, on ? 1u : 0u) != 0) != on)
    count(on ? &all->statistics.switched_on : &all->statistics.switched_off);
  __threadfence();
  atomicExch(&all->switch_lock, 0u);
}

/// A slice of time of this multiprocessor's monitor: the one that runs, and what the monitor was seen to be in.
struct Slice {
  SmMonitor* own;
  unsigned now, seen;

  EVERWARP_DEVICE Slice(const Space& space, bool asked) : own(NULL), now(0), seen(0) {
    if (!asked) return;
    own = space.monitors + multiprocessor() % sm_monitors;
    now = static_cast<unsigned>(now_ns() / (1000ull * space.options.slice));
    seen = look(&own->slice);
  }
};
/// If a new slice has begun, what has changed is added to the whole GPU's rate, and one thread may switch the helpers
/// (section 5 of the paper). A slice in which nothing was persisted says nothing: it does not count as one below.
EVERWARP_DEVICE void turn(const Space& space, const Slice& slice) {
  if (slice.now == slice.seen || atomicCAS(&slice.own->slice, slice.seen, slice.now) != slice.seen) return;
  Shared* const all = space.shared;
  const unsigned done = atomicExch(&slice.own->running, 0u), last = slice.now - slice.seen == 1 ? done : 0;
  const unsigned change = last - atomicExch(&slice.own->last, last);
  const unsigned rate = atomicAdd(&all->rate, change) + change;  // bytes a slice
  const unsigned limit = space.options.threshold * space.options.slice;
  atomicMax(&all->statistics.largest_rate, static_cast<unsigned long long>(rate / space.options.slice));
  const bool above = rate > limit, on = helpers_on(space);
  if (above || rate == 0) atomicMax(&all->last_above, slice.now);
  if (above && !on) switch_helpers(space, true);
  if (!above && on && slice.now - look(&all->last_above) >= slices_below) switch_helpers(space, false);
}
/// Somebody has just persisted so many bytes: they count for its multiprocessor.
EVERWARP_DEVICE void persisted(const Space& space, unsigned bytes) {
  note_persisted(space, bytes);
  if (space.options.mode != adaptive) return;
  const Slice slice(space, true);
  turn(space, slice);
  atomicAdd(&slice.own->running, bytes);
}

}  // namespace tx
}  // namespace everwarp

#endif  // __CUDACC__
