// Room for a line of a private cache: which copy makes place, and how a copy goes. Owned by the cache.
#pragma once

#include "memory/cache/parts.hpp"

namespace ew::memory {

class Room {
 public:
  explicit Room(CacheParts& parts) : p_(parts) {}

  /// The way is empty and the line's afterwards. Dirty bytes of the victim leave first. no_way: see stalled().
  u32 allocate(const LineAccess&);
  /// The same for a prefetch of a volatile line. no_way: nothing has changed, and nobody waits for a place.
  u32 allocate_for_prefetch(u64 line, Place);
  /// Why the last allocate() found no way: all lines of the set are under way, or the victim may not leave yet.
  Accepted stalled(Stall& why);
  /// The line goes, and what is dirty of it, or owned, leaves first. REQUIRES: it has no MSHR.
  void remove(u32 way) {
    p_.buffer.write_back(way);
    p_.lines.remove(way);
  }
  /// These words' copy goes. What is dirty of the line leaves first, and what is under way for them will not be kept.
  void give_up(u32 way, WordMask);

 private:
  CacheParts& p_;
  bool victim_is_held_ = false;
};

}  // namespace ew::memory
