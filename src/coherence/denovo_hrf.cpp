// DeNovoA for HRF (thesis, section 2.4: DH). An atomic of the block, or of the blocks of one SM, is performed on a
// copy: the registration of its word is delayed until a release at a wider scope, as a store's is.
#include "coherence/models.hpp"

namespace ew::coherence {

Model denovo_hrf() {
  Model model = denovo();
  model.name = "denovo-hrf";
  model.sentence =
      "denovo, and atomics of the block, or of the blocks of an SM, are performed on copies that are registered later.";
  model.agent.on(memory::Use::atomic) =
      memory::both({.valid = true, .owned = true, .otherwise = memory::Otherwise::fetch});
  return model;
}

}  // namespace ew::coherence
