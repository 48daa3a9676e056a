#include "simt/sm/access_completion.hpp"

#include <algorithm>
#include <utility>

#include "simt/sm/stall_causes.hpp"

namespace ew::simt {

void AccessCompletion::performed(Access& a) {
  if (a.writes && a.counts && has_its_warp(a)) told_.order.performed(a.slot, a.instruction.pc->order.as);
}

/// From the instruction's issue until the part's value is there.
void AccessCompletion::count_latency(const Access& a, memory::ServedBy by, u32 times) {
  Cycle latency = wheel_.now() - a.begun;
  if (by == memory::ServedBy::private_cache) latency += private_latency_;
  const u32 level = static_cast<u32>(by);
  a.counts_of->latency_count[level] += times;
  a.counts_of->latency_sum[level] += times * latency;
  latencies_[a.grid->account].of[level][latency_bucket(latency)] += times;
}

void AccessCompletion::finish(u32 id) {
  Access& a = accesses_[id];
  const Cycle now = wheel_.now();
  if (!a.grid) return release(id);  // its grid has failed
  const bool has_warp = has_its_warp(a);
  const Ordering& order = a.instruction.pc->order;
  if (a.counts && has_warp) {
    if (!a.writes) told_.order.performed(a.slot, order.as);
    told_.order.visible(a.slot, order.as);
  }
  if (a.acquires) {  // before anything else of this SM: in the step, as this may be the private cache's call
    told_.order.acquire_soon(order.scope, a.grid->account);
    told_.alarm.wake(now);
  }
  if (a.copies && has_warp) {
    told_.order.copy_over(a.slot, a.group);
    --told_.table[a.slot].warp->under_way;
    told_.table.look_again(a.slot, Wait::order);
  }
  if (!a.retained) {  // within its own instruction
    if (!waits_for_access(issuing_.result))
      issuing_.result = std::max(issuing_.result, ready_at(std::max(a.ready, now), a.source));
    return release(id);
  }
  if (a.finishes) executor_.finish(a.op, Performed::done);
  if (has_warp) told_.residents.one_less_under_way(a.slot);
  told_.alarm.wake(now);
  const u32 leader_id = a.leader;
  Access& leader = accesses_[leader_id];
  a.done = true;
  if (leader_id != id) {
    leader.ready = std::max(leader.ready, a.ready);
    leader.served_by = a.served_by;
    --leader.others;
    release(id);
  }
  if (leader.done && leader.others == 0) conclude(leader_id);
}

/// All that an instruction asked for is there: its registers can be read.
void AccessCompletion::conclude(u32 id) {
  Access& a = accesses_[id];
  const Cycle now = wheel_.now();
  told_.stalls.move(a, id, counter_of(a, slots_of(a)), now);
  if (!a.writes && !a.copies && has_its_warp(a)) {
    WarpSlot& w = told_.table[a.slot];
    w.scoreboard.answer(a.instruction, id, ready_at(std::max(a.ready, now), a.source));
    if (w.warp && w.access == id) told_.table.look_again(a.slot, Wait::memory);
  }
  release(id);
}

void AccessCompletion::release(u32 id) {
  Access& a = accesses_[id];
  if (a.grid) told_.endings.access_over(*a.grid);
  a.grid = nullptr;
  ++a.serial;
  accesses_.give_back(id);
}

void AccessCompletion::forget(const GridRun& run) {
  for (u32 id = 0; id < accesses_.made(); ++id) {
    Access& a = accesses_[id];
    if (a.grid != &run) continue;
    slots_of(a).data_unserved += std::exchange(a.stalled, 0);
    a.grid = nullptr;
    if (a.to_complete == 0) release(id);
  }
}

}  // namespace ew::simt
