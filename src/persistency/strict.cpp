// Strict persistency without a buffer: a persist goes home at once and its warp is held until the persistence domain
// has it, so that a thread's persists become durable in program order, and those of threads that communicate in the
// order of their communication. Nothing is left to order, so order operations wait for nothing. But the copies that a
// warp may read stale behind one go with it: the fences of the regions, which would drop them, do nothing here.
#include <array>
#include <bit>

#include "persistency/unbuffered.hpp"

namespace ew::persistency {
namespace {

using memory::PersistOrder;

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
  bool on_order(PersistOrder order, Scope scope, u64) override {
    const bool acquires = order == PersistOrder::p_acquire && scope > Scope::cta;
    if (acquires || order == PersistOrder::dfence) machinery_.invalidate(false);
    return true;
  }

 private:
  std::array<u32, 64> under_way_{};  // parts of persists, by warp
};

}  // namespace

constinit const PersistAxioms strict_axioms{
    .name = "strict",
    .sentence = "Strict persistency: persists become durable in the order in which they are performed.",
    .across = PersistAxioms::Across::performance,
    .durable = {PersistOrder::dfence},
    // Because the order of a recorded run is total, and a machine need not keep it between threads that have nothing
    // to do with each other.
    .on_machines = &epoch_axioms};

Model strict() {
  static constexpr std::array rows{&strict_axioms};
  return {.name = "strict",
          .sentence =
              "A persist leaves at once, and its warp does nothing until it is durable: every thread's persists "
              "become durable in program order.",
          .make = make<Strict>,
          .traits = {.write_through = true, .order_waits = true},
          .axioms = rows};
}

}  // namespace ew::persistency
