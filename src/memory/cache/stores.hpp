// Stores and atomics of a private cache: written through, or performed on words that the cache owns, as the protocol
// says; and stores to persistent lines, as the persistency model allows. Owned by the cache.
//
// Invariant: no store is put into a word that an older part still waits for. It stalls, or waits behind it.
#pragma once

#include "memory/cache/ownership.hpp"

namespace ew::memory {

class Stores {
 public:
  Stores(CacheParts& parts, Room& room, Ownership& ownership) : p_(parts), room_(room), ownership_(ownership) {}

  Accepted store(const LineAccess&, Stall& why);
  Accepted atomic(const LineAccess&, Stall& why);
  /// Past this cache: the bytes go to the home at once. way: the line's, or no_way.
  Accepted store_direct(const LineAccess&, u32 way, Stall& why);
  /// The home performs it.
  Accepted atomic_at_home(const LineAccess&, Stall& why);

 private:
  Accepted atomic_on_copy(const LineAccess&, u32 way, Stall& why);
  Accepted wait_for_copy(const LineAccess&, u32 way, Stall& why);
  Accepted store_unowned(const LineAccess&, u32 way, Otherwise, Stall& why);
  Accepted store_past(const LineAccess&, u32 way, Stall& why);
  Accepted store_through(const LineAccess&, u32 way, bool at_once, Stall& why);
  Accepted write_owned(const LineAccess&, u32 way);
  Accepted persist(const LineAccess&, u32 way, Stall& why);
  Accepted persist_through(const LineAccess&, u32 way, Stall& why);

  CacheParts& p_;
  Room& room_;
  Ownership& ownership_;
};

}  // namespace ew::memory
