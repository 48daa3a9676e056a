// GPM (ASPLOS'22, section 5.1): persistence by the fences that GPUs have. Only a fence at system scope waits until
// persists are durable; narrower fences and releases make stores visible, as they do without persistent memory.
//
// Programs with the operations of SBRP are what its paper compares with: system-scoped fences as epoch barriers
// (section 7), behind each pAcq as well.
#include "persistency/unbuffered.hpp"

namespace ew::persistency {
namespace {

using memory::PersistOrder;

class Gpm final : public Unbuffered {
 public:
  using Unbuffered::Unbuffered;
  bool on_order(PersistOrder order, Scope scope, u64 warps) override {
    if (order == PersistOrder::p_acquire) return epoch_barrier({.volatile_too = true}, warps);
    if (order != PersistOrder::fence || scope != Scope::sys || was_told(warps)) return true;
    machinery_.flush_persistent();
    return wait_until_durable(warps);
  }
};

}  // namespace

std::unique_ptr<Persistency> make_gpm(const PersistencyConfig&, u32, PersistMachinery& machinery) {
  return std::make_unique<Gpm>(machinery);
}

}  // namespace ew::persistency
