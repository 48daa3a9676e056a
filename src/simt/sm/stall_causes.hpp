// Why could a scheduler of an SM issue nothing? The categories and their order are those of timing_statistics.hpp.
// Owned by the SM; reads its other controllers.
#pragma once

#include "simt/sm/load_store_unit.hpp"

namespace ew::simt {

/// Where slots count that were lost to an access which is over.
u64& counter_of(const Access&, TimingStatistics&);

class StallCauses {
 public:
  StallCauses(const WarpTable& table, const HeldWarps& held, const LoadStoreUnit& unit, AccessPool& accesses,
              StallAccount& account)
      : table_(table), held_(held), unit_(unit), accesses_(accesses), account_(account) {}

  /// Of a scheduler with these slots. It is on the account of the launch of the warp that has this cause; of several
  /// such warps, of the one in the first slot.
  StallCause of(u64 slots) const;

 private:
  u64* persistency(u64 slots) const;
  /// None of these warps waits for memory, for order or for the persistency model.
  StallCause of_arithmetic(u64 slots) const;

  const WarpTable& table_;
  const HeldWarps& held_;
  const LoadStoreUnit& unit_;
  AccessPool& accesses_;
  StallAccount& account_;
};

}  // namespace ew::simt
