// Loads of a private cache. Owned by it.
#pragma once

#include "memory/cache/ownership.hpp"

namespace ew::memory {

class Loads {
 public:
  Loads(CacheParts& parts, Room& room, Ownership& ownership) : p_(parts), room_(room), ownership_(ownership) {}

  Accepted load(const LineAccess&, Stall& why);
  /// The home reads the value when it performs the part. No copy of these words outlives it here, so that a weak load
  /// of the same thread cannot see an older value afterwards. way: the line's, or no_way.
  Accepted load_at_home(const LineAccess&, u32 way, Stall& why);

 private:
  template <DataKind kind>
  Accepted load_under(const AgentPolicy&, const LineAccess&, Stall& why);
  Accepted load_special(const LineAccess&, Stall& why);
  Accepted own(const LineAccess&, u32 way, Stall& why);
  Accepted miss(const LineAccess&, u32 way, Stall& why);
  Accepted join_miss(const LineAccess&, u32 way, Stall& why);
  PayloadId poll(const LineAccess&);

  CacheParts& p_;
  Room& room_;
  Ownership& ownership_;
};

}  // namespace ew::memory
