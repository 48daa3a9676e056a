// Prefetches of a private cache: shows its loads to the prefetcher, and decides which of the named lines are fetched.
// Owned by the cache.
//
// A prefetch is a weak load of another warp whose value nobody wants. So it needs no rules of coherence of its own. It
// has limits instead: it is dropped where there is no room, it is of the memory and the 4 KiB page of the load that
// caused it, and it has no more than a quarter of the MSHRs (Misses).
#pragma once

#include "memory/cache/room.hpp"

namespace ew::memory {

class Prefetches {
 public:
  Prefetches(CacheParts&, Room&);

  /// Whether seen() wants to know of accesses.
  bool on() const { return on_; }
  /// A part of an access was accepted.
  void seen(const LineAccess&, Accepted);

 private:
  SeenLoad::Found found(const LineAccess&, Accepted);
  void fetch(const LineAccess& because_of, u64 line);

  CacheParts& p_;
  Room& room_;
  std::unique_ptr<Prefetcher> prefetcher_;
  bool on_;
};

}  // namespace ew::memory
