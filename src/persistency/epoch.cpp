// Epoch persistency without a buffer and without scopes (SBRP paper, sections 4 and 7.2): an order operation of any
// kind is an epoch barrier.
//
// A barrier divides what its warp has done from what it will do. A warp that has accessed no persistent line since its
// last barrier has nothing before this one that could persist late: what it knows of others it read behind a barrier of
// theirs. Such a barrier waits for nothing; so the failed iterations of a spin on a volatile flag drain nothing.
#include "persistency/unbuffered.hpp"

namespace ew::persistency {
namespace {

class Epoch final : public Unbuffered {
 public:
  using Unbuffered::Unbuffered;
  bool on_order(memory::PersistOrder order, Scope, u64 warps) override {
    if (order == memory::PersistOrder::barrier_over) return true;  // each warp waited before it arrived
    return epoch_barrier({}, warps);
  }
};

}  // namespace

std::unique_ptr<Persistency> make_epoch(const PersistencyConfig&, u32, PersistMachinery& machinery) {
  return std::make_unique<Epoch>(machinery);
}

}  // namespace ew::persistency
