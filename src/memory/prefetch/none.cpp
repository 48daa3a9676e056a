// No prefetcher.
#include "memory/prefetch/prefetchers.hpp"

namespace ew::memory {

PrefetcherKind prefetchers::none() {
  return {.name = "none", .sentence = "Only what loads ask for is fetched.", .make = [](u32, u32) {
            return std::unique_ptr<Prefetcher>();
          }};
}

}  // namespace ew::memory
