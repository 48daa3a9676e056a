// First in, first out: a use changes nothing.
#include "memory/replacement/policies.hpp"

namespace ew::memory {

ReplacementPolicy replacement::fifo() {
  return {.name = "fifo",
          .sentence = "The line that came first goes, used or not.",
          .make = [](u32 sets, u32 ways) -> std::unique_ptr<Replacement> {
            return std::make_unique<OrderedReplacement>(sets, ways);
          },
          .spares_used = false};
}

}  // namespace ew::memory
