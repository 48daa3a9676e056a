// GPM (ASPLOS'22, section 5.1): persistence by the fences that GPUs have. Only a fence at system scope waits until
// persists are durable; narrower fences and releases make stores visible, as they do without persistent memory.
//
// Programs with the operations of SBRP are what its paper compares with: system-scoped fences as epoch barriers
// (section 7), behind each pAcq as well.
#include <array>

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

/// A system-scoped fence makes its thread's persists durable, and every operation of SBRP but pAcq is made of one.
constexpr PersistAxioms gpm_axioms{
    .name = "gpm",
    .sentence =
        "GPM: a system-scoped fence waits until the thread's persists are durable, and oFence, dFence and pRel "
        "are made of one; nothing else orders.",
    .durable = {PersistOrder::ofence, PersistOrder::dfence, PersistOrder::fence, PersistOrder::p_release},
    .durable_at_end = true,
    .host_regions = true,
    .fence = "gpm_persist()",
    .waiting_fence = "gpm_persist()"};

}  // namespace

/// With DDIO on, a fence reaches a cache that a crash empties.
constinit const PersistAxioms unordered_axioms{
    .name = "gpm-ddio",
    .sentence = "GPM with DDIO left on: a fence ends in the host's cache, which a crash empties; nothing orders."};

Model gpm() {
  static constexpr std::array rows{&gpm_axioms, &unordered_axioms};
  return {.name = "gpm",
          .sentence =
              "A system-scoped fence sends every dirty line of its SM home and waits until all of them are "
              "visible and the persistent ones durable; nothing else orders persists. ofence() and dfence() "
              "are such fences.",
          .make = make<Gpm>,
          .traits = {.regions = false, .acquires = false},
          .axioms = rows};
}

}  // namespace ew::persistency
