#include "memory/cache/prefetches.hpp"

#include <cassert>
#include <utility>

namespace ew::memory {
namespace {

/// As hardware does: the page of the load is there, of the same memory, and of the same owner. The next one need not
/// be.
constexpr u64 page = 4096;

/// Plain loads of this kind of data bring a copy, which stays.
bool load_fetches(const AgentPolicy& policy, DataKind kind) {
  const Reaction& reaction = policy.on(Use::load, kind);
  return reaction.valid && reaction.otherwise == Otherwise::fetch;
}

}  // namespace

Prefetches::Prefetches(CacheParts& parts, Room& room) : p_(parts), room_(room) {
  const PrefetcherKind* const kind = prefetcher_kind(parts.config.prefetcher);
  assert(kind);
  if (load_fetches(parts.policy, DataKind::ordinary) || load_fetches(parts.policy, DataKind::read_only))
    prefetcher_ = kind->make(parts.config.line, parts.config.prefetch_distance);
  on_ = prefetcher_ != nullptr;
}

void Prefetches::seen(const LineAccess& a, Accepted accepted) {
  if (a.kind != AccessKind::load || a.mmio || a.place.host || a.place.persistent) return;
  if (p_.use(a, Use::load, Use::fresh_load, Use::past_load) != Use::load) return;
  if (!load_fetches(p_.policy, static_cast<DataKind>(a.read_only))) return;
  const SeenLoad load{.line = a.line, .warp = a.warp, .found = found(a, accepted)};
  prefetcher_->seen(load, [&](u64 line) { fetch(a, line & ~u64{p_.config.line - 1}); });
}

/// A load that joins a prefetch uses it; one that hits bytes written here since the prefetch left does not.
SeenLoad::Found Prefetches::found(const LineAccess& a, Accepted accepted) {
  using enum SeenLoad::Found;
  const u32 way = p_.lines.find(a.line, a.place);
  if (way == no_way) return absent;
  CacheLine& line = p_.lines[way];
  Mshr* const mshr = line.mshr == no_number ? nullptr : &p_.misses[line.mshr];
  const bool under_way = mshr && mshr->prefetch;
  if (accepted == Accepted::performed) {
    if (under_way || !std::exchange(line.prefetched, false)) return here;
  } else {
    if (!std::exchange(line.prefetched, false) || !under_way || !mshr->count) return absent;
    ++p_.counts->prefetches_late;
  }
  ++p_.counts->prefetches_useful;
  return prefetched;
}

void Prefetches::fetch(const LineAccess& because_of, u64 line) {
  if ((line ^ because_of.line) >= page) return;
  const Place place = p_.around.map.place(line);
  if (place.host || place.mmio || place.persistent) return;
  if (p_.lines.find(line, place) != no_way || !p_.misses.room_for_prefetch()) return;
  const u32 way = room_.allocate_for_prefetch(line, place);
  if (way == no_way) return;
  p_.lines[way].prefetched = true;
  p_.misses.prefetch(line, place, way);
  ++p_.counts->prefetches;
}

}  // namespace ew::memory
