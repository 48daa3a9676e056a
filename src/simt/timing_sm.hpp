// One SM of the timing machine: its controllers (sm/) put together, and what happens between them when an instruction
// issues. Owned by SmArray, which steps it in cycles in which something is due.
#pragma once

#include "simt/constant_cache.hpp"
#include "simt/sm/flush_queue.hpp"
#include "simt/sm/residents.hpp"
#include "simt/sm/scheduler.hpp"
#include "simt/sm/sm_neighbours.hpp"
#include "simt/texture_sampler.hpp"

namespace ew::simt {

class TimingSm final : public memory::Agent {
 public:
  /// `active`: the word of the array of SMs that has this one's bit.
  TimingSm(const SmSetup&, const SmNeighbours&, Sm&, u64& active);

  void attach(LinePort&);
  void add(Block&, GridRun&);
  /// One cycle.
  void step(Cycle now);
  /// The next cycle in which this SM does something by itself.
  Cycle due() const { return alarm_.due(); }
  /// An instruction asks for memory; called by the Executor while this SM issues.
  Performed memory(MemoryOp&);
  /// The grid has failed: its warps are gone, its accesses finish alone.
  void forget(const GridRun&);
  /// Sends what the private cache holds home; GridRun::flushes is one less when that is done.
  void flush(const GridRun& run) { flushes_.flush(run); }
  /// Adds what its warps have done since the last call.
  void look_at_polls(PollsLook& look) { polls_.look(look); }
  /// Lanes of a warp of this block have been let go, and its bit in Block::ready is set.
  void released(const Block& block) { parked_.let_go(parked_.of(block)); }
  /// Takes blocks without warps off the SM. True: there was one.
  bool end_blocks() { return residents_.end_blocks(); }

  memory::ByteMask perform(u32 access, u32 part, u8* bytes) override;
  void complete(u32 access, u32 part, memory::ServedBy by) override;
  void wake() override;
  void released(u32 token) override;
  void resume(u64 warps) override;

  /// Of all launches, up to this cycle.
  TimingStatistics statistics(Cycle now) { return stalls_.statistics(now); }
  /// Of one that has ended, up to this cycle.
  TimingStatistics take(core::Account, Cycle now);
  /// No more will run: what ends of warps and of accesses count is counted up to here.
  void settle(Cycle now);
  /// Idle slots are this account's from now on.
  void charge_idle_slots(Cycle now, core::Account alone) { stalls_.charge_idle_slots(now, alone); }
  std::string what_is_under_way() const;

 private:
  static constexpr u32 reserve = 2 * most_taps;  // accesses that one instruction may take

  // Issue (timing_sm.cpp).
  void look_at_warps(Cycle now);
  void look_at(u32 slot, Cycle now);
  u64 candidates(const Scheduler&, Cycle now) const;
  void issue(u32 scheduler, Cycle now);
  void issue_warp(u32 slot, u32 scheduler, Cycle now);
  void after(u32 slot, u32 pc, Outcome, Cycle now);
  void limit_or_look(u32 slot, Cycle now);
  Cycle due_behind(Cycle now) const;

  // Memory (timing_memory.cpp).
  void name_flags(const MemoryOp&);
  Performed global(MemoryOp&);
  Performed crossing(MemoryOp&);
  Performed generic(MemoryOp&);
  Performed async_copy(MemoryOp&);
  Performed flat(MemoryOp&);
  Performed flat_now(MemoryOp&);
  memory::ByteMask perform_now(Access&, u32 part, u8* bytes);
  Performed flat_watched(MemoryOp&);
  memory::ByteMask perform_watched(Access&, u32 part, u8* bytes);
  memory::ByteMask perform_recorded(Access&, const AccessPart&, Shape, u64 bias, bool in_place);
  Performed shared(MemoryOp&);
  void shared_time(const MemoryOp&);
  void constant_time(const MemoryOp&);
  void near_time(MemoryOp&);
  void local_time(const MemoryOp&, u64 window);
  void shadow(const MemoryOp&, memory::AccessKind, Source);
  void unit_time(u32 busy, u32 latency, Source);
  u32 lane_cycles(const MemoryOp&) const;
  u32 take_access(AccessPath);
  void describe(Access&, const MemoryOp&);
  u8 split(Access&, u32 bytes) const;
  void count_lines(const Access&);
  bool send(u32 access);
  void retain(u32 access);
  void enqueue(u32 access);
  /// What became of an access at the head of the unit: it went; it must be tried again; its warp is held, and keeps it.
  enum class Sent : u8 { over, later, held };
  Sent proceed(u32 access, Cycle now);
  void step_queue(Cycle now);
  void hold(u32 slot, memory::Stall, u32 access, bool aside);
  void set_aside(u32 access);
  void part_over(u32 access, memory::ServedBy);
  /// From the instruction's issue until the part's value is there.
  void count_latency(Access& a, memory::ServedBy by) {
    Cycle latency = with_.wheel.now() - a.begun;
    if (by == memory::ServedBy::private_cache) latency += setup_.private_latency;
    const u32 level = static_cast<u32>(by);
    ++a.counts_of->latency_count[level];
    a.counts_of->latency_sum[level] += latency;
    ++with_.latencies[a.grid->account].of[level][latency_bucket(latency)];
  }
  void forget_order(Access&, bool performed, bool visible);
  void finish(u32 access);
  void conclude(u32 access);
  void release(u32 access);
  void forget_accesses(const GridRun&);
  void forget_held(const GridRun&);

  // Causes of stalls (timing_charge.cpp).
  StallCause cause_of(u32 scheduler);
  u64* persist_cause(u64 mine) const;
  void move_charges(u32 access, Access&);
  u64& structural(TimingStatistics&) const;
  static u64& served(TimingStatistics&, memory::ServedBy);
  static u64& data_of(TimingStatistics&, Source);

  const SmSetup& setup_;
  SmNeighbours with_;
  Sm& sm_;
  Alarm alarm_;
  const SmTrace trace_;
  LinePort* port_ = nullptr;

  WarpTable table_;
  std::vector<Scheduler> schedulers_;
  HeldWarps held_;
  AccessOrder order_;
  Polls polls_;
  ParkedWarps parked_;
  AccessPool accesses_;
  StallAccount stalls_;
  Residents residents_;
  FlushQueue flushes_;

  // The load/store unit.
  std::vector<u32> queue_;  // a ring
  u32 queue_first_ = 0, queue_count_ = 0;
  Cycle unit_free_ = 0;
  bool head_stalled_ = false;
  memory::Stall stall_ = memory::Stall::none;
  struct Aside {
    u32 first = no_access, last = no_access;
  };
  std::array<Aside, WarpTable::slots> aside_;  // accesses of a warp that is held, in order
  ConstantCache constants_;

  // While an instruction issues.
  u32 issuing_ = 0;
  Readiness result_ = 0;  // of what it writes
  u32 leader_ = no_access;
  MemoryOp fetch_;
};

}  // namespace ew::simt
