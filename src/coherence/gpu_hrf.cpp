// What GPUs do, for HRF (thesis, section 2.3: GH). An atomic of the block, or of the blocks of one SM, is performed in
// the private cache. A dirty bit for each byte remembers it until a release at a wider scope writes it through.
#include "coherence/models.hpp"

namespace ew::coherence {

using memory::both;
using enum memory::Otherwise;

Model gpu_hrf() {
  return {
      .name = "gpu-hrf",
      .sentence =
          "gpu, and atomics of the block, or of the blocks of an SM, are performed on copies, which are dirty then.",
      .agent = {.reactions = {{
                    both({.valid = true, .otherwise = fetch}),  // load
                    both({.otherwise = past}),                  // fresh_load
                    both({.otherwise = past}),                  // past_load
                    both({.otherwise = buffer}),                // store
                    both({.otherwise = at_once}),               // fresh_store
                    both({.otherwise = at_once}),               // past_store
                    both({.valid = true, .otherwise = fetch}),  // atomic
                    both({.otherwise = past}),                  // fresh_atomic
                }}},
      .home = no_record,
      .pools = &write_through,
  };
}

}  // namespace ew::coherence
