// DeNovoA (Sinclair, thesis 2017, section 2.4). Each word has one owner ("registered"), or none; the L2 is the
// registry. Stores are written into the copy, and the write buffer registers their words, without data, before a
// release is over. Synchronisation is performed on registered words: a lock stays where it was taken last. Requests for
// a word queue at its owner, behind the owner's own (DeNovoSync0). An acquire drops words that are valid and not
// registered.
#include "coherence/models.hpp"

namespace ew::coherence {

using memory::both;
using enum memory::Otherwise;

Model denovo() {
  return {
      .name = "denovo",
      .sentence =
          "DeNovoA: each word has one owner, who reads and writes it, atomics included, in its private cache. Stores "
          "register their words by the next release; an acquire drops words that are only valid.",
      .agent = {.reactions = {{
                    both({.valid = true, .owned = true, .otherwise = fetch}),  // load
                    both({.owned = true, .otherwise = own}),                   // fresh_load
                    both({.owned = true, .otherwise = own}),                   // past_load
                    both({.owned = true, .otherwise = own_later}),             // store
                    both({.owned = true, .otherwise = own_written}),           // fresh_store
                    both({.owned = true, .otherwise = own_written}),           // past_store
                    both({.owned = true, .otherwise = own}),                   // atomic
                    both({.owned = true, .otherwise = own}),                   // fresh_atomic
                }},
                .outlives_kernels = true,
                .home = memory::HomeKind::registry},
      .home = registry,
      .pools = &owned_persists,
  };
}

}  // namespace ew::coherence
