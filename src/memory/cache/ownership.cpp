#include "memory/cache/ownership.hpp"

namespace ew::memory {

Accepted Ownership::ask(const LineAccess& a, u32 way, WordMask content, Stall& why) {
  if (way != no_way && p_.lines[way].mshr != no_number) {
    Mshr& mshr = p_.misses[p_.lines[way].mshr];
    if (mshr.count >= p_.config.merges) return p_.stalls.stall(why, Stall::merge);
    p_.misses.append_owner(mshr, a, content, true);  // Answers asks for what is not owned then
    return Accepted::pending;
  }
  if (p_.misses.full()) return p_.stalls.stall(why, Stall::mshr);
  if (way == no_way) way = room_.allocate(a);
  if (way == no_way) return room_.stalled(why);
  const u32 number = p_.misses.take(a.line, a.place, way);
  p_.misses.append_owner(p_.misses[number], a, content, false);
  p_.misses.request_ownership(number);
  p_.lines.touch(way, a);
  return Accepted::pending;
}

}  // namespace ew::memory
