#include "memory/cache/stores.hpp"

namespace ew::memory {

[[gnu::always_inline]] inline Accepted Stores::write_owned(const LineAccess& a, u32 way) {
  p_.lines.write(way, a, p_.around.agent);
  p_.lines.touch(way, a);
  return Accepted::performed;
}

Accepted Stores::store(const LineAccess& a, Stall& why) {
  const Reaction& reaction =
      p_.policy_of(a.place).on(p_.use(a, Use::store, Use::fresh_store, Use::past_store), DataKind::ordinary);
  const u32 way = p_.lines.find(a.line, a.place);
  if (reaction.owned && ownership_.has(a, way)) {
    ++p_.counts->store_hits;
    return write_owned(a, way);
  }
  return store_unowned(a, way, reaction.otherwise, why);
}

[[gnu::noinline]] Accepted Stores::store_unowned(const LineAccess& a, u32 way, Otherwise otherwise, Stall& why) {
  if (a.place.persistent && p_.persists.model()) return persist(a, way, why);
  if (a.place.host) return store_direct(a, no_way, why);
  switch (otherwise) {
    case Otherwise::own:
      return ownership_.ask(a, way, a.words, why);
    case Otherwise::own_written:
      return ownership_.ask(a, way, a.whole_words ? 0 : a.words, why);
    case Otherwise::own_later:
      if (!a.whole_words) return ownership_.ask(a, way, a.words, why);
      [[fallthrough]];
    case Otherwise::buffer:
      return store_through(a, way, false, why);
    case Otherwise::at_once:
      return way == no_way ? store_direct(a, way, why) : store_through(a, way, true, why);
    default:
      return store_past(a, way, why);
  }
}

Accepted Stores::atomic(const LineAccess& a, Stall& why) {
  if (a.place.host) [[unlikely]]
    return atomic_at_home(a, why);
  const Reaction& reaction =
      p_.policy_of(a.place).on(p_.use(a, Use::atomic, Use::fresh_atomic, Use::fresh_atomic), DataKind::ordinary);
  if (reaction.otherwise == Otherwise::past) return atomic_at_home(a, why);
  const u32 way = p_.lines.find(a.line, a.place);
  if (reaction.otherwise == Otherwise::fetch) return atomic_on_copy(a, way, why);
  if (!ownership_.has(a, way)) return ownership_.ask(a, way, a.words, why);
  ++p_.counts->atomic_hits;
  return write_owned(a, way);
}

/// The copy is dirty then, and leaves when the write buffer says so.
Accepted Stores::atomic_on_copy(const LineAccess& a, u32 way, Stall& why) {
  if (way == no_way) return wait_for_copy(a, way, why);
  CacheLine& line = p_.lines[way];
  p_.lines.refresh(line);
  const bool older_waits = line.mshr != no_number && (p_.misses[line.mshr].waited & a.words);
  if (older_waits || (a.words & ~line.valid)) return wait_for_copy(a, way, why);
  if (!line.listed && !p_.buffer.room()) return p_.stalls.stall(why, Stall::write_buffer);
  ++p_.counts->atomic_hits;
  write_owned(a, way);
  if (!line.listed && p_.to_leave(line)) p_.buffer.join(way);
  p_.buffer.written_by(way, a.warp);
  return Accepted::performed;
}

/// As a load that misses. Answers performs it.
Accepted Stores::wait_for_copy(const LineAccess& a, u32 way, Stall& why) {
  if (way != no_way && p_.lines[way].mshr != no_number) {
    const u32 number = p_.lines[way].mshr;
    Mshr& mshr = p_.misses[number];
    p_.misses.refresh(mshr);
    const WordMask missing = a.words & ~p_.lines[way].valid, more = missing & ~mshr.outstanding;
    if (missing & mshr.poison) return p_.stalls.stall(why, Stall::line);
    if (mshr.count >= p_.config.merges) return p_.stalls.stall(why, Stall::merge);
    p_.misses.append(mshr, a, !more);
    if (more) p_.misses.request(RequestKind::read, number, more);
    return Accepted::pending;
  }
  if (p_.misses.full()) return p_.stalls.stall(why, Stall::mshr);
  if (way == no_way) way = room_.allocate(a);
  if (way == no_way) return room_.stalled(why);
  p_.misses.begin(RequestKind::read, a, way, a.words & ~p_.lines[way].valid);
  p_.lines.touch(way, a);
  return Accepted::pending;
}

Accepted Stores::store_past(const LineAccess& a, u32 way, Stall& why) {
  if (way != no_way && p_.owns) {
    if (p_.lines[way].mshr != no_number) return p_.stalls.stall(why, Stall::line);
    // The home does not have what is owned here.
    if (p_.lines[way].owned & a.words) return ownership_.ask(a, way, a.words, why);
  }
  return store_direct(a, way, why);
}

Accepted Stores::store_through(const LineAccess& a, u32 way, bool at_once, Stall& why) {
  if (way != no_way && p_.lines[way].mshr != no_number && (p_.misses[p_.lines[way].mshr].waited & a.words))
    return p_.stalls.stall(why, Stall::line);
  if ((way == no_way || !p_.lines[way].listed) && !p_.buffer.room()) return p_.stalls.stall(why, Stall::write_buffer);
  if (way == no_way) way = room_.allocate(a);
  if (way == no_way) return room_.stalled(why);
  CacheLine& line = p_.lines[way];
  p_.lines.refresh(line);
  if (!(a.words & ~line.valid)) ++p_.counts->store_hits;
  p_.lines.write(way, a, p_.around.agent);
  p_.lines.touch(way, a);
  if (at_once) {
    p_.buffer.drain(way, a.access, a.part);
    return Accepted::pending;
  }
  if (!line.listed && p_.to_leave(line)) p_.buffer.join(way);
  p_.buffer.written_by(way, a.warp);
  return Accepted::performed;
}

Accepted Stores::store_direct(const LineAccess& a, u32 way, Stall& why) {
  if (p_.older_writes(way, a.words)) return p_.stalls.stall(why, Stall::line);
  if (!p_.buffer.room()) return p_.stalls.stall(why, Stall::write_buffer);
  // A home that knows who has copies forgets this one: it asks all others to give theirs up.
  if (way != no_way) room_.give_up(way, p_.policy.whole_lines ? p_.whole_line : a.words);
  Request write{.line = a.line, .place = a.place, .access = a.access, .kind = RequestKind::write, .part = a.part};
  write.payload = p_.around.payloads.take();
  Payload& payload = p_.around.payloads[write.payload];
  payload.valid = p_.around.agent.perform(a.access, a.part, payload.bytes.data());
  write.words = touched_words(payload.valid);
  p_.counts->bytes_through += payload.valid.count();
  write.ticket = p_.port.open();
  if (a.place.persistent && p_.around.persists)
    write.persist = p_.persists.open();
  else
    p_.buffer.add_write();
  p_.port.send_home(write, payload.valid.count(), p_.account());
  return Accepted::pending;
}

Accepted Stores::atomic_at_home(const LineAccess& a, Stall& why) {
  const bool value = a.kind == AccessKind::atomic;
  if (value && p_.misses.full()) return p_.stalls.stall(why, Stall::mshr);
  if (!value && !p_.buffer.room()) return p_.stalls.stall(why, Stall::write_buffer);
  const u32 way = a.place.host ? no_way : p_.lines.find(a.line, a.place);
  if (p_.older_writes(way, a.words)) return p_.stalls.stall(why, Stall::line);
  const bool persist = a.place.persistent && p_.around.persists;
  const bool asks = persist && p_.persists.model();
  if (asks)
    if (const PersistHold why_not = p_.persists.may_go_home(way, a.words, a.warp); why_not != PersistHold::none)
      return p_.stalls.hold(why, why_not);
  if (way != no_way) room_.give_up(way, a.words);
  Request ask{.line = a.line, .place = a.place, .words = a.words, .access = a.access, .kind = RequestKind::reduction};
  ask.part = a.part;
  ask.lanes = a.lanes;
  ask.payload = p_.around.payloads.atomics.take();
  p_.around.agent.ask(a.access, a.part, p_.around.payloads.atomics[ask.payload]);
  if (persist) ask.persist = p_.persists.open();
  if (value) {
    ask.kind = RequestKind::atomic;
    ask.ticket = p_.misses.take(a.line, a.place, no_way);
    p_.misses.append(p_.misses[ask.ticket], a, false);
  } else {
    ask.ticket = p_.port.open();
    if (!persist) p_.buffer.add_write();
  }
  p_.port.send_home(ask, count_of(a.words) * word_bytes, p_.account());
  if (asks) p_.persists.went_home(a.warp, why);
  return Accepted::pending;
}

/// A store to a persistent line.
Accepted Stores::persist(const LineAccess& a, u32 way, Stall& why) {
  Persistency& model = *p_.persists.model();
  if (way != no_way && p_.lines[way].mshr != no_number && (p_.misses[p_.lines[way].mshr].waited & a.words))
    return p_.stalls.stall(why, Stall::line);
  if (!p_.keeps_copies || p_.persists.traits().write_through || p_.beyond_private(a))
    return persist_through(a, way, why);
  if (const PersistHold why_not = model.on_store(way, a.warp); why_not != PersistHold::none)
    return p_.stalls.hold(why, why_not);
  if (way == no_way) way = room_.allocate(a);
  if (way == no_way) return room_.stalled(why);
  CacheLine& line = p_.lines[way];
  p_.lines.refresh(line);
  if (!(a.words & ~line.valid)) ++p_.counts->store_hits;
  p_.lines.write(way, a, p_.around.agent);
  p_.lines.touch(way, a);
  if (!line.dirty.any()) return Accepted::performed;  // of no lane
  ++p_.counts->persist.stores;
  p_.counts->persist.joined += line.listed;
  if (!line.listed) p_.buffer.join_persistent(way);
  model.stored(way, a.warp);
  return Accepted::performed;
}

/// One that goes home at once, with the bytes of its line that are dirty.
Accepted Stores::persist_through(const LineAccess& a, u32 way, Stall& why) {
  const bool direct = way == no_way || !p_.keeps_copies;
  if (direct && !p_.buffer.room()) return p_.stalls.stall(why, Stall::write_buffer);
  if (const PersistHold why_not = p_.persists.may_go_home(way, p_.whole_line, a.warp); why_not != PersistHold::none)
    return p_.stalls.hold(why, why_not);
  if (direct) {
    store_direct(a, way, why);
  } else {
    p_.lines.refresh(p_.lines[way]);
    p_.lines.write(way, a, p_.around.agent);
    p_.lines.touch(way, a);
    p_.buffer.drain(way, a.access, a.part);
  }
  p_.persists.went_home(a.warp, why);
  return Accepted::pending;
}

}  // namespace ew::memory
