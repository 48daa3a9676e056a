// The epoch model as the SBRP artifact ran it (pm_model 3). Each order operation, a void one too (a failed iteration of
// a spin), sends what persistent lines are dirty, waits, and gives up the copies of persistent lines; each fence, and
// each barrier of a block, does that with the volatile lines as well. What an oFence, a dFence or a fence takes besides
// is the machine file's fence_cycles. The artifact's warps wait for what their own barrier has sent; here, for all that
// is on its way, so that a barrier is one (which moves bars of figure 6 by at most 6.3 %).
#include <array>

#include "persistency/unbuffered.hpp"

namespace ew::persistency {
namespace {

using memory::PersistOrder;

bool is_operation(PersistOrder order) {
  return order == PersistOrder::ofence || order == PersistOrder::dfence || order == PersistOrder::p_release ||
         order == PersistOrder::p_acquire;
}

class EpochArtifact final : public Unbuffered {
 public:
  using Unbuffered::Unbuffered;
  bool on_order(PersistOrder order, Scope, u64 warps) override {
    if (order == PersistOrder::barrier_over) return true;  // each warp waited before it arrived
    return epoch_barrier({.volatile_too = !is_operation(order), .always = true}, warps);
  }
};

}  // namespace

Model epoch_artifact() {
  static constexpr std::array rows{&epoch_axioms};
  return {.name = "epoch-artifact",
          .sentence =
              "As epoch, with what the SBRP artifact's epoch runs pay besides: no barrier is void, and fences and "
              "block barriers send the volatile dirty lines home, too, and empty the L1.",
          .make = make<EpochArtifact>,
          .traits = {.order_waits = true},
          .axioms = rows};
}

}  // namespace ew::persistency
