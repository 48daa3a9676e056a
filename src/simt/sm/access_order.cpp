#include "simt/sm/access_order.hpp"

#include <algorithm>
#include <utility>

namespace ew::simt {

using memory::OrderClass;
using memory::PersistOrder;

void AccessOrder::begin(u32 slot) {
  of_[slot] = {};
  asked_behind_ &= ~bit(slot);
}

void AccessOrder::leave(u32 slot) {
  WarpOrder& w = of_[slot];
  w.releasing = w.released = w.ordered = false;
  asked_behind_ &= ~bit(slot);
  held_.resume_at_order(bit(slot));
}

bool AccessOrder::may_issue(u32 slot) {
  WarpOrder& w = of_[slot];
  const PcTiming& next = *table_[slot].next.pc;
  const Ordering& order = next.order;
  if (asked_behind_ >> slot & 1) [[unlikely]] {
    if (!ask(slot, w.after, w.after_scope)) return false;
    asked_behind_ &= ~bit(slot);
  }
  if ((w.unperformed_classes & order.performed) | (w.invisible_classes & order.visible)) return false;
  if (next.waits_for_copies && !copies_done(slot)) return false;
  if (next.asks_gpu && take_stores(slot)) {
    w.asks_gpu = true;
    endings_.fence(token_of(slot));
  }
  if (order.before != PersistOrder::none && !w.ordered) {
    if (!ask(slot, order.before, order.scope)) return false;
    w.ordered = true;
  }
  if (order.releases && !w.released) {
    if (w.releasing) return false;
    w.releasing = true;
    if (!port_->release(order.scope, token_of(slot), table_[slot].run().account, slot)) return false;
    w.releasing = false;
    w.released = true;
  }
  return !w.asks_gpu;
}

/// False: the persistency model holds the warp; it asks again.
bool AccessOrder::ask(u32 slot, PersistOrder what, Scope scope) {
  if (port_->order(what, scope, bit(slot), table_[slot].run().account)) return true;
  held_.hold_at_order(bit(slot));
  return false;
}

/// cp.async.wait_group N: all but the N youngest groups; N = 0 and an mbarrier's arrival: all.
bool AccessOrder::copies_done(u32 slot) const {
  const WarpOrder& w = of_[slot];
  const WarpSlot& in = table_[slot];
  const ptx::Instr& instr = in.run().grid->kernel->code[in.warp->split().pc];
  const u32 young = instr.op == ptx::Op::async_wait ? instr.imm : 0;
  if (young == 0) return std::all_of(w.copies.begin(), w.copies.end(), [](u16 n) { return n == 0; });
  for (u32 k = young + 1; k < copy_groups; ++k)
    if (w.copies[(w.group - k) % copy_groups]) return false;
  return true;
}

void AccessOrder::barrier_over(ResidentBlock& run) {
  u64 warps = 0;
  for (const simt::Warp* warp : run.block->warps)
    if (warp) warps |= bit(run.slot_of[warp->index]);
  if (port_->order(PersistOrder::barrier_over, Scope::cta, warps, table_[first_of(warps)].run().account)) return;
  held_.hold_at_order(warps);
  for (u64 left = warps; left; left &= left - 1) {  // each asks again, and none issues before
    asked_behind_ |= bit(first_of(left));
    of_[first_of(left)].after = PersistOrder::barrier_over;
    of_[first_of(left)].after_scope = Scope::cta;
  }
  table_.reconsider(warps);
}

void AccessOrder::sent(u32 slot, OrderClass as, bool store) {
  WarpOrder& w = of_[slot];
  w.stored |= store;
  const u32 index = static_cast<u32>(as);
  ++w.unperformed[index];
  ++w.invisible[index];
  w.unperformed_classes |= static_cast<u16>(1u << index);
  w.invisible_classes |= static_cast<u16>(1u << index);
}

void AccessOrder::performed(u32 slot, OrderClass as) {
  WarpOrder& w = of_[slot];
  const u32 index = static_cast<u32>(as);
  if (--w.unperformed[index] == 0) w.unperformed_classes &= static_cast<u16>(~(1u << index));
  table_.look_again(slot, Wait::order);
}

void AccessOrder::visible(u32 slot, OrderClass as) {
  WarpOrder& w = of_[slot];
  const u32 index = static_cast<u32>(as);
  if (--w.invisible[index] == 0) w.invisible_classes &= static_cast<u16>(~(1u << index));
  table_.look_again(slot, Wait::order);
}

void AccessOrder::released(u32 token) {
  const u32 slot = token % WarpTable::slots;
  WarpOrder& w = of_[slot];
  if (!w.releasing || token_of(slot) != token) return;
  w.releasing = false;
  w.released = true;
  table_.look_again(slot, Wait::order);
}

void AccessOrder::fence_over(u32 token) {
  const u32 slot = token % WarpTable::slots;
  if (!of_[slot].asks_gpu || token_of(slot) != token) return;
  of_[slot].asks_gpu = false;
  table_.look_again(slot, Wait::order);
}

}  // namespace ew::simt
