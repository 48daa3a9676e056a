// Why could a scheduler of an SM issue nothing? The categories and their order are those of timing_statistics.hpp.
// Owned by the SM; reads its other controllers.
#pragma once

#include <utility>

#include "simt/sm/load_store_unit.hpp"

namespace ew::simt {

/// Where slots count that were lost to an access which is over.
u64& counter_of(const Access&, SlotCounts&);

class StallCauses {
 public:
  StallCauses(const WarpTable& table, const HeldWarps& held, const LoadStoreUnit& unit, AccessPool& accesses,
              StallAccount& account)
      : table_(table), held_(held), unit_(unit), accesses_(accesses), account_(account) {}

  /// Warps that wait for more than arithmetic: for memory, for order, or for the persistency model.
  u64 beyond_arithmetic() const {
    return table_.ready().of(Unit::memory) | held_.at_accesses() | held_.at_order() | table_.waiting(Wait::memory) |
           table_.waiting(Wait::order);
  }
  /// Warps whose memory instruction the load/store unit does not take, if the reason is another than at the last call.
  u64 blocked_anew() {
    const u64 memory = table_.ready().of(Unit::memory);
    if (!memory) return 0;
    const memory::Stall by = unit_.blocked_by();
    return by == std::exchange(blocked_by_, by) ? 0 : memory;
  }
  /// Of a scheduler with these slots. It is on the account of the launch of the warp that has this cause; of several
  /// such warps, of the one in the first slot.
  StallCause of(u64 slots) const { return of(slots, beyond_arithmetic()); }
  /// The same, if beyond_arithmetic() is known.
  StallCause of(u64 slots, u64 beyond) const {
    if (slots & beyond) return of_memory(slots);
    if (const u64 structural = table_.ready().all() & slots) return {&table_.slots_of(structural).compute_structural};
    if (const u64 data = table_.waiting(Wait::data) & slots) return {&table_.slots_of(data).compute_data};
    if (const u64 control = table_.waiting(Wait::control) & slots) return {&table_.slots_of(control).control};
    return account_.idle();
  }

 private:
  /// Some of them wait for memory, for order or for the persistency model.
  StallCause of_memory(u64 slots) const;
  u64* persistency(u64 slots) const;

  const WarpTable& table_;
  const HeldWarps& held_;
  const LoadStoreUnit& unit_;
  AccessPool& accesses_;
  StallAccount& account_;
  memory::Stall blocked_by_ = memory::Stall::none;
};

}  // namespace ew::simt
