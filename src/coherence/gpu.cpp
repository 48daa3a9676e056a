// What GPUs do: self-invalidation and write-through. A copy may be stale; an acquire drops all copies. Stores are
// written into the copy, and the write buffer sends them home. Atomics are performed at the home.
#include "coherence/models.hpp"

namespace ew::coherence {

using memory::both;
using enum memory::Otherwise;

constexpr memory::AgentPolicy write_through{.reactions = {{
                                                both({.valid = true, .otherwise = fetch}),  // load
                                                both({.otherwise = past}),                  // fresh_load
                                                both({.otherwise = past}),                  // past_load
                                                both({.otherwise = buffer}),                // store
                                                both({.otherwise = at_once}),               // fresh_store
                                                both({.otherwise = at_once}),               // past_store
                                                both({.otherwise = past}),                  // atomic
                                                both({.otherwise = past}),                  // fresh_atomic
                                            }}};

constexpr memory::AgentPolicy owned_persists = [] {
  using memory::Use;
  memory::AgentPolicy policy = write_through;
  for (const Use load : {Use::load, Use::fresh_load, Use::past_load})
    for (memory::Reaction& reaction : policy.on(load)) reaction.owned = true;
  policy.owns_what_left = true;
  policy.home = memory::HomeKind::registry;
  return policy;
}();

Model gpu() {
  return {
      .name = "gpu",
      .sentence =
          "Private copies may be stale: an acquire above block scope drops them, a release writes dirty bytes through, "
          "atomics are performed at the L2.",
      .agent = write_through,
      .home = no_record,
  };
}

}  // namespace ew::coherence
