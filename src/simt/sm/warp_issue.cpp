#include "simt/sm/warp_issue.hpp"

#include <algorithm>
#include <utility>

#include "simt/assist.hpp"

namespace ew::simt {

namespace {

/// First the sets of warps, then the slots of those that are ready, then those warps.
void expect_warps(const WarpTable& table, const Schedulers& schedulers, u32 step) {
  if (step == 0) {
    const char* const sets = reinterpret_cast<const char*>(&table.ready());
    for (int at = -64; at < 448; at += 64) core::prefetch(sets + at);
    return schedulers.expect();
  }
  for (u64 left = table.ready().all(); left; left &= left - 1) {
    const WarpSlot& slot = table[first_of(left)];
    if (step == 1) {
      core::prefetch(&slot);
      core::prefetch(reinterpret_cast<const char*>(&slot) + 64);
    } else if (slot.warp) {
      core::prefetch(slot.warp);
      core::prefetch(&slot.warp->split_count);
      core::prefetch(&slot.warp->spin);
    }
  }
}

}  // namespace

WarpIssue::WarpIssue(const SmSetup& setup, u32 sm, const Parts& parts)
    : with_(parts), setup_(setup), width_(setup.config.issue_width), sm_bits_(u64{sm} << 52) {}

void WarpIssue::expect(const core::Inbox& coming, Cycle end, bool long_window, u32 step) const {
  if (coming.next() < end && port_) port_->expect(coming, end, step);
  if (step == 1) with_.unit.expect();
  if (long_window) expect_warps(with_.table, with_.schedulers, step);
}

Cycle WarpIssue::due(u64 warps, Cycle now) const {
  const ReadySets& ready = with_.table.ready();
  const u64 memory = warps & ready.of(Unit::memory), others = warps & ~memory;
  Cycle due = memory ? with_.unit.takes_more_from(now) : core::never;
  if (!others) return due;
  for (const Scheduler& scheduler : std::as_const(with_.schedulers)) {
    const u64 slots = others & scheduler.mine();
    if (!slots) continue;
    due = std::min(due, scheduler.takes_from(ready, slots, now + 1));
    if (due <= now + 1) return due;
  }
  return due;
}

/// What does the warp wait for before its next instruction?
void WarpIssue::look_at(u32 slot, Cycle now, Cycle next) {
  WarpTable& table = with_.table;
  WarpSlot& w = table[slot];
  table.stop_waiting(bit(slot));
  if (!w.warp || w.draining) return;
  Warp& warp = *w.warp;
  if (!with_.executor.make_ready(warp)) return with_.parked.park(slot);
  const Split& split = warp.split();
  const Frame& frame = warp.frames[split.frame];
  const ptx::Pc at = split.pc - w.ahead;
  w.next.pc = &w.next.timing->pcs[at];
  w.next.row_base = frame.row_base;
  w.next.predicate_base = frame.predicate_base;
  w.scoreboard.fit(warp);
  look_at_next(slot, w, w.scoreboard.latest(w.next), now, next);
}

/// The same of a warp whose next instruction is known. `latest`: its scoreboard's.
[[gnu::always_inline]] inline void WarpIssue::look_at_next(u32 slot, WarpSlot& w, Readiness latest, Cycle now,
                                                           Cycle next) {
  WarpTable& table = with_.table;
  const PcTiming& pc = *w.next.pc;
  table.needs(slot, pc.unit);
  if (waits_for_access(latest)) {
    w.access = access_of(latest);
    with_.schedulers.waits_for_memory(slot);
    return table.wait_for(slot, Wait::memory);
  }
  w.access = no_access;
  Cycle when = cycle_of(latest);
  if (pc.order.strong && with_.polls.pauses(slot)) [[unlikely]]
    when = std::max(when, now) + with_.polls.take_pause(slot);
  const bool ordered = with_.order.concerns(slot, pc);
  if (when > next || (ordered && when > now)) {
    w.source = source_of(latest);
    static constexpr Wait wait_of[] = {Wait::data,   Wait::memory,  Wait::memory,
                                       Wait::memory, Wait::control, Wait::order};
    return table.wait_until(slot, when, now, wait_of[static_cast<u32>(w.source)], ordered);
  }
  if (ordered && !with_.order.may_issue(slot)) return table.wait_for(slot, Wait::order);
  table.be_ready(bit(slot));
}

inline u64 WarpIssue::candidates(Scheduler& scheduler, Cycle now) const {
  const ReadySets& ready = with_.table.ready();
  u64 found = scheduler.candidates(ready, now) & ~with_.held.at_accesses();
  const u64 memory = ready.needing(Unit::memory), texture = ready.needing(Unit::texture);
  if (!(found & (memory | texture))) return found;
  if (found & memory && !with_.unit.takes_more(now)) found &= ~memory;
  if (!with_.unit.has_room()) found &= ~texture;
  return found;
}

inline void WarpIssue::note_issue(u32 slot, WarpSlot& w, Cycle now) {
  const PcTiming& pc = *w.next.pc;
  ++(w.counts->instructions.*pc.issued);
  digest_ = (digest_ ^ (now << 20 ^ sm_bits_ ^ u64{slot} << 44 ^ pc.index)) * 0x9e3779b97f4a7c15;
  with_.trace.issued(now, slot);
  ++w.issues;
  if (pc.ordered) with_.order.issues(slot);
}

/// Values come at once, of as many instructions as touch nothing but registers, if these are all there. When they count
/// is the scoreboard's affair. Where a count of instructions ends the run, they come one by one.
[[gnu::noinline]] void WarpIssue::compute(WarpSlot& w) const {
  const bool one_by_one =
      w.warp->split_count != 1 || w.scoreboard.waits_for_answers() || with_.progress.ends_by_count();
  w.ahead = one_by_one ? 1 : w.next.pc->run;
  with_.executor.compute(*w.warp, &w.next.instr(), w.ahead, w.next.row_base, w.next.predicate_base);
}

void WarpIssue::issue_warp(u32 slot, WarpSlot& w, u32 index, Scheduler& scheduler, Cycle now) {
  WarpTable& table = with_.table;
  const PcTiming& pc = *w.next.pc;
  note_issue(slot, w, now);
  if (pc.unit != Unit::none && pc.unit != Unit::memory) {
    scheduler.occupy(pc.unit, now + pc.interval);
    with_.schedulers.has_occupied(index, pc.unit, now + pc.interval);
  }
  const Cycle next_issue = next(now);
  w.scoreboard.set_next_issue(ready_at(next_issue, Source::computed));
  const Readiness result = ready_at(now + pc.latency, Source::computed);
  if (!pc.arithmetic) {
    table.issues(slot);
    return issue_other(slot, w, result, now);
  }
  if (!w.ahead) compute(w);
  w.scoreboard.write(w.next, result);
  with_.progress.executed();
  if (--w.ahead == 0 && (!pc.straight || w.warp->split_count != 1 || with_.progress.limit())) {
    table.issues(slot);
    return go_on(slot, now);
  }
  ++w.next.pc;
  const Readiness latest = w.scoreboard.latest(w.next);
  // Arithmetic waits for its registers alone. The warp stays ready.
  if (w.next.pc->arithmetic && latest < ready_at(next_issue + 1, Source{})) return table.needs(slot, w.next.pc->unit);
  table.issues(slot);
  look_at_next(slot, w, latest, now, next_issue);
}

inline void WarpIssue::issue(u32 index, Scheduler& scheduler, Cycle now) {
  const u64 could = candidates(scheduler, now);
  if (!could) return;
  scheduler.opportunity(with_.table.ready(), with_.held.at_accesses());
  with_.stalls.issues(index);
  const u32 slot = scheduler.choose(could, with_.table.ages());
  WarpSlot& w = with_.table[slot];
  ++w.slots->issued;
  issue_warp(slot, w, index, scheduler, now);
  for (u32 n = 1; n < width_; ++n) {  // of the same warp
    if (with_.endings.failed() || !(candidates(scheduler, now) & bit(slot))) return;
    issue_warp(scheduler.choose(bit(slot), with_.table.ages()), w, index, scheduler, now);
  }
}

void WarpIssue::issue(Cycle now) {
  // A warp that is not ready does not become so before the end of the cycle's issue.
  const u64 ready = with_.table.ready().all() & ~with_.held.at_accesses();
  if (!ready || with_.endings.failed()) return;
  if (const u64 memory = with_.table.ready().of(Unit::memory); !(ready & ~memory) && !with_.unit.takes_more(now))
    return;
  u32 index = 0;
  for (Scheduler& scheduler : with_.schedulers) {
    if (ready & scheduler.mine()) {
      issue(index, scheduler, now);
      if (with_.endings.failed()) return;
    }
    ++index;
  }
}

/// An instruction that is more than arithmetic.
void WarpIssue::issue_other(u32 slot, WarpSlot& w, Readiness result, Cycle now) {
  const ptx::Instr& instr = w.next.instr();
  with_.issuing = {.slot = slot, .result = result};
  const Outcome outcome = execute(w, now);
  const PcTiming& pc = *w.next.pc;
  if (waits_for_access(with_.issuing.result))
    w.scoreboard.write_with(w.next, access_of(with_.issuing.result));
  else
    w.scoreboard.write(w.next, with_.issuing.result);
  with_.progress.executed();
  if (!pc.alone || outcome != Outcome::running) return after(slot, instr, outcome, now);
  if (instr.op == ptx::Op::mov_special && w.warp->spin.timed) with_.polls.note_clock(slot);
  if (pc.branches) with_.polls.branched(slot);
  if (!Executor::is_together(*w.warp) || with_.progress.limit()) return go_on(slot, now);
  const ptx::Pc at_next = w.warp->split().pc;
  w.next.pc = &w.next.timing->pcs[at_next];
  look_at_next(slot, w, w.scoreboard.latest(w.next), now, next(now));
}

inline Outcome WarpIssue::execute(WarpSlot& w, Cycle now) {
  const PcTiming& pc = *w.next.pc;
  Warp& warp = *w.warp;
  const Outcome outcome = with_.executor.run_alone(warp);
  if (pc.branches && (!warp.split_count || warp.split().pc != pc.index + 1))
    w.scoreboard.set_next_issue(ready_at(now + setup_.config.branch_latency, Source::branch));
  if (pc.order.after != memory::PersistOrder::none) {  // behind the value
    w.scoreboard.delay_next_issue(with_.issuing.result);
    with_.order.ask_behind(with_.issuing.slot, pc.order);
  } else if (pc.order_cycles) {
    w.scoreboard.set_next_issue(ready_at(now + 1 + pc.order_cycles, Source::barrier));
  }
  return outcome;
}

void WarpIssue::go_on(u32 slot, Cycle now) {
  if (with_.progress.limit()) [[unlikely]] {
    const WarpSlot& w = with_.table[slot];
    Grid& grid = *w.run().grid;
    if (with_.progress.beyond_limit(grid.counters))
      return with_.endings.fail(grid, with_.executor.fault_of(*w.warp, FaultKind::instruction_limit,
                                                              std::to_string(with_.progress.limit()) +
                                                                  " warp instructions have run (--max-instructions)"));
  }
  look_at(slot, now, next(now));
}

/// An instruction that is more than arithmetic may have woken others, or ended its warp.
void WarpIssue::after(u32 slot, const ptx::Instr& instr, Outcome outcome, Cycle now) {
  WarpSlot& w = with_.table[slot];
  ResidentBlock& block = *w.block;
  Grid& grid = *w.run().grid;
  if (outcome == Outcome::faulted) return with_.endings.fail(grid, with_.executor.take_fault());
  switch (instr.op) {
    case ptx::Op::fence:
      if (const u32 cycles = w.next.pc->fence_cycles; cycles && with_.order.take_stores(slot))
        w.scoreboard.delay_next_issue(ready_at(now + 1 + cycles, Source::barrier));
      if (w.next.pc->order.acquires) port_->acquire(w.next.pc->order.scope, w.run().account);
      break;
    case ptx::Op::async_commit:
      with_.order.commit_copies(slot);
      break;
    case ptx::Op::barrier:
      with_.parked.arrive(slot, grid.kernel->barriers[instr.imm].kind != ptx::BarrierKind::arrive, now);
      break;
    case ptx::Op::nanosleep:
      with_.parked.wake_later(block, *w.warp, now);
      break;
    case ptx::Op::region:
      if (asks_for_assist(*block.block, instr)) with_.residents.wake_assist(slot);
      if (marks_helper(grid.kernel->regions[instr.imm])) w.slots = &w.counts->helper_slots;
      break;
    default:
      break;
  }
  if (outcome == Outcome::ended) with_.residents.end_warp(slot);
  if (block.block && block.block->barriers_over != block.barriers_over) [[unlikely]] {
    block.barriers_over = block.block->barriers_over;
    if (setup_.persists.model) with_.order.barrier_over(block);
  }
  if (block.block) with_.parked.wake(block, now);
  if (outcome == Outcome::ended) return;
  if (outcome == Outcome::spinning) with_.polls.see_spinning(slot, now);
  if (w.next.pc->branches) with_.polls.branched(slot);
  go_on(slot, now);
}

}  // namespace ew::simt
