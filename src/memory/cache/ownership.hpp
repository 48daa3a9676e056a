// Accesses that need the right to write (or, under some policies, to read) words: they wait until the cache owns them.
// Owned by the cache.
#pragma once

#include "memory/cache/room.hpp"

namespace ew::memory {

class Ownership {
 public:
  Ownership(CacheParts& parts, Room& room) : p_(parts), room_(room) {}

  /// Whether all words are owned here, and no older part waits for one of them. way: the line's, or no_way.
  bool has(const LineAccess& a, u32 way) const {
    if (way == no_way) return false;
    const CacheLine& line = p_.lines[way];
    return !(a.words & ~line.owned) && (line.mshr == no_number || !(p_.misses[line.mshr].waited & a.words));
  }
  /// The part waits until its words are owned. content: those that must come with what they hold. Words that are owned
  /// already are asked for again: the home then has all of the part's words in one place of its order.
  Accepted ask(const LineAccess&, u32 way, WordMask content, Stall& why);

 private:
  CacheParts& p_;
  Room& room_;
};

}  // namespace ew::memory
