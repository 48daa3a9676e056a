// How the lanes of a warp use lines of the cache together ("BaM", ASPLOS'23, section 3.4). Part of
// <everwarp/storage.cuh>.
//
// Lanes that want the same line form a group with a leader. A hit is one atomic of the leader, which pins for all. A
// group whose line is not there looks again and again, and a lane that has its line uses it and lets it go before it
// waits for other groups: so 32 lanes may want 32 lines of a cache with fewer slots.
//
// A line may be kept (by a cursor) if its slot is one of those that the cache was asked for. A line in a spare slot
// is used and let go: so threads that keep lines cannot wait for each other without an end.
#pragma once

#include <everwarp/storage_cache.cuh>

namespace bam {

/// The lanes of a warp that want the same line together.
struct line_group {
  uint32_t mask, leader, count;
  bool leads;

  __device__ explicit line_group(uint64_t line) {
    const uint32_t active = __activemask();
    mask = __match_any_sync(active, line);
    leader = __ffs(mask) - 1;
    count = __popc(mask);
    uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    leads = lane == leader;
  }
  /// The thread alone, whatever the others of its warp want.
  static __device__ line_group alone() {
    line_group one;
    asm("mov.u32 %0, %%laneid;" : "=r"(one.leader));
    one.mask = 1u << one.leader, one.count = 1, one.leads = true;
    return one;
  }
  __device__ uint64_t share(uint64_t of_leader) const { return __shfl_sync(mask, of_leader, leader); }

  /// Each lane uses the line's bytes, with use(bytes), and then holds it no longer; or, if `keeps` and it may be held, goes
  /// on to hold it. Who goes on to hold a line that it `writes` marks it dirty itself.
  template <class Use>
  __device__ __forceinline__ status with(const cache_view& cache, uint64_t line, bool writes, bool keeps, Use use) const {
    return with(cache, line, leads ? cache.pin(line, count) : 0, writes, keeps, use);
  }
  /// The same. `pinned`: what the leader's pin() of the line for all has answered.
  template <class Use>
  __device__ __forceinline__ status with(const cache_view& cache, uint64_t line, uint64_t pinned, bool writes, bool keeps,
                                         Use use) const {
    const uint64_t now = share(pinned);
    if (has_bytes(now)) {
      if (leads) cache.refer(line, now);
      use(cache.at(slot_of(now)));
      finish(cache, line, ok, writes, keeps, slot_of(now));
      if (leads) count_probe(cache, true);
      return ok;
    }
    return wait_and_use(cache, line, writes, keeps, use);
  }

 private:
  static constexpr uint32_t shortest_pause = 512, longest_pause = 2048;  // nanoseconds

  __device__ line_group() {}

  template <class Use>
  __device__ __forceinline__ status wait_and_use(const cache_view& cache, uint64_t line, bool writes, bool keeps,
                                                 Use use) const {
    cache_wait wait = cache.wait();
    poll_count polls = cache.polls();
    status end = again;
    uint32_t pause = 0;
    do {
      uint64_t now = 0;
      // Who has asked the drive looks at once, others now and then: their looks would slow it down. Who may go on to hold the
      // line never sleeps: others wait for its slot.
      if (pause && !keeps && !wait.asked) everwarp::wait_ns(pause);
      pause = pause ? (pause < longest_pause ? pause + (pause >> 2) : longest_pause) : shortest_pause;
      const bool over = polls.is_over(cache.patience);
      if (leads) {
        end = cache.step(line, wait);
        if (end == again && over) end = cache.expire(line, wait);
        if (end == ok) now = detail::load_acquire(cache.states + line);
      }
      if (over) polls = cache.polls();
      end = __shfl_sync(mask, end, leader);
      if (end != again) {
        if (end == ok) {
          __syncwarp(mask);
          now = share(now);
          use(cache.at(slot_of(now)));
        }
        finish(cache, line, end, writes, keeps, slot_of(now));
      }
      asm volatile("" : "+r"(end));  // the line is used within the loop: lanes that leave it wait for others
    } while (end == again);
    if (leads) {
      wait.end();
      count_probe(cache, false);
      if (end != ok) cache.fail(line, end);
    }
    return end;
  }
  __device__ void finish(const cache_view& cache, uint64_t line, status end, bool writes, bool keeps, uint32_t slot) const {
    __syncwarp(mask);
    if (!leads) return;
    if (end == ok && keeps && cache.may_be_held(slot)) return;
    if (end == ok && writes) cache.mark_dirty(line);
    cache.unpin(line, count);
    if (end == ok && keeps) detail::count(&cache.counts().not_held, count);
  }
  __device__ void count_probe(const cache_view& cache, bool hit) const {
    cache_statistics& counts = cache.counts();
    detail::count(hit ? &counts.thread_hits : &counts.thread_misses, count);
    detail::count(hit ? &counts.line_hits : &counts.line_misses);
  }
};

/// Who probes the cache for an element: one lane for all that want the line together (warp coalescing), or each thread for
/// itself, as in a cache that knows nothing of warps ("BaM", figure 8: naive).
struct by_warp {
  static __device__ line_group of(uint64_t line) { return line_group(line); }
};
struct by_thread {
  static __device__ line_group of(uint64_t) { return line_group::alone(); }
};

}  // namespace bam
