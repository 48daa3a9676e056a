// DeNovoA for HRF (thesis, section 2.4: DH). An atomic of the block, or of the blocks of one SM, is performed on a
// copy: the registration of its word is delayed until a release at a wider scope, as a store's is.
#include "coherence/models.hpp"

namespace ew::coherence {

using memory::both;
using enum memory::Otherwise;

Model denovo_hrf() {
  return {
      .name = "denovo-hrf",
      .sentence =
          "denovo, and atomics of the block, or of the blocks of an SM, are performed on copies that are registered "
          "later.",
      .agent = {.reactions = {{
                    both({.valid = true, .owned = true, .otherwise = fetch}),  // load
                    both({.owned = true, .otherwise = own}),                   // fresh_load
                    both({.owned = true, .otherwise = own}),                   // past_load
                    both({.owned = true, .otherwise = own_later}),             // store
                    both({.owned = true, .otherwise = own_written}),           // fresh_store
                    both({.owned = true, .otherwise = own_written}),           // past_store
                    both({.valid = true, .owned = true, .otherwise = fetch}),  // atomic
                    both({.owned = true, .otherwise = own}),                   // fresh_atomic
                }},
                .outlives_kernels = true,
                .home = memory::HomeKind::registry},
      .home = registry,
      .pools = &owned_persists,
  };
}

}  // namespace ew::coherence
