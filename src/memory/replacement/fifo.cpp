// First in, first out: a use changes nothing.
#include "memory/replacement/policies.hpp"

namespace ew::memory {

ReplacementPolicy replacement::fifo() {
  return {"fifo", "The line that came first goes, used or not.",
          [](u32 sets, u32 ways) -> std::unique_ptr<Replacement> {
            return std::make_unique<OrderedReplacement>(sets, ways);
          }};
}

}  // namespace ew::memory
