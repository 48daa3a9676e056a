#include "simt/sm/steady_polls.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ew::simt {

using memory::PersistOrder;

namespace {

constexpr u32 least_rounds = 4;         // fewer are not worth it
constexpr u32 most_held = 1024;         // of a loop that does nothing else
constexpr u32 most_counted = 64;        // of one that counts them: it is run ahead for each
constexpr u32 looks_before_report = 8;  // a warp is heard of so often before a livelock is reported

u32* found_in(const MemoryOp& op) {
  const ptx::Row row = op.form->data[0];
  return row == ptx::no_row ? nullptr : op.rows() + row * warp_lanes;
}

/// The registers of the poll's lanes hold what it has found last.
void find_again(const MemoryOp& op) {
  u32* const row = found_in(op);
  if (!row) return;
  const auto& found = std::as_const(op.warp->spin).by_lane().words.found;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = first_of(left);
    if (op.form->register_bytes >= 8)
      std::memcpy(row + 2 * lane, &found[lane], sizeof(u64));
    else
      row[lane] = static_cast<u32>(found[lane]);
  }
}

LaneMask lanes_of(const ptx::Instr& instr, const Warp& warp, const Split& split) {
  if (instr.guard == ptx::always) return split.mask;
  const LaneMask guard = warp.predicates.data()[warp.frames[split.frame].predicate_base + (instr.guard & 0x7fff)];
  return split.mask & (instr.guard & ptx::negated ? ~guard : guard);
}

}  // namespace

bool SteadyPolls::may_be_held(const Access& a) {
  if (!holds_) return false;
  const WarpSlot& w = with_.table[a.slot];
  PollRhythm& r = of_[a.slot];
  if (!r.note(a, w.issues, w.warp->spin.news, with_.wheel.now()) || !can_be_held(a)) return false;
  const u32 rounds = rounds_in_step(a);
  if (rounds < least_rounds) {
    r.steady = 0;
    return false;
  }
  held_[a.slot] = {.sent = r.last,
                   .period = r.pace(),
                   .instructions = r.instructions,
                   .rounds = rounds,
                   .lanes = w.warp->split().mask};
  return true;
}

bool SteadyPolls::can_be_held(const Access& a) const {
  const WarpSlot& w = with_.table[a.slot];
  const Warp& warp = *w.warp;
  const ptx::MemoryForm& form = *a.op.form;
  const Ordering& order = a.instruction.pc->order;
  return a.line.strong && a.line.kind == memory::AccessKind::load && !a.mmio && a.parts_count == 1 && form.count == 1 &&
         a.op.plan->bytes <= sizeof(u64) &&
         (order.after == PersistOrder::none || (order.after == PersistOrder::acquire && !acquires_order_persists_)) &&
         order.flag == PersistOrder::none && warp.split_count == 1 && warp.under_way == 0 &&
         !w.scoreboard.waits_for_answers() && w.ahead == 0 && warp.spin.spins & a.op.lanes &&
         !with_.progress.ends_by_count();
}

/// For how many rounds the loop does nothing but come back to this poll, if it finds the same each time.
u32 SteadyPolls::rounds_in_step(const Access& a) {
  const WarpSlot& w = with_.table[a.slot];
  Warp& warp = *w.warp;
  Grid& grid = *w.run().grid;
  const PollRhythm& r = of_[a.slot];
  const u64 heard_of = livelock_cycles_ / looks_before_report / std::max<Cycle>(r.period, 1);
  u32 most = static_cast<u32>(std::min<u64>(heard_of, most_held));
  most = std::min(most, SpinDetector::rounds_between_looks - 1 - warp.spin.rounds % SpinDetector::rounds_between_looks);
  const Counters counters = grid.counters;
  const ptx::Pc pc = warp.split().pc;
  rows_.assign(warp.rows.data(), warp.rows.data() + warp.rows.size());
  predicates_.assign(warp.predicates.data(), warp.predicates.data() + warp.predicates.size());
  u32 rounds = 0;
  while (rounds < most) {
    find_again(a.op);
    if (!goes_round(w, pc, r.instructions) || !polls_again(a)) break;
    if (++rounds == 1) {
      const bool same = std::equal(rows_.begin(), rows_.end(), warp.rows.data()) &&
                        std::equal(predicates_.begin(), predicates_.end(), warp.predicates.data());
      if (same)
        rounds = most;
      else
        most = std::min(most, most_counted);
    }
  }
  std::copy(rows_.begin(), rows_.end(), warp.rows.data());
  std::copy(predicates_.begin(), predicates_.end(), warp.predicates.data());
  warp.split().pc = pc;
  grid.counters = counters;
  return rounds;
}

/// The poll would ask for the same words as before the round, for the same lanes.
bool SteadyPolls::polls_again(const Access& a) const {
  const WarpSlot& w = with_.table[a.slot];
  const ptx::Instr& instr = w.next.timing->code[a.op.pc];
  if (lanes_of(instr, *w.warp, w.warp->split()) != a.op.lanes) return false;
  if (instr.a == ptx::no_row || (instr.a & ptx::constant_row)) return true;
  const std::size_t begin = (std::size_t{a.op.row_base} + instr.a) * warp_lanes;
  const std::size_t words = a.op.form->address_bytes / sizeof(u32) * warp_lanes;
  return std::equal(rows_.begin() + begin, rows_.begin() + begin + words, w.warp->rows.data() + begin);
}

/// Runs the warp from behind the poll to the poll. False: it does something else than arithmetic and branches, or takes
/// another number of instructions.
bool SteadyPolls::goes_round(const WarpSlot& w, ptx::Pc poll, u32 instructions) {
  Warp& warp = *w.warp;
  Split& split = warp.split();
  const Frame& frame = warp.frames[split.frame];
  const KernelTiming& timing = *w.next.timing;
  split.pc = poll + 1;
  for (u32 n = 1; split.pc != poll; ++n) {
    const ptx::Instr& instr = timing.code[split.pc];
    if (n == instructions || split.pc == warp.stop()) return false;
    if (timing.pcs[split.pc].arithmetic && instr.op != ptx::Op::memory) {
      with_.executor.compute(warp, &instr, 1, frame.row_base, frame.predicate_base);
      continue;
    }
    if (instr.op != ptx::Op::bra) return false;
    const LaneMask taken = lanes_of(instr, warp, split);
    if (taken && taken != split.mask) return false;
    split.pc = taken ? instr.imm : split.pc + 1;
    if (split.pc == poll && n + 1 != instructions) return false;
  }
  return true;
}

void SteadyPolls::describe(const Access& a, memory::HeldPoll& poll) {
  const Held& held = held_[a.slot];
  const u32 bytes = a.op.plan->bytes;
  const auto& found = std::as_const(a.op.warp->spin).by_lane().words.found;
  for (LaneMask left = a.op.lanes; left; left &= left - 1) {
    const u32 lane = first_of(left);
    std::memcpy(poll.expected.data() + (a.op.address[lane] - a.parts[0].line), &found[lane], bytes);
  }
  poll.bytes = bytes_of(a.op, a.parts[0], bytes);
  poll.period = held.period;
  poll.most = held.rounds;
  if (a.instruction.pc->order.acquires)
    with_.wheel.at<&SteadyPolls::acquire_in_round>(held.sent + poll.period, *this, with_.accesses.number_of(a),
                                                   a.serial);
}

/// What the private cache holds may be stale behind each round of a poll that acquires.
void SteadyPolls::acquire_in_round(u64 access, u64 serial) {
  const u32 id = static_cast<u32>(access);
  const Access& a = with_.accesses[id];
  if (a.serial != serial || !a.grid) return;  // it is over
  const Cycle now = with_.wheel.now();
  with_.order.acquire_in_passing(a.slot, a.instruction.pc->order, a.grid->account);
  with_.alarm.wake(now);
  with_.wheel.at<&SteadyPolls::acquire_in_round>(now + held_[a.slot].period, *this, access, serial);
}

/// The warp is as it was when the poll was sent: it has polled nothing since, and no lane of it runs that did not then.
bool SteadyPolls::undisturbed(const Access& a) const {
  const Warp& warp = *with_.table[a.slot].warp;
  const Split& split = warp.splits[warp.current];
  return of_[a.slot].last == held_[a.slot].sent && warp.split_count == 1 && split.mask == held_[a.slot].lanes &&
         split.state == SplitState::running;
}

void SteadyPolls::count_rounds(Access& a, const memory::HeldPoll& poll) {
  WarpSlot& w = with_.table[a.slot];
  const u32 rounds = poll.rounds;
  if (!a.grid || !rounds) return;
  const Held& held = held_[a.slot];
  a.begun += poll.held;
  with_.completion.count_rounds(a, rounds);
  if (w.generation != a.generation || !undisturbed(a)) return;
  const Cycle now = with_.wheel.now();
  Warp& warp = *w.warp;
  of_[a.slot].skip(rounds, poll.held, held.instructions);
  with_.stalls.issued_meanwhile(a, *w.slots, u64{rounds} * held.instructions, now);
  warp.spin.next_look = std::max(warp.spin.next_look, warp.block->sm->cycle + 1);  // lanes are let go in real rounds
  const ptx::Pc pc = warp.split().pc;
  for (u32 n = 0; n < rounds; ++n) {
    find_again(a.op);
    Executor::note_poll(a.op);
    do execute(a);
    while (warp.split().pc != pc);
  }
  with_.polls.see_spinning(a.slot, now);
  with_.polls.branched(a.slot);
}

/// An instruction of a round that was not simulated.
void SteadyPolls::execute(const Access& a) {
  WarpSlot& w = with_.table[a.slot];
  Warp& warp = *w.warp;
  Split& split = warp.split();
  const PcTiming& pc = w.next.timing->pcs[split.pc];
  ++(w.counts->instructions.*pc.issued);
  ++w.issues;
  with_.progress.executed();
  if (split.pc == a.op.pc) {
    Counters& counters = w.run().grid->counters;
    const u32 lanes = static_cast<u32>(std::popcount(a.op.lanes));
    ++counters.warp_instructions;
    counters.thread_instructions += lanes;
    ++counters.memory_instructions;
    counters.memory_lanes += lanes;
    ++split.pc;
  } else if (pc.arithmetic) {
    const Frame& frame = warp.frames[split.frame];
    with_.executor.compute(warp, &w.next.timing->code[split.pc], 1, frame.row_base, frame.predicate_base);
  } else {
    with_.executor.run_alone(warp);
  }
}

}  // namespace ew::simt
