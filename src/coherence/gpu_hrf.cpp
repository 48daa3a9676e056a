// What GPUs do, for HRF (thesis, section 2.3: GH). An atomic of the block, or of the blocks of one SM, is performed in
// the private cache. A dirty bit for each byte remembers it until a release at a wider scope writes it through.
#include "coherence/models.hpp"

namespace ew::coherence {

Model gpu_hrf() {
  Model model = gpu();
  model.name = "gpu-hrf";
  model.sentence =
      "gpu, and atomics of the block, or of the blocks of an SM, are performed on copies, which are dirty then.";
  model.agent.on(memory::Use::atomic) = memory::both({.valid = true, .otherwise = memory::Otherwise::fetch});
  model.pools = &write_through;
  return model;
}

}  // namespace ew::coherence
