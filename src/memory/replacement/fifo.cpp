// First in, first out: a use changes nothing.
#include "memory/replacement/policies.hpp"

namespace ew::memory {

std::unique_ptr<Replacement> make_fifo(u32 sets, u32 ways) {
  return std::make_unique<OrderedReplacement>(sets, ways);
}

}  // namespace ew::memory
