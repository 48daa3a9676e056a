// No model: what a pool is to hardware that knows nothing of persistence. Order operations run as the instructions that
// stand in their regions.
#include <array>

#include "persistency/models.hpp"

namespace ew::persistency {

Model none() {
  static constexpr std::array rows{&unordered_axioms};
  return {.name = "none",
          .sentence =
              "Pools are ordinary memory: bytes become durable when the L2 happens to write them back, and no "
              "operation waits for that.",
          .traits = {.regions = false},
          .axioms = rows};
}

}  // namespace ew::persistency
