// May a warp's next instruction issue, by the order that the machine's consistency and persistency models want? It may
// when the older accesses of its warp have come as far as its Ordering says, its stores are released, and the
// persistency model agrees. Owned by the SM.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "simt/line_port.hpp"
#include "simt/sm/endings.hpp"
#include "simt/sm/held_warps.hpp"
#include "simt/sm/warp_table.hpp"

namespace ew::simt {

inline constexpr u32 copy_groups = 16;

/// Of one warp.
struct WarpOrder {
  bool releasing = false, released = false;                 // before the next instruction
  bool stored = false;                                      // since its last fence
  bool asks_gpu = false;                                    // for a fence, and there is no answer yet
  bool ordered = false;                                     // the order operation before it is over
  memory::PersistOrder after = memory::PersistOrder::none;  // of a warp of AccessOrder::asked_behind_
  Scope after_scope = Scope::none;
  u8 group = 0;                                        // that new copies belong to
  u16 unperformed_classes = 0, invisible_classes = 0;  // one bit each
  std::array<u16, memory::order_classes> unperformed{}, invisible{};
  std::array<u16, copy_groups> copies{};  // under way
};

class AccessOrder {
 public:
  AccessOrder(WarpTable& table, HeldWarps& held, Endings& endings) : table_(table), held_(held), endings_(endings) {}
  void attach(LinePort& port) { port_ = &port; }

  void begin(u32 slot);
  void leave(u32 slot);

  /// Must the warp be asked for before it issues this? Else it may.
  bool concerns(u32 slot, const PcTiming& pc) const {
    if (!pc.ordered) return asked_behind_ >> slot & 1;
    const WarpOrder& w = of_[slot];
    // Nothing comes to these classes before it issues: they are of older accesses.
    return pc.asks || (w.unperformed_classes & pc.order.performed) | (w.invisible_classes & pc.order.visible) ||
           asked_behind_ >> slot & 1;
  }
  /// False: it waits for order, and is looked at again.
  bool may_issue(u32 slot);
  /// The instruction of a warp that issues has been released, or asked for; the next has not.
  void issues(u32 slot) {
    WarpOrder& w = of_[slot];
    w.released = w.releasing = w.ordered = false;
  }
  /// The persistency model is asked behind the instruction that has issued: before the warp's next one.
  void ask_behind(u32 slot, const Ordering& order) {
    asked_behind_ |= bit(slot);
    of_[slot].after = order.after;
    of_[slot].after_scope = order.scope;
  }
  /// The block's barrier is over. All persists before it, by any warp of the block, precede all behind it: one
  /// operation of all its warps.
  void barrier_over(ResidentBlock&);

  // Accesses of global memory.
  /// `store`: or an atomic, not a load.
  void sent(u32 slot, memory::OrderClass, bool store);
  void performed(u32 slot, memory::OrderClass);
  void visible(u32 slot, memory::OrderClass);
  /// Has the warp stored, or performed an atomic, since its last fence that asked?
  bool take_stores(u32 slot) { return std::exchange(of_[slot].stored, false); }
  /// A load has acquired: before the SM's next access, stale copies go.
  void acquire_soon(Scope scope, core::Account account) {
    acquire_ = std::max(acquire_, scope);
    acquire_account_ = account;
  }
  /// The same of a load in a round that is not simulated. REQUIRES: the persistency model lets an acquire pass.
  void acquire_in_passing(u32 slot, const Ordering& order, core::Account account) {
    acquire_soon(order.scope, account);
    if (order.after != memory::PersistOrder::none) port_->order(order.after, order.scope, bit(slot), account);
  }
  void acquire_if_due() {
    if (acquire_ != Scope::none) [[unlikely]]
      port_->acquire(std::exchange(acquire_, Scope::none), acquire_account_);
  }

  // Asynchronous copies, in groups.
  u8 copy_begins(u32 slot) {
    ++of_[slot].copies[of_[slot].group];
    return of_[slot].group;
  }
  void copy_over(u32 slot, u8 group) { --of_[slot].copies[group]; }
  void commit_copies(u32 slot) { of_[slot].group = (of_[slot].group + 1) % copy_groups; }

  /// The private cache's answer to a release, with the token that it was given.
  void released(u32 token);
  /// The GPU's answer to a fence.
  void fence_over(u32 token);
  static constexpr u32 tokens_end = 1u << 31;

 private:
  bool ask(u32 slot, memory::PersistOrder, Scope);
  bool copies_done(u32 slot) const;
  u32 token_of(u32 slot) const { return slot | (table_[slot].issues << 6 & ~tokens_end); }

  WarpTable& table_;
  HeldWarps& held_;
  Endings& endings_;
  LinePort* port_ = nullptr;
  std::array<WarpOrder, WarpTable::slots> of_;
  u64 asked_behind_ = 0;  // warps whose order operation behind the last instruction is not over
  Scope acquire_ = Scope::none;
  core::Account acquire_account_ = core::nobody;
};

}  // namespace ew::simt
