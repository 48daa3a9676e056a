// No private copies but of read-only data: loads, stores and atomics go to the home, one message each. What an L1 is
// worth is the difference from this.
#include "coherence/models.hpp"

namespace ew::coherence {

using enum memory::Otherwise;

Model none_l1() {
  return {
      .name = "none-l1",
      .sentence = "Private caches keep read-only data alone: every other access is performed at the L2.",
      // Read-only data is read-only for a kernel's life: one that begins, with an acquire, must not see what another
      // that still runs has kept.
      .agent = {.reactions = {{
                    {{{.otherwise = past}, {.valid = true, .otherwise = fetch}}},  // load
                }},
                .drops_at_acquire = true,
                .drains_at_release = false},
      .home = no_record,
  };
}

}  // namespace ew::coherence
