// Issue: which warp, when, and what becomes of it.
#include "simt/timing_sm.hpp"

#include <algorithm>
#include <utility>

namespace ew::simt {
namespace {

u64 bit(u32 slot) {
  return u64{1} << slot;
}

u32 first_of(u64 slots) {
  return static_cast<u32>(std::countr_zero(slots));
}

}  // namespace

TimingSm::TimingSm(const SmSetup& setup, const SmNeighbours& neighbours, Sm& sm, u64& active)
    : setup_(setup),
      with_(neighbours),
      sm_(sm),
      alarm_(neighbours.wheel, active, sm.index),
      blocks_(setup.limits.blocks_per_sm),
      schedulers_(setup.config.schedulers),
      accesses_(setup.config.accesses),
      queue_(setup.config.accesses),
      constants_(setup.config.constant_cache.count, setup.config.constant_line, setup.config.constant_ways) {
  for (u32 slot = 0; slot < slots; ++slot) mine_[slot % schedulers_] |= bit(slot);
  for (u32 s = 0; s < schedulers_; ++s) {
    last_[s] = s;
    causes_[s].counter = idle_;
  }
}

void TimingSm::add(Block& block, GridRun& run) {
  const Cycle now = with_.wheel.now();
  charge(now);
  was_occupied_ = true;
  GridRun::OnSm& on_this = run.on_sm[sm_.index];
  if (!on_this.been) {
    on_this.been = true;
    port_->acquire(Scope::sys, run.account);
    constants_.clear();
  }
  if (!on_this.warps) on_this.since = std::max(now, on_this.until);
  on_this.warps += run.grid->warps;
  BlockRun& here = *std::find_if(blocks_.begin(), blocks_.end(), [](const BlockRun& b) { return !b.block; });
  here = BlockRun{.block = &block, .barriers_over = block.barriers_over};
  record_block(core::TraceKind::launched, here);
  const u64 block_skew = with_.skew.of_block();
  sm_.cycle = now;
  for (u32 i = 0; i < run.grid->warps; ++i) {
    const u32 slot = first_of(~occupied_);
    occupied_ |= bit(slot);
    here.slot_of[i] = static_cast<u8>(slot);
    Slot& w = warps_[slot];
    w.warp = &with_.residency.begin_warp(block, i);
    w.block = &here;
    w.grid = &run;
    w.counts = &accounts_[run.account];
    w.begun = now;
    w.timing = &run.timing;
    const u64 skew = block_skew + with_.skew.of_warp();
    w.next_issue = ready_at(now + skew, computed);
    w.words = 0;
    std::fill(w.rows.begin(), w.rows.end(), 0);
    std::fill(w.predicates.begin(), w.predicates.end(), 0);
    w.unperformed_classes = w.invisible_classes = 0;
    w.unperformed = w.invisible = {};
    w.copies = {};
    w.group = 0;
    contenders_[slot].begin();
    w.rounds = w.pause = 0;
    w.releasing = w.released = w.ordered = false;
    w.after = memory::PersistOrder::none;
    age_[slot] = ++arrivals_;
    tell_warp(core::TraceKind::begun, slot);
  }
  for (u32 i = 0; i < run.grid->warps; ++i) look_at_ |= bit(here.slot_of[i]);
  alarm_.wake(now);
}

void TimingSm::step(Cycle now) {
  charge(now);
  sm_.cycle = now;
  issued_now_ = 0;
  if (acquire_due_ != Scope::none) port_->acquire(std::exchange(acquire_due_, Scope::none), acquire_account_);
  if (!flushes_.empty()) step_flushes();
  const u32 day = now % calendar;
  if ((calendar_days_ >> day) & 1) {
    for (u64 left = calendar_[day]; left; left &= left - 1) become_ready(first_of(left));
    calendar_[day] = 0;
    calendar_days_ &= ~bit(day);
  }
  while (look_at_) {
    const u32 slot = first_of(look_at_);
    look_at_ &= look_at_ - 1;
    look_at(slot, now);
  }
  for (u32 s = 0; s < schedulers_ && !with_.endings.failed(); ++s) issue(s, now);
  if (queue_count_) step_queue(now);
  while (look_at_ && !with_.endings.failed()) {
    const u32 slot = first_of(look_at_);
    look_at_ &= look_at_ - 1;
    look_at(slot, now);
  }
  set_due(now);
  choose_causes(now);
}

void TimingSm::set_due(Cycle now) {
  Cycle due = look_at_ ? now + 1 : core::never;
  for (u32 left = ready_units_; left && due > now + 1; left &= left - 1) {
    const u32 u = static_cast<u32>(std::countr_zero(left));
    if (static_cast<Unit>(u) == Unit::memory) {
      if ((ready_[u] & ~held_) && queue_count_ < setup_.config.memory_queue && accesses_.room() > reserve)
        due = std::min(due, std::max(now + 1, unit_free_ - std::min<Cycle>(unit_free_, setup_.config.memory_queue)));
      continue;
    }
    for (u32 s = 0; s < schedulers_; ++s)
      if (ready_[u] & mine_[s] & ~held_) due = std::min(due, std::max(now + 1, busy_[s][u]));
  }
  if (calendar_days_) due = std::min(due, now + 1 + first_of(std::rotr(calendar_days_, (now + 1) % calendar)));
  if (queue_count_ && !head_stalled_) due = std::min(due, std::max(now + 1, unit_free_));
  alarm_.set(due);
}

// --- What a warp waits for

void TimingSm::wait_for(u32 slot, Wait what) {
  warps_[slot].wait = what;
  waits_[what] |= bit(slot);
}

void TimingSm::become_ready(u32 slot) {
  dated_ &= ~bit(slot);
  Slot& w = warps_[slot];
  waits_[w.wait] &= ~bit(slot);
  if (w.next->order.performed | w.next->order.visible | w.next->waits_for_copies |
      (w.after != memory::PersistOrder::none)) {
    look_at_ |= bit(slot);
    return;
  }
  be_ready(slot);
}

void TimingSm::be_ready(u32 slot) {
  Slot& w = warps_[slot];
  w.wait = for_nothing;
  ready_[static_cast<u32>(w.next->unit)] |= bit(slot);
  ready_units_ |= 1u << static_cast<u32>(w.next->unit);
}

void TimingSm::wait_until(u32 slot, Cycle when, Cycle now) {
  dated_ |= bit(slot);
  if (when - now < calendar) {
    const u32 day = when % calendar;
    calendar_[day] |= bit(slot);
    calendar_days_ |= bit(day);
    return;
  }
  with_.wheel.at<&TimingSm::calendar_event>(when, *this, slot, warps_[slot].generation);
}

void TimingSm::calendar_event(u64 slot, u64 generation) {
  const u32 index = static_cast<u32>(slot);
  if (warps_[index].generation != generation) return;
  become_ready(index);
  alarm_.wake_now();
}

void TimingSm::look_at(u32 slot, Cycle now) {
  Slot& w = warps_[slot];
  waits_[w.wait] &= ~bit(slot);
  if (!w.warp || w.draining) return;
  Warp& warp = *w.warp;
  if (!with_.executor.make_ready(warp)) return park(slot);
  const Split& split = warp.split();
  const Frame& frame = warp.frames[split.frame];
  const PcTiming& pc = w.timing->pcs[split.pc];
  if (w.words != warp.rows.size() + warp.predicates.size()) [[unlikely]] {
    w.words = warp.rows.size() + warp.predicates.size();
    w.rows.resize(warp.rows.size() / warp_lanes);
    w.predicates.resize(warp.predicates.size());
  }
  u64 latest = w.next_issue;
  const u64* const rows = w.rows.data() + frame.row_base;
  const u16* const row = w.timing->rows.data() + pc.rows;
  for (u32 i = 0; i < pc.all_rows; ++i) latest = std::max(latest, rows[row[i]]);
  const u64* const predicates = w.predicates.data() + frame.predicate_base;
  const u16* const predicate = w.timing->predicates.data() + pc.predicates;
  for (u32 i = 0; i < pc.all_predicates; ++i) latest = std::max(latest, predicates[predicate[i]]);
  w.next = &pc;
  w.access = no_access;
  if (latest & waiting) {
    w.access = static_cast<u32>(latest);
    return wait_for(slot, for_memory);
  }
  Cycle when = latest >> 3;
  if (w.pause && pc.order.strong) [[unlikely]]
    when = std::max(when, now) + std::exchange(w.pause, 0);
  if (when > now) {
    w.kind = latest & 7;
    constexpr Wait wait_of[] = {for_data, for_memory, for_memory, for_memory, for_control, for_order};
    wait_for(slot, wait_of[w.kind]);
    return wait_until(slot, when, now);
  }
  if (w.after != memory::PersistOrder::none) [[unlikely]] {
    if (!ask(slot, w.after, w.after_scope)) return wait_for(slot, for_order);
    w.after = memory::PersistOrder::none;
  }
  if (!may_go_by_order(slot)) return wait_for(slot, for_order);
  be_ready(slot);
}

bool TimingSm::may_go_by_order(u32 slot) {
  Slot& w = warps_[slot];
  const Ordering& order = w.next->order;
  if ((w.unperformed_classes & order.performed) | (w.invisible_classes & order.visible)) return false;
  if (w.next->waits_for_copies && !copies_done(w)) return false;
  if (order.before != memory::PersistOrder::none && !w.ordered) {
    if (!ask(slot, order.before, order.scope)) return false;
    w.ordered = true;
  }
  if (!order.releases || w.released) return true;
  if (w.releasing) return false;
  w.releasing = true;
  if (!port_->release(order.scope, token_of(slot), w.grid->account)) return false;
  w.releasing = false;
  w.released = true;
  return true;
}

/// False: the persistency model holds the warp; it asks again.
bool TimingSm::ask(u32 slot, memory::PersistOrder what, Scope scope) {
  if (port_->order(what, scope, bit(slot), warps_[slot].grid->account)) return true;
  held_at_order_ |= bit(slot);
  return false;
}

/// cp.async.wait_group N: all but the N youngest groups; N = 0 and an mbarrier's arrival: all.
bool TimingSm::copies_done(const Slot& w) {
  const ptx::Instr& instr = w.grid->grid->kernel->code[w.warp->split().pc];
  const u32 groups = static_cast<u32>(w.copies.size());
  const u32 young = instr.op == ptx::Op::async_wait ? instr.imm : 0;
  if (young == 0) return std::all_of(w.copies.begin(), w.copies.end(), [](u16 n) { return n == 0; });
  for (u32 k = young + 1; k < groups; ++k)
    if (w.copies[(w.group - k) % groups]) return false;
  return true;
}

void TimingSm::released(u32 token) {
  if (token & flush_token) return flushed();
  const u32 slot = token % slots;
  Slot& w = warps_[slot];
  if (!w.releasing || token_of(slot) != token) return;
  w.releasing = false;
  w.released = true;
  look_again(slot, for_order);
}

// --- Issue

u64 TimingSm::candidates(u32 scheduler, Cycle now) const {
  u64 found = 0;
  for (u32 left = ready_units_; left; left &= left - 1) {
    const u32 u = static_cast<u32>(std::countr_zero(left));
    if (busy_[scheduler][u] <= now) found |= ready_[u];
  }
  found &= mine_[scheduler] & ~held_;
  if (!(found & (ready_[static_cast<u32>(Unit::memory)] | ready_[static_cast<u32>(Unit::texture)]))) return found;
  if (ready_[static_cast<u32>(Unit::memory)] &&
      (queue_count_ >= setup_.config.memory_queue || accesses_.room() <= reserve ||
       unit_free_ > now + setup_.config.memory_queue))
    found &= ~ready_[static_cast<u32>(Unit::memory)];
  if (accesses_.room() <= reserve) found &= ~ready_[static_cast<u32>(Unit::texture)];
  return found;
}

/// A policy with priorities may pass over a warp for as long as others are ready: for ever, if these spin on a flag
/// that it would set. Warps that were ready all the time between two looks go first, once.
void TimingSm::look_for_starved(u32 s) {
  u64 ready = 0;
  for (u32 left = ready_units_; left; left &= left - 1) ready |= ready_[static_cast<u32>(std::countr_zero(left))];
  ready &= mine_[s] & ~held_;
  Fairness& fairness = fairness_[s];
  fairness.starved = fairness.passed_over & ready;
  fairness.passed_over = ready;
  fairness.slots = 0;
}

void TimingSm::issue(u32 s, Cycle now) {
  u64 could = candidates(s, now);
  if (could && ++fairness_[s].slots == patience) [[unlikely]]
    look_for_starved(s);
  for (u32 n = 0; could && n < setup_.config.issue_width; ++n) {
    Fairness& fairness = fairness_[s];
    const u64 starved = could & fairness.starved;
    const u32 slot = setup_.policy.choose({starved ? starved : could, last_[s], age_.data()});
    last_[s] = slot;
    fairness.starved &= ~bit(slot);
    fairness.passed_over &= ~bit(slot);
    issue_warp(slot, s, now);
    if (with_.endings.failed() || setup_.config.issue_width == 1) return;
    could = candidates(s, now) & bit(slot);
  }
}

void TimingSm::issue_warp(u32 slot, u32 s, Cycle now) {
  Slot& w = warps_[slot];
  const PcTiming& pc = *w.next;
  Warp& warp = *w.warp;
  const Split& split = warp.split();
  const u32 at = split.pc;
  const u32 row_base = warp.frames[split.frame].row_base, predicate_base = warp.frames[split.frame].predicate_base;
  if (!(ready_[static_cast<u32>(pc.unit)] &= ~bit(slot))) ready_units_ &= ~(1u << static_cast<u32>(pc.unit));
  TimingStatistics& counts = *w.counts;
  counts.issued += !(issued_now_ & bit(s));
  issued_now_ |= bit(s);
  ++(counts.*pc.issued);
  with_.progress.issues(now, sm_.index, slot, at);
  if (with_.trace && with_.trace->on()) [[unlikely]]
    with_.trace->record({.cycle = now,
                         .agent = static_cast<u16>(sm_.index),
                         .warp = static_cast<u16>(slot),
                         .kind = core::TraceKind::issued});
  if (pc.unit != Unit::none && pc.unit != Unit::memory) busy_[s][static_cast<u32>(pc.unit)] = now + pc.interval;
  w.released = w.releasing = w.ordered = false;
  ++w.releases;
  issuing_ = slot;
  leader_ = no_access;
  result_ = ready_at(now + pc.latency, computed);
  w.next_issue = setup_.config.issue_width > 1 ? ready_at(now, computed) : ready_at(now + 1, computed);
  Outcome outcome;
  if (pc.arithmetic) {
    with_.executor.step(warp);
    outcome = Outcome::running;
  } else {
    u64 count = 0;
    outcome = with_.executor.run(warp, 1, count);
    if (pc.branches && (!warp.split_count || warp.split().pc != at + 1))
      w.next_issue = ready_at(now + setup_.config.branch_latency, after_branch);
    if (pc.order.after != memory::PersistOrder::none) {  // behind the value
      w.next_issue = std::max(w.next_issue, result_);
      w.after = pc.order.after;
      w.after_scope = pc.order.scope;
    } else if (pc.order_cycles) {
      w.next_issue = ready_at(now + 1 + pc.order_cycles, after_barrier);
    }
  }
  const u16* const row = w.timing->rows.data() + pc.rows;
  for (u32 i = 0; i < pc.written_rows; ++i) w.rows[row_base + row[i]] = result_;
  const u16* const predicate = w.timing->predicates.data() + pc.predicates;
  for (u32 i = 0; i < pc.written_predicates; ++i) w.predicates[predicate_base + predicate[i]] = result_;
  with_.progress.executed();
  if (outcome == Outcome::running && pc.arithmetic) return limit_or_look(slot, now);
  after(slot, at, outcome, now);
}

void TimingSm::limit_or_look(u32 slot, Cycle now) {
  Slot& w = warps_[slot];
  Grid& grid = *w.grid->grid;
  if (with_.progress.beyond_limit(grid.counters)) [[unlikely]]
    return with_.endings.fail(grid, with_.executor.fault_of(*w.warp, FaultKind::instruction_limit,
                                                            std::to_string(with_.progress.limit()) +
                                                                " warp instructions have run (--max-instructions)"));
  look_at(slot, now);
}

/// An instruction that is more than arithmetic may have woken others, or ended its warp.
void TimingSm::after(u32 slot, u32 pc, Outcome outcome, Cycle now) {
  Slot& w = warps_[slot];
  BlockRun& block = *w.block;
  Grid& grid = *w.grid->grid;
  if (outcome == Outcome::faulted) return with_.endings.fail(grid, with_.executor.take_fault());
  const ptx::Instr& instr = grid.kernel->code[pc];
  switch (instr.op) {
    case ptx::Op::fence:
      if (w.next->order.acquires) port_->acquire(w.next->order.scope, w.grid->account);
      break;
    case ptx::Op::async_commit:
      w.group = (w.group + 1) % w.copies.size();
      break;
    case ptx::Op::nanosleep:
      schedule_sleepers(block, *w.warp, now);
      break;
    default:
      break;
  }
  w.timed |= w.warp->spin.timed;
  if (outcome == Outcome::ended) end_warp(slot);
  if (setup_.persists.model && block.block && block.block->barriers_over != block.barriers_over) barrier_over(block);
  if (block.block && block.block->ready & block.parked) wake_block(block, now);
  if (outcome == Outcome::ended) return;
  if (outcome == Outcome::spinning) see_spinning(w, now);
  if (w.warp->spin.rounds != w.rounds) [[unlikely]]
    stagger(slot);
  limit_or_look(slot, now);
}

// --- Warps that the Executor has nothing to run for: barriers, sleeps, others of their warp

void TimingSm::park(u32 slot) {
  Slot& w = warps_[slot];
  const u64 self = bit(w.warp->index);
  w.block->parked |= self;
  w.block->block->ready &= ~self;
  wait_for(slot, for_order);
  check_deadlock(*w.block);
}

void TimingSm::wake_block(BlockRun& block, Cycle now) {
  for (u64 woken = block.block->ready & block.parked; woken; woken &= woken - 1) {
    const u32 slot = block.slot_of[first_of(woken)];
    Slot& w = warps_[slot];
    block.parked &= ~(woken & -woken);
    w.next_issue = std::max(w.next_issue, ready_at(now + setup_.config.barrier_latency, after_barrier));
    look_at_ |= bit(slot);
  }
  alarm_.wake(now);
}

/// All persists before a barrier, by any warp of the block, precede all behind it: one operation of all its warps.
void TimingSm::barrier_over(BlockRun& run) {
  run.barriers_over = run.block->barriers_over;
  u64 warps = 0;
  for (const Warp* warp : run.block->warps)
    if (warp) warps |= bit(run.slot_of[warp->index]);
  if (port_->order(memory::PersistOrder::barrier_over, Scope::cta, warps, warps_[first_of(warps)].grid->account))
    return;
  held_at_order_ |= warps;
  for (u64 left = warps; left; left &= left - 1) {  // each asks again, and none issues before
    const u32 slot = first_of(left);
    warps_[slot].after = memory::PersistOrder::barrier_over;
    warps_[slot].after_scope = Scope::cta;
    for (u32 u = 0; u < units; ++u) {
      if (!(ready_[u] & bit(slot))) continue;
      if (!(ready_[u] &= ~bit(slot))) ready_units_ &= ~(1u << u);
      look_at_ |= bit(slot);
    }
  }
}

void TimingSm::schedule_sleepers(BlockRun& block, const Warp& warp, Cycle now) {
  for (u32 s = 0; s < warp.split_count; ++s)
    if (warp.splits[s].state == SplitState::asleep)
      with_.wheel.at<&TimingSm::sleepers_event>(std::max(now + 1, warp.splits[s].wake), *this,
                                                static_cast<u64>(&block - blocks_.data()));
}

void TimingSm::sleepers_event(u64 index, u64) {
  BlockRun& block = blocks_[index];
  if (!block.block || !block.block->asleep) return;
  with_.executor.wake_sleepers(*block.block, with_.wheel.now());
  wake_released(block);
}

/// Every warp of the block waits at a barrier: lanes that wait for others of their warp to meet them are let go.
bool TimingSm::release_waiting(BlockRun& block) {
  for (u64 left = block.parked; left; left &= left - 1) {
    const u32 index = first_of(left);
    if (block.block->warps[index]->release_waiting()) block.block->ready |= bit(index);
  }
  return wake_released(block);
}

bool TimingSm::wake_released(BlockRun& block) {
  const u64 woken = block.block->ready & block.parked;
  block.parked &= ~woken;
  for (u64 left = woken; left; left &= left - 1) look_at_ |= bit(block.slot_of[first_of(left)]);
  if (woken) alarm_.wake_now();
  return woken != 0;
}

void TimingSm::released(const Block& of) {
  wake_released(*std::find_if(blocks_.begin(), blocks_.end(), [&](const BlockRun& run) { return run.block == &of; }));
}

void TimingSm::check_deadlock(BlockRun& block) {
  const Block& of = *block.block;
  if (!of.unfinished || block.parked != of.unfinished || of.asleep) return;
  if (of.ready & block.parked) return;
  if (release_waiting(block)) return;
  with_.endings.fail(*of.grid, with_.executor.deadlock(of));
}

// --- Ends

void TimingSm::end_warp(u32 slot) {
  Slot& w = warps_[slot];
  if (w.warp->under_way) {
    w.draining = true;
    return;
  }
  drained(slot);
}

void TimingSm::drained(u32 slot) {
  Slot& w = warps_[slot];
  BlockRun& run = *w.block;
  Block& block = *run.block;
  const u32 index = w.warp->index;
  tell_warp(core::TraceKind::ended, slot);
  with_.residency.end_warp(block, index);
  run.parked &= ~bit(index);
  with_.polls.changed();
  leave(slot);
  if (block.unfinished == 0)
    with_.endings.one_more();
  else
    check_deadlock(run);
}

void TimingSm::leave(u32 slot) {
  Slot& w = warps_[slot];
  count_residence(w);
  waits_[w.wait] &= ~bit(slot);
  w.wait = for_nothing;
  w.warp = nullptr;
  w.block = nullptr;
  w.grid = nullptr;
  w.draining = w.releasing = w.released = w.ordered = false;
  w.after = memory::PersistOrder::none;
  held_at_order_ &= ~bit(slot);
  ++w.generation;
  occupied_ &= ~bit(slot);
}

void TimingSm::record_block(core::TraceKind kind, const BlockRun& run) {
  if (with_.trace && with_.trace->on()) [[unlikely]]
    with_.trace->record({.cycle = with_.wheel.now(),
                         .access = static_cast<u32>(run.block->number),
                         .agent = static_cast<u16>(sm_.index),
                         .kind = kind,
                         .part = static_cast<u8>(&run - blocks_.data())});
}

void TimingSm::tell_warp(core::TraceKind kind, u32 slot) const {
  if (!with_.trace || !with_.trace->on()) [[likely]]
    return;
  const Slot& w = warps_[slot];
  with_.trace->tell({.cycle = with_.wheel.now(),
                     .address = w.grid->grid->id,
                     .access = static_cast<u32>(w.block->block->number),
                     .agent = static_cast<u16>(sm_.index),
                     .warp = static_cast<u16>(slot),
                     .kind = kind,
                     .part = static_cast<u8>(w.warp->index)});
}

void TimingSm::tell_abandoned(const BlockRun& run) const {
  if (!with_.trace || !with_.trace->on()) [[likely]]
    return;
  with_.trace->tell({.cycle = with_.wheel.now(),
                     .address = run.block->grid->id,
                     .access = static_cast<u32>(run.block->number),
                     .agent = static_cast<u16>(sm_.index),
                     .kind = core::TraceKind::abandoned,
                     .part = static_cast<u8>(&run - blocks_.data())});
}

bool TimingSm::end_blocks() {
  bool any = false;
  for (u32 i = static_cast<u32>(sm_.blocks.size()); i-- > 0;) {
    Block& block = *sm_.blocks[i];
    if (block.unfinished) continue;
    BlockRun& here =
        *std::find_if(blocks_.begin(), blocks_.end(), [&](const BlockRun& b) { return b.block == &block; });
    record_block(core::TraceKind::completed, here);
    here.block = nullptr;
    with_.residency.end_block(sm_, i);
    any = true;
  }
  return any;
}

void TimingSm::forget(const GridRun& run) {
  charge(with_.wheel.now());
  u64 gone = 0;
  for (u64 left = occupied_; left; left &= left - 1) {
    const u32 slot = first_of(left);
    if (warps_[slot].grid != &run) continue;
    gone |= bit(slot);
    tell_warp(core::TraceKind::ended, slot);
    leave(slot);
  }
  ready_units_ = 0;
  for (u32 u = 0; u < units; ++u)
    if (ready_[u] &= ~gone) ready_units_ |= 1u << u;
  for (u64& set : calendar_) set &= ~gone;
  look_at_ &= ~gone;
  dated_ &= ~gone;
  for (BlockRun& block : blocks_) {
    if (!block.block || block.block->grid != run.grid) continue;
    tell_abandoned(block);
    block.block = nullptr;
  }
  forget_accesses(run);
  for (u32 s = 0; s < schedulers_; ++s) causes_[s] = cause_of(s);
}

void TimingSm::flush(const GridRun& run) {
  flushes_.push_back(run.index);
  step_flushes();
}

/// One flush at a time: the private cache takes no more.
void TimingSm::step_flushes() {
  while (!flushes_.empty() && !flushing_) {
    flushing_ = true;
    const GridRun* const run = with_.runs.at(flushes_.front());
    if (!port_->flush(flush_token, run ? run->account : core::nobody)) return;
    flushed();
  }
}

void TimingSm::flushed() {
  flushing_ = false;
  if (GridRun* run = with_.runs.at(flushes_.front()); run && run->flushes) --run->flushes;
  flushes_.erase(flushes_.begin());
  with_.endings.one_more();
  alarm_.wake_now();
}

}  // namespace ew::simt
