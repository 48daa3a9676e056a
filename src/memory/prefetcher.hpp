// The seam of prefetching: which lines an SM will load soon. A prefetcher sees the loads of one private cache and names
// lines. The cache decides whether it fetches them (cache/prefetches.hpp): a named line may be dropped, for whatever
// reason, and the prefetcher is not told. A prefetcher has no clock and no statistics. Each stands in a file of
// prefetch/, and in the list prefetch/prefetchers.inc.
//
// Owned by the private cache; called by it alone.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/function_ref.hpp"
#include "core/types.hpp"

namespace ew::memory {

/// A part of a load that the cache has taken. Loads of one warp come in program order.
struct SeenLoad {
  enum class Found : u8 {
    here,        // a hit
    prefetched,  // the first load that uses a prefetched line. The line may still be on its way
    absent       // a miss
  };
  u64 line = 0;  // its address
  u8 warp = 0;   // the SM's slot
  Found found = Found::absent;
};

class Prefetcher {
 public:
  virtual ~Prefetcher() = default;
  /// Calls fetch(line) for each line that should come, the most urgent first.
  virtual void seen(const SeenLoad&, core::FunctionRef<void(u64 line)> fetch) = 0;
};

struct PrefetcherKind {
  std::string_view name, sentence;
  /// For lines of so many bytes. distance: how many steps ahead of the load the named line lies. nullptr: nothing is
  /// ever prefetched, and no load is shown.
  std::unique_ptr<Prefetcher> (*make)(u32 line_bytes, u32 distance);
};

std::span<const PrefetcherKind> prefetcher_kinds();
/// nullptr: there is none of that name.
const PrefetcherKind* prefetcher_kind(std::string_view name);
std::vector<std::string_view> prefetcher_names();

}  // namespace ew::memory
