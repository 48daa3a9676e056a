// Strict persistency without a buffer: a persist goes home at once and its warp is held until the persistence domain
// has it, so that a thread's persists become durable in program order, and those of threads that communicate in the
// order of their communication.
#include <array>
#include <bit>

#include "persistency/unbuffered.hpp"

namespace ew::persistency {
namespace {

class Strict final : public Unbuffered {
 public:
  using Unbuffered::Unbuffered;
  bool went_through(u32 warp) override {
    if (!machinery_.when_durable(u64{1} << warp)) ++under_way_[warp];
    return under_way_[warp] != 0;
  }
  void durable_so_far(u64 warps) override {
    for (u64 left = warps; left; left &= left - 1)
      if (--under_way_[static_cast<u32>(std::countr_zero(left))]) warps &= ~(left & -left);
    if (warps) machinery_.resume(warps);
  }
  bool on_order(memory::PersistOrder, Scope, u64) override { return true; }

 private:
  std::array<u32, 64> under_way_{};  // parts of persists, by warp
};

}  // namespace

std::unique_ptr<Persistency> make_strict(const PersistencyConfig&, u32, PersistMachinery& machinery) {
  return std::make_unique<Strict>(machinery);
}

}  // namespace ew::persistency
