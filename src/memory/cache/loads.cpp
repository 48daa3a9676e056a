#include "memory/cache/loads.hpp"

namespace ew::memory {

template <DataKind kind>
[[gnu::always_inline]] inline Accepted Loads::load_under(const AgentPolicy& policy, const LineAccess& a, Stall& why) {
  const Reaction& reaction = policy.on(p_.use(a, Use::load, Use::fresh_load, Use::past_load), kind);
  const u32 way = p_.lines.find(a.line, a.place);
  if (way != no_way && (reaction.valid | reaction.owned)) {
    CacheLine& line = p_.lines[way];
    p_.lines.refresh(line);
    const WordMask here = reaction.valid ? line.valid : line.valid & line.owned;
    if (!(a.words & ~here) && (line.mshr == no_number || !(p_.misses.may_change(p_.misses[line.mshr]) & a.words))) {
      p_.around.agent.perform(a.access, a.part, p_.lines.bytes(way));
      if (kind == DataKind::read_only) p_.lines.read_only.keep(way, a);
      p_.lines.touch(way, a);
      ++p_.counts->load_hits;
      return Accepted::performed;
    }
  }
  switch (reaction.otherwise) {
    case Otherwise::fetch:
      return miss(a, way, why);
    case Otherwise::fetch_if_here:
      return way == no_way ? load_at_home(a, way, why) : miss(a, way, why);
    case Otherwise::own:
    case Otherwise::own_written:
      return own(a, way, why);
    default:
      // The home does not have what is owned here.
      if (way != no_way && (p_.lines[way].owned & a.words) && !policy.owns_what_left) return own(a, way, why);
      return load_at_home(a, way, why);
  }
}

Accepted Loads::load(const LineAccess& a, Stall& why) {
  if (a.read_only || (a.place.host | a.place.persistent)) [[unlikely]]
    return load_special(a, why);
  return load_under<DataKind::ordinary>(p_.policy, a, why);
}

[[gnu::noinline]] Accepted Loads::load_special(const LineAccess& a, Stall& why) {
  if (a.place.host) return load_at_home(a, no_way, why);
  const AgentPolicy& policy = p_.policy_of(a.place);
  return a.read_only ? load_under<DataKind::read_only>(policy, a, why) : load_under<DataKind::ordinary>(policy, a, why);
}

Accepted Loads::own(const LineAccess& a, u32 way, Stall& why) {
  const Accepted result = ownership_.ask(a, way, a.words, why);
  p_.counts->load_misses += result == Accepted::pending;
  return result;
}

Accepted Loads::miss(const LineAccess& a, u32 way, Stall& why) {
  if (way != no_way && p_.lines[way].mshr != no_number) return join_miss(a, way, why);
  if (p_.misses.full()) return p_.stalls.stall(why, Stall::mshr);
  if (way == no_way) way = room_.allocate(a);
  if (way == no_way) return room_.stalled(why);
  p_.misses.begin(RequestKind::read, a, way, a.words & ~p_.lines[way].valid);
  if (a.read_only) [[unlikely]]
    p_.lines.read_only.keep(way, a);
  p_.lines.touch(way, a);
  ++p_.counts->load_misses;
  p_.counts->persist.read_misses += a.place.persistent;
  return Accepted::pending;
}

/// A request of the line is under way.
Accepted Loads::join_miss(const LineAccess& a, u32 way, Stall& why) {
  const u32 number = p_.lines[way].mshr;
  Mshr& mshr = p_.misses[number];
  p_.misses.refresh(mshr);
  const WordMask missing = a.words & ~p_.lines[way].valid;
  // Under way for older loads alone. The home may take this agent for the owner of a word that is under way.
  if (missing & mshr.poison) return p_.owns ? p_.stalls.stall(why, Stall::line) : load_at_home(a, way, why);
  if (mshr.count >= p_.config.merges) return p_.stalls.stall(why, Stall::merge);
  if (a.read_only) [[unlikely]]
    p_.lines.read_only.keep(p_.misses[number].way, a);
  const WordMask more = missing & ~mshr.outstanding;
  p_.misses.append(mshr, a, !more);
  if (more) p_.misses.request(RequestKind::read, number, more);
  ++(more ? p_.counts->load_misses : p_.counts->load_merges);
  return Accepted::pending;
}

/// What the home must know that may hold this load; in Payloads::polls.
PayloadId Loads::poll(const LineAccess& a) {
  const PayloadId id = p_.around.payloads.polls.take();
  HeldPoll& poll = p_.around.payloads.polls[id];
  ++p_.polls;
  poll.bytes = {};
  poll.held = poll.rounds = 0;
  p_.around.agent.ask_poll(a.access, a.part, poll);
  return id;
}

Accepted Loads::load_at_home(const LineAccess& a, u32 way, Stall& why) {
  if (p_.older_writes(way, a.words)) return p_.stalls.stall(why, Stall::line);
  if (p_.misses.full()) return p_.stalls.stall(why, Stall::mshr);
  if (way != no_way)
    if (const PersistHold why_not = p_.persists.may_leave(way, a.words, a.warp); why_not != PersistHold::none)
      return p_.stalls.hold(why, why_not);
  if (way != no_way) room_.give_up(way, a.words);
  p_.misses.begin(RequestKind::read_once, a, no_way, a.words,
                  a.poll && !a.place.host && p_.polls < p_.config.mshrs / 2 ? poll(a) : no_payload);
  ++p_.counts->load_misses;
  p_.counts->persist.read_misses += a.place.persistent;
  return Accepted::pending;
}

}  // namespace ew::memory
