// A line is with one owner (E; M as soon as it writes, which nobody is told), with sharers (S), or with nobody (I); in
// words: owned and valid, valid, invalid. Copies are never stale, so an acquire drops nothing.
#include "coherence/models.hpp"

namespace ew::coherence {

using memory::both;
using enum memory::Otherwise;

Model mesi() {
  return {
      .name = "mesi",
      .sentence =
          "A directory at the L2 gives a line to one writer or to many readers: no copy is ever stale, and stores and "
          "atomics are performed in the private cache.",
      .agent = {.reactions = {{
                    both({.valid = true, .owned = true, .otherwise = fetch}),          // load
                    both({.valid = true, .owned = true, .otherwise = fetch}),          // fresh_load
                    both({.valid = true, .owned = true, .otherwise = fetch_if_here}),  // past_load
                    both({.owned = true, .otherwise = own}),                           // store
                    both({.owned = true, .otherwise = own}),                           // fresh_store
                    both({.owned = true, .otherwise = past}),                          // past_store
                    both({.owned = true, .otherwise = own}),                           // atomic
                    both({.owned = true, .otherwise = own}),                           // fresh_atomic
                }},
                .drops_at_acquire = false,
                .drains_at_release = false,
                .outlives_kernels = true,
                .whole_lines = true,
                .home = memory::HomeKind::directory},
      .home = directory,
  };
}

}  // namespace ew::coherence
