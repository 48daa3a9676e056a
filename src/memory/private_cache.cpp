#include "memory/private_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "memory/private_cache_state.hpp"

namespace ew::memory {

namespace {

/// As std::popcount, which is a call of the compiler's library on an x86-64 that may lack POPCNT: this is half of it.
u32 count_of(WordMask words) {
  words -= words >> 1 & 0x55555555;
  words = (words & 0x33333333) + (words >> 2 & 0x33333333);
  return ((words + (words >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

}  // namespace

PrivateCache::PrivateCache(const PrivateCacheConfig& config, const Parts& parts)
    : state_(std::make_unique<State>(config, parts)) {}
PrivateCache::~PrivateCache() = default;

Accepted PrivateCache::access(const LineAccess& access, Stall& why) {
  return state_->access(access, why);
}
const PrivateCacheStatistics& PrivateCache::statistics() const {
  return state_->statistics = state_->accounts.total();
}
PrivateCacheStatistics PrivateCache::take(core::Account account) {
  state_->act_for(core::nobody);
  return state_->accounts.take(account);
}

PrivateCache::State::State(const PrivateCacheConfig& c, const Parts& p)
    : config(c),
      parts(p),
      permission(p.protocol.permission()),
      whole_line(all_words(c.line)),
      tags(c.bytes, c.line, c.ways, false),
      lines(tags.lines()),
      data_(std::make_unique_for_overwrite<u8[]>(c.bytes)),
      bank_free(c.banks),
      line_shift(static_cast<u32>(std::countr_zero(c.line))),
      bank_mask(std::has_single_bit(c.banks) ? c.banks - 1 : 0),
      mshrs(c.mshrs) {
  for (u32 i = c.mshrs; i-- > 0;) {
    mshrs[i].next_free = free_mshrs;
    free_mshrs = i;
  }
  for (u32 words = 0; words < bank_cycles.size(); ++words)
    bank_cycles[words] = static_cast<u8>(std::max(1u, (words * word_bytes + c.bank_bytes - 1) / c.bank_bytes));
}

Accepted PrivateCache::State::stall(Stall& why, Stall reason) {
  why = reason;
  stalled = true;
  ++counts->stalled[static_cast<u32>(reason)];
  return Accepted::stalled;
}

Accepted PrivateCache::State::access(const LineAccess& a, Stall& why) {
  act_for(a.account);
  if (flush_waits) return stall(why, Stall::release);
  Cycle& bank = bank_of(a.line);
  if (bank > now()) {
    if (!wake_armed) parts.wheel.at<&State::wake>(bank, *this);
    wake_armed = true;
    return stall(why, Stall::bank);
  }
  Accepted result = Accepted::stalled;
  u64 PrivateCacheStatistics::*counted = &PrivateCacheStatistics::loads;
  if (a.kind == AccessKind::load) [[likely]] {
    result = a.mmio ? mmio_access(a, why) : load(a, why);
  } else if (a.kind == AccessKind::store) {
    counted = &PrivateCacheStatistics::stores;
    result = a.mmio                                           ? mmio_access(a, why)
             : permission.store_needs_owned && !a.host_memory ? store_owned(a, why)
                                                              : store_through(a, why);
  } else {
    counted = &PrivateCacheStatistics::atomics;
    result = a.mmio                                         ? mmio_access(a, why)
             : permission.atomics_private && !a.host_memory ? store_owned(a, why)
                                                            : atomic_at_home(a, why);
  }
  if (result == Accepted::stalled) return result;
  bank = now() + bank_cycles[count_of(a.words)];
  if (a.persistent) persists.accessed |= u64{1} << a.warp % 64;
  ++(counts->*counted);
  return result;
}

/// Past this cache and, if it is a device's, past the home's. One access of a warp at a time: two may go to different
/// homes, and nothing else keeps their order.
Accepted PrivateCache::State::mmio_access(const LineAccess& a, Stall& why) {
  const u64 warp = u64{1} << a.warp;
  if ((mmio.warps & warp) && mmio.access[a.warp] != a.access) return stall(why, Stall::line);
  if (const u32 way = a.host_memory ? no_way : find(a.line); way != no_way) {
    if (lines[way].mshr != none) return stall(why, Stall::line);
    if (lines[way].dirty.any()) drain(way, no_access, 0);
    lines[way] = {};
    tags.remove(way);
  }
  const Accepted result = a.kind == AccessKind::load    ? load_at_home(a, no_way, why)
                          : a.kind == AccessKind::store ? store_direct(a, no_way, why)
                                                        : atomic_at_home(a, why);
  if (result == Accepted::stalled) return result;
  ++counts->mmio;
  if (!(mmio.warps & warp)) mmio.parts[a.warp] = 0;
  mmio.warps |= warp;
  mmio.access[a.warp] = a.access;
  mmio.parts[a.warp] |= u32{1} << a.part;
  return result;
}

void PrivateCache::State::mmio_over(u32 access, u32 part) {
  for (u64 left = mmio.warps; left; left &= left - 1) {
    const u32 warp = static_cast<u32>(std::countr_zero(left));
    if (mmio.access[warp] != access) continue;
    mmio.parts[warp] &= ~(u32{1} << part);
    if (!mmio.parts[warp]) mmio.warps &= ~(u64{1} << warp);
  }
}

Accepted PrivateCache::State::without_line(Stall& why) {
  if (!std::exchange(persists.evicting, false)) return stall(why, Stall::line);
  return hold(why, PersistHold::eviction);
}

Accepted PrivateCache::State::load(const LineAccess& a, Stall& why) {
  const u32 way = a.host_memory ? no_way : find(a.line);
  const bool fresh = permission.strong_loads_hit ? a.at_home && way == no_way : beyond_private(a);
  if (a.host_memory || fresh || (!permission.keep_loads && !a.read_only)) return load_at_home(a, way, why);
  if (way == no_way) return load_miss(a, way, why);
  Line& line = lines[way];
  refresh(line);
  if (a.words & ~line.valid || (line.mshr != none && may_change(mshrs[line.mshr]) & a.words))
    return load_miss(a, way, why);
  parts.agent.perform(a.access, a.part, bytes(way));
  touch(way, a);
  ++counts->load_hits;
  return Accepted::performed;
}

Accepted PrivateCache::State::load_miss(const LineAccess& a, u32 way, Stall& why) {
  if (way != no_way && lines[way].mshr != none) {
    Mshr& mshr = mshrs[lines[way].mshr];
    refresh(mshr);
    const WordMask missing = a.words & ~lines[way].valid;
    // Under way for older loads alone. A home that keeps track of copies answers one request of a line after the other.
    if (missing & mshr.poison) return permission.strong_loads_hit ? stall(why, Stall::line) : load_at_home(a, way, why);
    if (mshr.count >= config.merges) return stall(why, Stall::merge);
    const WordMask more = missing & ~mshr.outstanding;
    append(mshr, a, !more);
    if (more) request(RequestKind::read, lines[way].mshr, more);
    ++(more ? counts->load_misses : counts->load_merges);
    return Accepted::pending;
  }
  if (free_mshrs == none) return stall(why, Stall::mshr);
  if (way == no_way) way = allocate(a);
  if (way == no_way) return without_line(why);
  const u32 number = take_mshr(a.line, way);
  append(mshrs[number], a, false);
  request(RequestKind::read, number, a.words & ~lines[way].valid);
  touch(way, a);
  ++counts->load_misses;
  counts->persist.read_misses += a.persistent;
  return Accepted::pending;
}

/// The value is the image's when the home performs the part; no copy of these words outlives it here, so that a weak
/// load of the same thread cannot see an older value afterwards.
Accepted PrivateCache::State::load_at_home(const LineAccess& a, u32 way, Stall& why) {
  if (free_mshrs == none) return stall(why, Stall::mshr);
  if (way != no_way && lines[way].persistent && model && (touched_words(lines[way].dirty) & a.words))
    if (const PersistHold why_not = model->on_evict(way, a.warp); why_not != PersistHold::none)
      return hold(why, why_not);
  if (way != no_way) give_up(way, a.words);
  const u32 number = take_mshr(a.line, no_way);
  append(mshrs[number], a, false);
  request(RequestKind::read_once, number, a.words);
  ++counts->load_misses;
  counts->persist.read_misses += a.persistent;
  return Accepted::pending;
}

Accepted PrivateCache::State::store_through(const LineAccess& a, Stall& why) {
  if (a.persistent && model) [[unlikely]]
    return persist(a, why);
  u32 way = a.host_memory ? no_way : find(a.line);
  const bool keep = !a.host_memory && permission.keep_loads;
  const bool at_once = beyond_private(a);
  if (!keep || (at_once && way == no_way)) return store_direct(a, way, why);
  if (way != no_way && lines[way].mshr != none && (mshrs[lines[way].mshr].waited & a.words))
    return stall(why, Stall::line);
  if ((way == no_way || !lines[way].dirty.any()) && !room()) return stall(why, Stall::write_buffer);
  if (way == no_way) way = allocate(a);
  if (way == no_way) return without_line(why);
  refresh(lines[way]);
  if (!(a.words & ~lines[way].valid)) ++counts->store_hits;
  perform_store(way, a);
  touch(way, a);
  if (at_once) {
    drain(way, a.access, a.part);
    return Accepted::pending;
  }
  if (lines[way].dirty.any() && !lines[way].buffered) join(way);
  return Accepted::performed;
}

Accepted PrivateCache::State::store_direct(const LineAccess& a, u32 way, Stall& why) {
  if (!room()) return stall(why, Stall::write_buffer);
  // A home that knows who has copies forgets this one: it asks all others to give theirs up.
  if (way != no_way) give_up(way, permission.whole_lines ? whole_line : a.words);
  Request write{.line = a.line, .access = a.access, .kind = RequestKind::write, .part = a.part};
  write.payload = parts.payloads.take();
  Payload& payload = parts.payloads[write.payload];
  payload.valid = parts.agent.perform(a.access, a.part, payload.bytes.data());
  write.words = touched_words(payload.valid);
  counts->bytes_through += payload.valid.count();
  write.ticket = open();
  if (a.persistent && parts.persists)
    write.persist = open_persist();
  else
    ++writes_under_way;
  send_home(write, payload.valid.count());
  return Accepted::pending;
}

/// Stores and atomics of protocols that write only what the cache owns.
Accepted PrivateCache::State::store_owned(const LineAccess& a, Stall& why) {
  u32 way = find(a.line);
  u32 number = way == no_way ? none : lines[way].mshr;
  const bool behind = number != none && (mshrs[number].waited & a.words);
  if (way != no_way && !(a.words & ~lines[way].owned) && !behind) {
    perform_store(way, a);
    touch(way, a);
    ++(a.kind == AccessKind::store ? counts->store_hits : counts->atomic_hits);
    return Accepted::performed;
  }
  if (a.at_home && a.kind == AccessKind::store) {
    if (number != none) return stall(why, Stall::line);
    return store_direct(a, way, why);
  }
  if (number != none) {
    if (mshrs[number].count >= config.merges) return stall(why, Stall::merge);
    append(mshrs[number], a, true);  // perform_waiting() asks for what is not owned then
    return Accepted::pending;
  }
  if (free_mshrs == none) return stall(why, Stall::mshr);
  if (way == no_way) way = allocate(a);
  if (way == no_way) return without_line(why);
  number = take_mshr(a.line, way);
  append(mshrs[number], a, false);
  request(RequestKind::own, number, a.words);
  touch(way, a);
  return Accepted::pending;
}

Accepted PrivateCache::State::atomic_at_home(const LineAccess& a, Stall& why) {
  const bool value = a.kind == AccessKind::atomic;
  if (value && free_mshrs == none) return stall(why, Stall::mshr);
  if (!value && !room()) return stall(why, Stall::write_buffer);
  const u32 way = a.host_memory ? no_way : find(a.line);
  const bool persist = a.persistent && parts.persists;
  if (persist && model)
    if (PersistHold why_not; !may_go_home(a, way, a.words, why_not)) return hold(why, why_not);
  if (way != no_way) give_up(way, a.words);
  Request ask{.line = a.line, .words = a.words, .access = a.access, .kind = RequestKind::reduction};
  ask.part = a.part;
  ask.lanes = a.lanes;
  if (persist) ask.persist = open_persist();
  if (value) {
    ask.kind = RequestKind::atomic;
    ask.ticket = take_mshr(a.line, no_way);
    append(mshrs[ask.ticket], a, false);
  } else {
    ask.ticket = open();
    writes_under_way += !persist;
  }
  send_home(ask, static_cast<u32>(std::popcount(a.words)) * word_bytes);
  if (persist && model) went_home(a, why);
  return Accepted::pending;
}

/// These words' copy goes; what is dirty of the line leaves first, and what is under way for them will not be kept.
void PrivateCache::State::give_up(u32 way, WordMask words) {
  Line& line = lines[way];
  if (line.buffered && touched_words(line.dirty) & words) drain(way, no_access, 0);
  line.valid &= ~words;
  if (line.mshr == none) return drop_if_empty(way);
  Mshr& mshr = mshrs[line.mshr];
  refresh(mshr);
  mshr.poison |= (mshr.outstanding | mshr.waited) & words;
}

void PrivateCache::State::perform_store(u32 way, const LineAccess& a) {
  Line& line = lines[way];
  const ByteMask written = parts.agent.perform(a.access, a.part, bytes(way));
  line.dirty = line.dirty | (a.kind == AccessKind::store ? written : bytes_of(a.words));
  line.valid |= whole_words(line.dirty);
  line.account = a.account;
}

void PrivateCache::State::touch(u32 way, const LineAccess& a) {
  if (!a.streaming) tags.used(way);
}

/// The way is empty and the line's afterwards. Dirty bytes of the victim leave first.
u32 PrivateCache::State::allocate(const LineAccess& a) {
  const u64 physical = parts.map.physical(a.line);
  const u32 way = tags.victim(physical, [&](u32 w) { return lines[w].mshr != none; });
  if (way == no_way) return no_way;
  if (tags.line_of(way) != no_line) {
    if (lines[way].persistent && lines[way].dirty.any() && model) {
      if (model->on_evict(way, a.warp) != PersistHold::none) {
        persists.evicting = true;
        return no_way;
      }
      ++counts->persist.evictions;
    }
    if (lines[way].dirty.any()) drain(way, no_access, 0);
    ++counts->lines_evicted;
    tags.remove(way);
  }
  lines[way] = {};
  lines[way].persistent = a.persistent && parts.persists;
  lines[way].epoch = epoch[lines[way].persistent];
  tags.install(way, a.line);
  return way;
}

bool PrivateCache::quiescent() const {
  return !state_->active_mshrs && !state_->open_total && !state_->writes_under_way && state_->releases.empty() &&
         !state_->persists.in_flight && !state_->flushing;
}

std::string PrivateCache::what_is_under_way() const {
  std::string result;
  const State& s = *state_;
  for (const State::Mshr& mshr : s.mshrs) {
    if (!mshr.active) continue;
    result += fmt::format("agent {}: MSHR for line {:#x}, words {:#x} outstanding, {} parts wait", s.parts.id,
                          mshr.line, mshr.outstanding, mshr.count);
    if (mshr.first != State::none)
      result += fmt::format(", the first of access {}", s.waiting[mshr.first].access.access);
    result += '\n';
  }
  if (s.writes_under_way) result += fmt::format("agent {}: {} writes under way\n", s.parts.id, s.writes_under_way);
  if (s.persists.in_flight)
    result += fmt::format("agent {}: {} persists are not durable yet\n", s.parts.id, s.persists.in_flight);
  if (s.model) result += s.model->what_is_under_way();
  for (u32 i = 0; i < s.releases.size(); ++i)
    result += fmt::format("agent {}: release {} waits for older stores\n", s.parts.id, s.releases[i].token);
  if (s.flushing)
    result += fmt::format("agent {}: flush {} waits for {}\n", s.parts.id, s.flush_token,
                          s.flush_waits ? "persists" : "lines on their way");
  return result;
}

PrivateCache::Peek PrivateCache::peek(u64 word_address) const {
  const u64 line = word_address & ~u64{state_->config.line - 1};
  const u32 way = state_->find(line);
  if (way == no_way) return {};
  State::Line copy = state_->lines[way];
  state_->refresh(copy);
  const u32 at = static_cast<u32>(word_address - line) & ~(word_bytes - 1), word = at / word_bytes;
  Peek peek;
  peek.valid = copy.valid >> word & 1;
  peek.owned = copy.owned >> word & 1;
  std::memcpy(&peek.value, state_->bytes(way) + at, word_bytes);
  peek.dirty_bytes = copy.dirty.bits[at / 64] >> (at % 64) & 15;
  return peek;
}

}  // namespace ew::memory
