// DeNovoA with read-only regions (thesis, section 2.4: DD+RO). An acquire does not drop words that were loaded as
// read-only: by ld.nc, until the kernel ends; by everwarp::read_only (sync.cuh), until a copy writes memory.
#include "coherence/models.hpp"

namespace ew::coherence {

using memory::both;
using enum memory::Otherwise;

Model denovo_ro() {
  return {
      .name = "denovo-ro",
      .sentence = "denovo, and words that were loaded as read-only (ld.nc, everwarp::read_only) survive acquires.",
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
                .keeps_read_only = true,
                .home = memory::HomeKind::registry},
      .home = registry,
      .pools = &owned_persists,
  };
}

}  // namespace ew::coherence
