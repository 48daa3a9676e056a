// Issue: which warp, when, and what becomes of it.
#include "simt/timing_sm.hpp"

#include <algorithm>
#include <utility>

namespace ew::simt {

TimingSm::TimingSm(const SmSetup& setup, const SmNeighbours& with, Sm& sm, u64& active)
    : setup_(setup),
      with_(with),
      sm_(sm),
      alarm_(with.wheel, active, sm.index),
      trace_(with.trace, with.wheel, sm.index),
      table_(with.wheel, alarm_),
      order_(table_, held_),
      polls_(setup, sm.index, with.wheel, table_, with.polls),
      parked_(setup.limits.blocks_per_sm, setup.config.barrier_latency, table_, with.executor, with.wheel, alarm_,
              with.endings),
      accesses_(setup.config.accesses),
      stalls_(setup.config.schedulers, sm.index, accesses_),
      residents_(sm, with.wheel, with.residency, with.skew, with.polls, with.endings, alarm_,
                 {table_, parked_, order_, polls_, stalls_, trace_}),
      flushes_(AccessOrder::tokens_end, with.runs, with.endings, alarm_),
      queue_(setup.config.accesses),
      constants_(setup.config.constant_cache.count, setup.config.constant_line, setup.config.constant_ways) {
  const u32 schedulers = setup.config.schedulers;
  for (u32 s = 0; s < schedulers; ++s) {
    u64 mine = 0;
    for (u32 slot = s; slot < WarpTable::slots; slot += schedulers) mine |= bit(slot);
    schedulers_.emplace_back(setup.policy, mine, s);
  }
}

void TimingSm::attach(LinePort& port) {
  port_ = &port;
  order_.attach(port);
  flushes_.attach(port);
}

void TimingSm::add(Block& block, GridRun& run) {
  if (bool& been = run.on_sm[sm_.index].been; !been) {
    been = true;
    port_->acquire(Scope::sys, run.account);
    constants_.clear();
  }
  residents_.add(block, run);
}

void TimingSm::step(Cycle now) {
  stalls_.charge(now);
  sm_.cycle = now;
  stalls_.begin_step();
  order_.acquire_if_due();
  flushes_.step();
  table_.wake(now);
  while (table_.any_to_look_at()) look_at(table_.next_to_look_at(), now);
  for (u32 s = 0; s < schedulers_.size() && !with_.endings.failed(); ++s) issue(s, now);
  if (queue_count_) step_queue(now);
  while (table_.any_to_look_at() && !with_.endings.failed()) look_at(table_.next_to_look_at(), now);
  alarm_.set(due_behind(now));
  stalls_.end_step(now, table_.occupied() != 0, alarm_.due() == now + 1, [this](u32 s) { return cause_of(s); });
}

Cycle TimingSm::due_behind(Cycle now) const {
  Cycle due = table_.due(now);
  if (queue_count_ && !head_stalled_) due = std::min(due, std::max(now + 1, unit_free_));
  if (due == now + 1) return due;
  table_.ready().each([&](u32 unit, u64 slots) {
    slots &= ~held_.at_accesses();
    if (static_cast<Unit>(unit) == Unit::memory) {
      if (slots && queue_count_ < setup_.config.memory_queue && accesses_.room() > reserve)
        due = std::min(due, std::max(now + 1, unit_free_ - std::min<Cycle>(unit_free_, setup_.config.memory_queue)));
      return;
    }
    for (const Scheduler& scheduler : schedulers_)
      if (slots & scheduler.mine()) due = std::min(due, std::max(now + 1, scheduler.free_from(unit)));
  });
  return due;
}

/// What does the warp wait for before its next instruction?
void TimingSm::look_at(u32 slot, Cycle now) {
  WarpSlot& w = table_[slot];
  table_.stop_waiting(slot);
  if (!w.warp || w.draining) return;
  Warp& warp = *w.warp;
  if (!with_.executor.make_ready(warp)) return parked_.park(slot);
  const Split& split = warp.split();
  const Frame& frame = warp.frames[split.frame];
  const PcTiming& pc = w.next.timing->pcs[split.pc];
  w.next.pc = &pc;
  w.next.row_base = frame.row_base;
  w.next.predicate_base = frame.predicate_base;
  w.scoreboard.fit(warp);
  const Readiness latest = w.scoreboard.latest(w.next);
  w.access = no_access;
  if (waits_for_access(latest)) {
    w.access = access_of(latest);
    return table_.wait_for(slot, Wait::memory);
  }
  Cycle when = cycle_of(latest);
  if (polls_.pauses(slot) && pc.order.strong) [[unlikely]]
    when = std::max(when, now) + polls_.take_pause(slot);
  const bool ordered = order_.concerns(slot, pc);
  if (when > now) {
    w.source = source_of(latest);
    constexpr Wait wait_of[] = {Wait::data, Wait::memory, Wait::memory, Wait::memory, Wait::control, Wait::order};
    return table_.wait_until(slot, when, now, wait_of[static_cast<u32>(w.source)], ordered);
  }
  if (ordered && !order_.may_issue(slot)) return table_.wait_for(slot, Wait::order);
  table_.be_ready(slot);
}

u64 TimingSm::candidates(const Scheduler& scheduler, Cycle now) const {
  const ReadySets& ready = table_.ready();
  u64 found = scheduler.candidates(ready, now) & ~held_.at_accesses();
  const u64 memory = ready.of(Unit::memory), texture = ready.of(Unit::texture);
  if (!(found & (memory | texture))) return found;
  if (memory && (queue_count_ >= setup_.config.memory_queue || accesses_.room() <= reserve ||
                 unit_free_ > now + setup_.config.memory_queue))
    found &= ~memory;
  if (accesses_.room() <= reserve) found &= ~texture;
  return found;
}

void TimingSm::issue(u32 s, Cycle now) {
  Scheduler& scheduler = schedulers_[s];
  u64 could = candidates(scheduler, now);
  if (could) scheduler.opportunity(table_.ready(), held_.at_accesses());
  for (u32 n = 0; could && n < setup_.config.issue_width; ++n) {
    const u32 slot = scheduler.choose(could, table_.ages());
    issue_warp(slot, s, now);
    if (with_.endings.failed() || setup_.config.issue_width == 1) return;
    could = candidates(scheduler, now) & bit(slot);
  }
}

void TimingSm::issue_warp(u32 slot, u32 s, Cycle now) {
  WarpSlot& w = table_[slot];
  const IssuedInstruction instruction = w.next;
  const PcTiming& pc = *instruction.pc;
  Warp& warp = *w.warp;
  const u32 at = warp.split().pc;
  table_.issues(slot, pc.unit);
  TimingStatistics& counts = *w.counts;
  counts.issued += stalls_.issues(s);
  ++(counts.*pc.issued);
  with_.progress.issues(now, sm_.index, slot, at);
  trace_.issued(now, slot);
  if (pc.unit != Unit::none && pc.unit != Unit::memory) schedulers_[s].occupy(pc.unit, now + pc.interval);
  ++w.issues;
  order_.issues(slot);
  const Cycle next = setup_.config.issue_width > 1 ? now : now + 1;
  if (pc.arithmetic) {
    w.scoreboard.set_next_issue(ready_at(next, Source::computed));
    with_.executor.step(warp);
    w.scoreboard.write(instruction, ready_at(now + pc.latency, Source::computed));
    with_.progress.executed();
    return limit_or_look(slot, now);
  }
  issuing_ = slot;
  leader_ = no_access;
  result_ = ready_at(now + pc.latency, Source::computed);
  w.scoreboard.set_next_issue(ready_at(next, Source::computed));
  u64 count = 0;
  const Outcome outcome = with_.executor.run(warp, 1, count);
  if (pc.branches && (!warp.split_count || warp.split().pc != at + 1))
    w.scoreboard.set_next_issue(ready_at(now + setup_.config.branch_latency, Source::branch));
  if (pc.order.after != memory::PersistOrder::none) {  // behind the value
    w.scoreboard.delay_next_issue(result_);
    order_.ask_behind(slot, pc.order);
  } else if (pc.order_cycles) {
    w.scoreboard.set_next_issue(ready_at(now + 1 + pc.order_cycles, Source::barrier));
  }
  w.scoreboard.write(instruction, result_);
  with_.progress.executed();
  after(slot, at, outcome, now);
}

void TimingSm::limit_or_look(u32 slot, Cycle now) {
  const WarpSlot& w = table_[slot];
  Grid& grid = *w.grid->grid;
  if (with_.progress.beyond_limit(grid.counters)) [[unlikely]]
    return with_.endings.fail(grid, with_.executor.fault_of(*w.warp, FaultKind::instruction_limit,
                                                            std::to_string(with_.progress.limit()) +
                                                                " warp instructions have run (--max-instructions)"));
  look_at(slot, now);
}

/// An instruction that is more than arithmetic may have woken others, or ended its warp.
void TimingSm::after(u32 slot, u32 pc, Outcome outcome, Cycle now) {
  WarpSlot& w = table_[slot];
  ResidentBlock& block = *w.block;
  Grid& grid = *w.grid->grid;
  if (outcome == Outcome::faulted) return with_.endings.fail(grid, with_.executor.take_fault());
  const ptx::Instr& instr = grid.kernel->code[pc];
  switch (instr.op) {
    case ptx::Op::fence:
      if (w.next.pc->order.acquires) port_->acquire(w.next.pc->order.scope, w.grid->account);
      break;
    case ptx::Op::async_commit:
      order_.commit_copies(slot);
      break;
    case ptx::Op::nanosleep:
      parked_.wake_later(block, *w.warp, now);
      break;
    default:
      break;
  }
  polls_.note_clock(slot, w.warp->spin.timed);
  if (outcome == Outcome::ended) residents_.end_warp(slot);
  if (setup_.persists.model && block.block && block.block->barriers_over != block.barriers_over)
    order_.barrier_over(block);
  if (block.block) parked_.wake(block, now);
  if (outcome == Outcome::ended) return;
  polls_.went_on(slot, outcome == Outcome::spinning, now);
  limit_or_look(slot, now);
}

void TimingSm::forget(const GridRun& run) {
  stalls_.charge(with_.wheel.now());
  residents_.forget(run);
  forget_accesses(run);
  stalls_.choose_anew([this](u32 s) { return cause_of(s); });
}

}  // namespace ew::simt
