#include "persistency/epoch.hpp"

namespace ew::persistency {

bool Epoch::on_order(memory::PersistOrder order, Scope, u64 warps) {
  if (order == memory::PersistOrder::barrier_over) return true;  // each warp waited before it arrived
  if (!was_told(warps) && (volatile_too_ || waits(warps) || machinery_.take_accessed(warps))) {
    machinery_.flush_persistent();
    if (volatile_too_) machinery_.flush_volatile();
    if (!wait_until_durable(warps)) return false;
  }
  machinery_.invalidate(volatile_too_);
  return true;
}

std::unique_ptr<Persistency> make_epoch(const PersistencyConfig&, u32, PersistMachinery& machinery) {
  return std::make_unique<Epoch>(machinery, false);
}

}  // namespace ew::persistency
