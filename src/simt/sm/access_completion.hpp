// An access is over: its warp's order counts it, its registers get their readiness, and who waited for it is looked at
// again. Owned by the SM.
#pragma once

#include "core/accounts.hpp"
#include "simt/latency_histogram.hpp"
#include "simt/sm/issuing.hpp"
#include "simt/sm/residents.hpp"

namespace ew::simt {

class AccessCompletion {
 public:
  /// Who is told.
  struct Told {
    WarpTable& table;
    AccessOrder& order;
    StallAccount& stalls;
    Residents& residents;
    Endings& endings;
    Alarm& alarm;
  };
  AccessCompletion(u32 private_latency, AccessPool& accesses, Issuing& issuing, Executor& executor,
                   const core::TimeWheel& wheel, LatencyAccounts& latencies, const Told& told)
      : private_latency_(private_latency),
        accesses_(accesses),
        issuing_(issuing),
        executor_(executor),
        wheel_(wheel),
        latencies_(latencies),
        told_(told) {}

  /// An access of the launch begins; finish(), or forget(), ends it.
  void begins(GridRun& run) { told_.endings.access_begins(run); }
  /// All its parts have been performed.
  void performed(Access&);
  /// The value of a part is there, or its store is visible: for good.
  void part_over(u32 access, memory::ServedBy by) {
    Access& a = accesses_[access];
    a.served_by = by;
    if (a.grid && !a.writes) count_latency(a, by);
    if (--a.to_complete == 0) finish(access);
  }
  /// A load has been held by its home for so many rounds, each of which took as long as from now on it seems to have
  /// taken itself.
  void count_rounds(const Access& a, u32 rounds) {
    TimingStatistics& counts = *a.counts_of;
    counts.polls_held += rounds;
    counts.memory.requests += rounds;
    counts.memory.lines += rounds * a.parts_count;
    counts.memory.sectors += u64{rounds} * sectors_of(a.parts[0].words);
    counts.memory.parts += rounds;
    count_latency(a, memory::ServedBy::home, rounds);
  }
  /// It is performed and visible, whole.
  void finish(u32 access);
  /// The launch has failed: what is under way of it ends alone.
  void forget(const GridRun&);

 private:
  void count_latency(const Access&, memory::ServedBy, u32 times = 1);
  void conclude(u32 access);
  void release(u32 access);
  bool has_its_warp(const Access& a) const { return told_.table[a.slot].generation == a.generation; }

  u32 private_latency_;
  AccessPool& accesses_;
  Issuing& issuing_;
  Executor& executor_;
  const core::TimeWheel& wheel_;
  LatencyAccounts& latencies_;
  Told told_;
};

}  // namespace ew::simt
