// One SM of the timing machine: warp slots with scoreboards, schedulers, the load/store unit with its queue, and the
// charge of every issue slot to a cause. Owned by TimingGpu, which steps it in cycles in which something is due.
//
// A warp slot is in one place: ready (its bit in ready_ of the unit that its next instruction needs), waiting for a
// cycle (its bit in the calendar, or an event beyond it), or waiting for somebody (an access, order, a barrier), who
// sets its bit in look_at_. What a warp waits for is also its bit in waits_, for the charge. Nothing is polled.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "simt/access_pool.hpp"
#include "simt/constant_cache.hpp"
#include "simt/line_port.hpp"
#include "simt/sm/alarm.hpp"
#include "simt/sm/sm_neighbours.hpp"
#include "simt/sm/sm_setup.hpp"
#include "simt/texture_sampler.hpp"
#include "simt/timing_statistics.hpp"

namespace ew::simt {

class TimingSm final : public memory::Agent {
 public:
  /// `active`: the word of the array of SMs that has this one's bit.
  TimingSm(const SmSetup&, const SmNeighbours&, Sm&, u64& active);

  void attach(LinePort& port) { port_ = &port; }
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
  void flush(const GridRun&);
  /// Adds what its warps have done since the last call.
  void look_at_polls(PollsLook&);
  /// Lanes of a warp of this block have been let go, and its bit in Block::ready is set.
  void released(const Block&);
  /// Takes blocks without warps off the SM. True: there was one.
  bool end_blocks();

  memory::ByteMask perform(u32 access, u32 part, u8* bytes) override;
  void complete(u32 access, u32 part, memory::ServedBy by) override;
  void wake() override;
  void released(u32 token) override;
  void resume(u64 warps) override;

  /// Of all launches, up to this cycle.
  TimingStatistics statistics(Cycle now);
  /// Of one that has ended, up to this cycle.
  TimingStatistics take(core::Account, Cycle now);
  /// No more will run: what ends of warps and of accesses count is counted up to here.
  void settle(Cycle now);
  /// Idle slots are this account's from now on.
  void charge_idle_slots(Cycle now, core::Account alone);
  std::string what_is_under_way() const;

 private:
  static constexpr u32 slots = 64, calendar = 64, no_access = ~u32{0};
  static constexpr u32 reserve = 2 * most_taps;  // accesses that one instruction may take
  static constexpr u32 flush_token = 1u << 31;

  /// Causes of a wait, weakest first after those of the units: the order of the charge.
  enum Wait : u8 { for_memory, for_order, for_data, for_control, for_nothing };
  static constexpr u32 waits = 5;

  struct BlockRun {
    Block* block = nullptr;
    u64 parked = 0;  // warps that the Executor has no split to run for
    u64 draining = 0;
    u32 barriers_over = 0;  // seen
    std::array<u8, 64> slot_of{};
  };
  void record_block(core::TraceKind, const BlockRun&);
  void tell_warp(core::TraceKind, u32 slot) const;
  void tell_abandoned(const BlockRun&) const;

  struct Slot {
    Warp* warp = nullptr;
    BlockRun* block = nullptr;
    GridRun* grid = nullptr;
    TimingStatistics* counts = nullptr;  // of its launch
    Cycle begun = 0;
    const KernelTiming* timing = nullptr;
    const PcTiming* next = nullptr;
    u64 next_issue = 0;                 // a readiness
    std::vector<u64> rows, predicates;  // readiness of each, absolute
    u32 words = 0;                      // of the warp that the two have room for
    u32 generation = 0;
    u32 access = no_access;  // that it waits for
    u8 kind = 0;             // of readiness that it waits for
    Wait wait = for_nothing;
    bool draining = false;  // its lanes have exited, loads are under way
    bool releasing = false, released = false;
    bool ordered = false;                                     // the order operation before the next instruction is over
    memory::PersistOrder after = memory::PersistOrder::none;  // the one behind the last instruction is not
    Scope after_scope = Scope::none;
    u32 held_first = no_access, held_last = no_access;  // accesses that wait until it is no longer held, in order
    u32 releases = 0;                                   // counts, so that an answer can be told from a late one
    u16 unperformed_classes = 0, invisible_classes = 0;
    std::array<u16, memory::order_classes> unperformed{}, invisible{};
    std::array<u16, 16> copies{};  // under way, by group
    u8 group = 0;                  // that new copies belong to
    // What its lanes had in their registers when they were seen to spin, by the first lane of their split.
    std::array<u64, warp_lanes> spin_states{};
    LaneMask spun = 0;  // since the last look
    u32 releases_at_look = 0;
    Cycle spin_seen = 0;
    bool timed = false;  // it has read a clock since the last look
    u32 rounds = 0;      // Spinning::rounds that have been looked at
    u32 pause = 0;       // before its next strong access
  };

  /// A readiness: the cycle above three bits of kind, or, with the top bit, the number of an access.
  enum Kind : u8 { computed, cached, from_shared, constant, after_branch, after_barrier };
  static constexpr u64 waiting = u64{1} << 63;
  static constexpr u64 ready_at(Cycle when, Kind kind) { return when << 3 | kind; }

  struct Cause {
    u64* counter = nullptr;  // or an access, which keeps the charge until it is over
    u32 access = no_access;
  };

  // Issue (timing_sm.cpp).
  void look_at(u32 slot, Cycle now);
  void see_spinning(Slot&, Cycle now);
  void stagger(u32 slot);
  void pause_below(u32 slot, u32 bound);
  bool starves_another(const ContestedWords::Word&, u32 slot) const;
  void give_way(u32 slot, const MemoryOp&, LaneMask);
  u32 writer_of(u32 slot) const { return (sm_.index + 1) * slots + slot; }
  void park(u32 slot);
  bool may_go_by_order(u32 slot);
  bool ask(u32 slot, memory::PersistOrder, Scope);
  void barrier_over(BlockRun&);
  static bool copies_done(const Slot&);
  u32 token_of(u32 slot) const { return slot | (warps_[slot].releases << 6 & ~flush_token); }
  void look_again(u32 slot, Wait if_it_waits);
  void wait_until(u32 slot, Cycle when, Cycle now);
  void calendar_event(u64 slot, u64 generation);
  void wait_for(u32 slot, Wait);
  void become_ready(u32 slot);
  void be_ready(u32 slot);
  u64 candidates(u32 scheduler, Cycle now) const;
  void look_for_starved(u32 scheduler);
  void issue(u32 scheduler, Cycle now);
  void issue_warp(u32 slot, u32 scheduler, Cycle now);
  void after(u32 slot, u32 pc, Outcome, Cycle now);
  void limit_or_look(u32 slot, Cycle now);
  void wake_block(BlockRun&, Cycle now);
  void schedule_sleepers(BlockRun&, const Warp&, Cycle now);
  void sleepers_event(u64 block, u64);
  bool release_waiting(BlockRun&);
  bool wake_released(BlockRun&);
  void check_deadlock(BlockRun&);
  void end_warp(u32 slot);
  void drained(u32 slot);
  void leave(u32 slot);
  void count_residence(const Slot&);
  void step_flushes();
  void flushed();
  void set_due(Cycle now);

  // Memory (timing_memory.cpp).
  void name_flags(const MemoryOp&);
  Performed global(MemoryOp&);
  Performed crossing(MemoryOp&);
  Performed generic(MemoryOp&);
  Performed async_copy(MemoryOp&);
  Performed flat(MemoryOp&);
  Performed flat_now(MemoryOp&);
  memory::ByteMask perform_now(Access&, u32 part, u8* bytes);
  template <class Place, class Bytes, class Perform>
  auto watch(u32 slot, const MemoryOp&, LaneMask, Place, Bytes, Perform);
  Performed flat_watched(MemoryOp&);
  memory::ByteMask perform_watched(Access&, u32 part, u8* bytes);
  memory::ByteMask perform_recorded(Access&, const AccessPart&, Shape, u64 bias, bool in_place);
  Performed shared(MemoryOp&);
  void shared_time(const MemoryOp&);
  void constant_time(const MemoryOp&);
  void near_time(MemoryOp&);
  void local_time(const MemoryOp&, u64 window);
  void shadow(const MemoryOp&, memory::AccessKind, Kind);
  void unit_time(u32 busy, u32 latency, Kind);
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
  void record(core::TraceKind, const Access&, u32 part) const;

  // Charge (timing_charge.cpp).
  void charge(Cycle until);
  void choose_causes(Cycle now);
  Cause cause_of(u32 scheduler);
  u64* persist_cause(u64 mine);
  /// Of the launch of the first of these warps.
  TimingStatistics& counts_of(u64 warps) { return *warps_[static_cast<u32>(std::countr_zero(warps))].counts; }
  void move_charges(u32 access, Access&);
  u64& structural(TimingStatistics&) const;
  static u64& served(TimingStatistics&, memory::ServedBy);
  static u64& data_of(TimingStatistics&, u8 kind);

  const SmSetup& setup_;
  SmNeighbours with_;
  Sm& sm_;
  Alarm alarm_;
  LinePort* port_ = nullptr;
  core::Accounts<TimingStatistics> accounts_;
  u64* idle_ = &accounts_[core::nobody].idle;
  u64 active_cycles_ = 0;  // of all launches together

  std::array<Slot, slots> warps_;
  std::array<Contender, slots> contenders_;  // by slot
  std::vector<BlockRun> blocks_;
  u64 occupied_ = 0;
  std::array<u64, slots> age_{};
  u64 arrivals_ = 0;

  u32 schedulers_;
  std::array<u64, 8> mine_{};
  std::array<u32, 8> last_{};
  struct Fairness {
    u64 passed_over = 0;  // ready at the last look, and none of their instructions issued since
    u64 starved = 0;      // the same at two looks: these go first
    u32 slots = 0;        // with a ready warp, since the last look
  };
  static constexpr u32 patience = 256;  // such slots from one look to the next
  std::array<Fairness, 8> fairness_{};
  std::array<std::array<Cycle, units>, 8> busy_{};
  std::array<u64, units> ready_{};
  u32 ready_units_ = 0;  // that have a ready warp
  std::array<u64, calendar> calendar_{};
  u64 calendar_days_ = 0;  // days of the calendar that have a warp
  u64 look_at_ = 0;
  u64 dated_ = 0;  // slots that the calendar or an event wakes
  core::Account acquire_account_ = core::nobody;
  Scope acquire_due_ = Scope::none;  // a load has acquired: before the next access
  std::vector<u32> flushes_;         // of which grids; the first is under way
  bool flushing_ = false;

  // The load/store unit.
  AccessPool accesses_;
  std::vector<u32> queue_;  // a ring
  u32 queue_first_ = 0, queue_count_ = 0;
  Cycle unit_free_ = 0;
  bool head_stalled_ = false;
  // Warps that the persistency model holds: because of an access, by cause; at an order operation.
  u64 held_ = 0, held_at_order_ = 0;
  std::array<u64, memory::persist_holds> held_by_{};
  memory::Stall stall_ = memory::Stall::none;
  ConstantCache constants_;

  // While an instruction issues.
  u32 issuing_ = 0;
  u64 result_ = 0;  // readiness of what it writes
  u32 leader_ = no_access;
  MemoryOp fetch_;

  // The charge.
  std::array<u64, waits> waits_{};
  std::array<Cause, 8> causes_;
  u64 issued_now_ = 0;  // schedulers
  Cycle charged_ = 0;
  bool was_occupied_ = false;
};

}  // namespace ew::simt
