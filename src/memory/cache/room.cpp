#include "memory/cache/room.hpp"

namespace ew::memory {

u32 Room::allocate(const LineAccess& a) {
  LineStore& lines = p_.lines;
  const u32 way = lines.victim(a.place);
  if (way == no_way) return no_way;
  if (lines.line_of(way) != no_line) {
    if (lines[way].persistent && lines[way].dirty.any() && p_.persists.model()) {
      if (p_.persists.model()->on_evict(way, a.warp) != PersistHold::none) {
        victim_is_held_ = true;
        return no_way;
      }
      ++p_.counts->persist.evictions;
    }
    ++p_.counts->lines_evicted;
    remove(way);
  }
  lines.install(way, a.line, a.place, a.place.persistent && p_.around.persists, a.of_thread);
  if (const u32 next = lines.victim(a.place); next != no_way) core::prefetch_to_write(&lines[next]);
  return way;
}

/// A line whose bytes are to become durable does not make room: the persistency model alone says when it may leave.
u32 Room::allocate_for_prefetch(u64 line, Place place) {
  LineStore& lines = p_.lines;
  const u32 way = lines.victim(place);
  if (way == no_way) return no_way;
  if (lines.line_of(way) != no_line) {
    if (lines[way].persistent && lines[way].dirty.any()) return no_way;
    ++p_.counts->lines_evicted;
    remove(way);
  }
  lines.install(way, line, place, false, false);
  return way;
}

Accepted Room::stalled(Stall& why) {
  if (!std::exchange(victim_is_held_, false)) return p_.stalls.stall(why, Stall::line);
  return p_.stalls.hold(why, PersistHold::eviction);
}

void Room::give_up(u32 way, WordMask words) {
  CacheLine& line = p_.lines[way];
  if (line.listed && touched_words(line.dirty) & words) p_.buffer.drain(way);
  line.valid &= ~words | whole_words(line.dirty);
  if (line.persistent) line.owned &= ~words;  // the home finds out when the access comes
  if (line.mshr == no_number) return p_.lines.remove_if_empty(way);
  Mshr& mshr = p_.misses[line.mshr];
  p_.misses.refresh(mshr);
  mshr.poison |= (mshr.outstanding | mshr.welcome | mshr.waited) & words;
}

}  // namespace ew::memory
