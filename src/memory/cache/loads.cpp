#include "memory/cache/loads.hpp"

namespace ew::memory {

Accepted Loads::load(const LineAccess& a, Stall& why) {
  const u32 way = a.host_memory ? no_way : p_.lines.find(a.line);
  const bool fresh = p_.permission.strong_loads_hit ? a.at_home && way == no_way : CacheParts::beyond_private(a);
  if (a.host_memory || fresh || (!p_.permission.keep_loads && !a.read_only)) return load_at_home(a, way, why);
  if (way == no_way) return miss(a, way, why);
  CacheLine& line = p_.lines[way];
  p_.lines.refresh(line);
  if (a.words & ~line.valid || (line.mshr != no_number && Misses::may_change(p_.misses[line.mshr]) & a.words))
    return miss(a, way, why);
  p_.around.agent.perform(a.access, a.part, p_.lines.bytes(way));
  p_.lines.touch(way, a);
  ++p_.counts->load_hits;
  return Accepted::performed;
}

Accepted Loads::miss(const LineAccess& a, u32 way, Stall& why) {
  if (way != no_way && p_.lines[way].mshr != no_number) return join_miss(a, way, why);
  if (p_.misses.full()) return p_.stalls.stall(why, Stall::mshr);
  if (way == no_way) way = room_.allocate(a);
  if (way == no_way) return room_.stalled(why);
  const u32 number = p_.misses.take(a.line, way);
  p_.misses.append(p_.misses[number], a, false);
  p_.misses.request(RequestKind::read, number, a.words & ~p_.lines[way].valid);
  p_.lines.touch(way, a);
  ++p_.counts->load_misses;
  p_.counts->persist.read_misses += a.persistent;
  return Accepted::pending;
}

/// A request of the line is under way.
Accepted Loads::join_miss(const LineAccess& a, u32 way, Stall& why) {
  const u32 number = p_.lines[way].mshr;
  Mshr& mshr = p_.misses[number];
  p_.misses.refresh(mshr);
  const WordMask missing = a.words & ~p_.lines[way].valid;
  // Under way for older loads alone. A home that keeps track of copies answers one request of a line after the other.
  if (missing & mshr.poison)
    return p_.permission.strong_loads_hit ? p_.stalls.stall(why, Stall::line) : load_at_home(a, way, why);
  if (mshr.count >= p_.config.merges) return p_.stalls.stall(why, Stall::merge);
  const WordMask more = missing & ~mshr.outstanding;
  p_.misses.append(mshr, a, !more);
  if (more) p_.misses.request(RequestKind::read, number, more);
  ++(more ? p_.counts->load_misses : p_.counts->load_merges);
  return Accepted::pending;
}

Accepted Loads::load_at_home(const LineAccess& a, u32 way, Stall& why) {
  if (p_.misses.full()) return p_.stalls.stall(why, Stall::mshr);
  if (way != no_way)
    if (const PersistHold why_not = p_.persists.may_leave(way, a.words, a.warp); why_not != PersistHold::none)
      return p_.stalls.hold(why, why_not);
  if (way != no_way) room_.give_up(way, a.words);
  const u32 number = p_.misses.take(a.line, no_way);
  p_.misses.append(p_.misses[number], a, false);
  p_.misses.request(RequestKind::read_once, number, a.words);
  ++p_.counts->load_misses;
  p_.counts->persist.read_misses += a.persistent;
  return Accepted::pending;
}

}  // namespace ew::memory
