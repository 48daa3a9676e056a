// One SM of the timing machine: its controllers put together, and what happens between them when an instruction issues.
// Owned by SmArray, which steps it in cycles in which something is due.
//
// Each controller answers one question. Who is on the SM: residents, parked_warps; what they wait for:
// warp_table; who issues: scheduler. What an instruction asks of memory: memory_instructions, local_memory; what
// becomes of its accesses: load_store_unit, access_completion. May it issue by the order of accesses: access_order,
// held_warps. Who polls: polls, steady_polls (of hierarchy_answers). Whose is a lost issue slot: stall_causes,
// stall_account.
#pragma once

#include "simt/sm/hierarchy_answers.hpp"
#include "simt/sm/memory_instructions.hpp"
#include "simt/sm/sm_neighbours.hpp"
#include "simt/sm/stall_causes.hpp"
#include "simt/sm/warp_issue.hpp"

namespace ew::simt {

class TimingSm {
 public:
  TimingSm(const SmSetup&, const SmNeighbours&, Sm&, core::Partition&);

  /// REQUIRES: before the first block, once.
  void attach(LinePort&);
  /// For the private cache.
  memory::Agent& agent() { return answers_; }

  /// One cycle.
  void step(Cycle now);
  /// The next cycle in which this SM does something by itself.
  Cycle due() const { return alarm_.due(); }
  /// An instruction asks for memory; called by the Executor while this SM issues.
  Performed memory(MemoryOp& op) { return instructions_.memory(op); }

  void add(Block&, GridRun&);
  /// Sends what the private cache holds home, for the launch of this index; a notice says when that is done.
  void flush(u32 run) { flushes_.flush(run); }
  /// The GPU's answer to a fence of this SM (Endings::fence).
  void fence_over(u32 token) { order_.fence_over(token); }
  /// The launch has failed: its warps are gone, its accesses finish alone.
  void forget(const GridRun&, Cycle now);
  const Endings& endings() const { return endings_; }
  /// Lanes of a warp of this block have been let go, and its bit in Block::ready is set.
  void released(const Block& block) { parked_.let_go(parked_.of(block)); }
  /// Adds what its warps have done since the last call.
  void look_at_polls(PollsLook& look) { polls_.look(look); }

  StallAccount& account() { return stalls_; }
  /// Of one that has ended, up to this cycle.
  TimingStatistics take(core::Account, Cycle now);
  /// No more will run: what ends of warps and of accesses count is counted up to here.
  void settle(Cycle now);
  std::string what_is_under_way() const { return unit_.what_is_under_way(sm_.index); }
  const WarpIssue& issue() const { return issue_; }

 private:
  Sm& sm_;

  Alarm alarm_;
  Endings endings_;
  const SmTrace trace_;
  WarpTable table_;
  Schedulers schedulers_;
  HeldWarps held_;
  AccessOrder order_;
  Polls polls_;
  ParkedWarps parked_;
  AccessPool accesses_;
  StallAccount stalls_;
  Residents residents_;
  FlushQueue flushes_;
  Issuing issuing_;
  AccessCompletion completion_;
  LoadStoreUnit unit_;
  HierarchyAnswers answers_;
  StallCauses causes_;
  Scratchpad local_;
  MemoryInstructions instructions_;
  WarpIssue issue_;
};

}  // namespace ew::simt
