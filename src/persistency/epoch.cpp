// Epoch persistency without a buffer and without scopes (SBRP paper, sections 4 and 7.2): an order operation of any
// kind is an epoch barrier.
//
// A barrier divides what its warp has done from what it will do. A warp that has accessed no persistent line since its
// last barrier has nothing before this one that could persist late: what it knows of others it read behind a barrier of
// theirs. Such a barrier waits for nothing; so the failed iterations of a spin on a volatile flag drain nothing.
#include <array>

#include "persistency/unbuffered.hpp"

namespace ew::persistency {
namespace {

using memory::PersistOrder;

class Epoch final : public Unbuffered {
 public:
  using Unbuffered::Unbuffered;
  bool on_order(PersistOrder order, Scope, u64 warps) override {
    if (order == PersistOrder::barrier_over) return true;  // each warp waited before it arrived
    return epoch_barrier({}, warps);
  }
};

}  // namespace

/// Pelley's and BPFS's: barriers cut a thread's accesses into epochs, conflicting accesses order across threads.
constinit const PersistAxioms epoch_axioms{
    .name = "epoch",
    .sentence =
        "Epoch persistency: fences, barriers, pRel (before its store) and pAcq (behind its load) end the thread's "
        "epoch; conflicting accesses order epochs of different threads. No scopes.",
    .orders = {PersistOrder::ofence, PersistOrder::dfence, PersistOrder::fence, PersistOrder::barrier,
               PersistOrder::p_release, PersistOrder::p_acquire},
    .across = PersistAxioms::Across::conflicts,
    .durable = {PersistOrder::dfence}};

Model epoch() {
  static constexpr std::array rows{&epoch_axioms};
  return {.name = "epoch",
          .sentence =
              "ofence(), dfence(), pRel, pAcq, every fence, release, acquire and block barrier is an epoch "
              "barrier: the SM's dirty persistent lines leave, the warp waits until they are durable, copies of "
              "persistent lines go. A warp that has accessed none since its last barrier waits for nothing.",
          .make = make<Epoch>,
          .traits = {.order_waits = true},
          .axioms = rows};
}

}  // namespace ew::persistency
