#include "persistency/epoch.hpp"

namespace ew::persistency {

bool Epoch::on_order(memory::PersistOrder order, Scope, u64 warps) {
  if (order == memory::PersistOrder::barrier_over) return true;  // each warp waited before it arrived
  return epoch_barrier(barrier_, warps);
}

std::unique_ptr<Persistency> make_epoch(const PersistencyConfig&, u32, PersistMachinery& machinery) {
  return std::make_unique<Epoch>(machinery, Epoch::Barrier::persistent);
}

}  // namespace ew::persistency
