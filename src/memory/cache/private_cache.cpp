#include "memory/cache/private_cache.hpp"

#include <fmt/format.h>

#include <cassert>

#include "core/machine_part.hpp"

namespace ew::memory {

CacheParts::CacheParts(const PrivateCacheConfig& c, const CacheSurroundings& s)
    : config(c),
      around(s),
      policy(s.policy),
      pools(s.persists && s.pools ? *s.pools : s.policy),
      owns(s.policy.owns()),
      keeps_copies(s.policy.keeps_copies()),
      atomics_on_copies(s.policy.atomics_on_copies()),
      whole_line(all_words(c.line)),
      port({.network = s.network, .map = s.map, .agent = &s.agent, .id = s.id, .agents = s.agents}),
      lines(c, counts),
      misses(c, policy, lines, port, counts),
      leaving(s.payloads),
      buffer(config, {.wheel = s.wheel,
                      .payloads = s.payloads,
                      .lines = lines,
                      .misses = misses,
                      .leaving = leaving,
                      .port = port,
                      .persists = persists_under_way,
                      .counts = counts,
                      .home = s.policy.home,
                      .owns_later = s.policy.owns_later(),
                      .owns_what_left = pools.owns_what_left,
                      .knows_writers = s.drains_own}),
      flush(s.policy, lines, misses, buffer, s.agent, counts),
      persists({.wheel = s.wheel,
                .agent = s.agent,
                .lines = lines,
                .buffer = buffer,
                .flush = flush,
                .under_way = persists_under_way,
                .counts = counts}),
      banks(c),
      stalls(s.agent, counts) {}

PrivateCache::PrivateCache(const PrivateCacheConfig& config, const CacheSurroundings& around) : parts_(config, around) {
  if (around.policy.keeps_read_only) parts_.lines.read_only.begin(parts_.lines.size());
}

void PrivateCache::attach(std::unique_ptr<Persistency> model, PersistencyTraits traits) {
  assert(parts_.around.persists || !model);
  parts_.persists.attach(std::move(model), traits);
}

Accepted PrivateCache::access(const LineAccess& a, Stall& why) {
  const core::InPart here(core::sm_part, parts_.around.id);
  parts_.counts.act_for(a.account);
  if (parts_.flush.waits()) return parts_.stalls.stall(why, Stall::release);
  Cycle& bank = parts_.banks.of(a.line);
  if (bank > parts_.now() && !parts_.banks.takes_more(a, parts_.now())) {
    why = Stall::bank;
    return Accepted::stalled;
  }
  Accepted result = Accepted::stalled;
  u64 PrivateCacheStatistics::*counted = &PrivateCacheStatistics::loads;
  if (a.kind == AccessKind::load) [[likely]] {
    result = a.mmio ? mmio_access(a, why) : loads_.load(a, why);
  } else if (a.kind == AccessKind::store) {
    counted = &PrivateCacheStatistics::stores;
    result = a.mmio ? mmio_access(a, why) : stores_.store(a, why);
  } else {
    counted = &PrivateCacheStatistics::atomics;
    result = a.mmio ? mmio_access(a, why) : stores_.atomic(a, why);
  }
  if (result == Accepted::stalled) return result;
  bank = parts_.banks.took(a, parts_.now());
  if (a.place.persistent | prefetches_.on()) [[unlikely]]
    accepted(a, result);
  ++((*parts_.counts).*counted);
  return result;
}

[[gnu::noinline]] void PrivateCache::accepted(const LineAccess& a, Accepted result) {
  if (a.place.persistent) parts_.persists.accessed(a.warp);
  if (prefetches_.on()) prefetches_.seen(a, result);
}

/// Past this cache and, if it is a device's, past the home's. One access of a warp at a time: two may go to different
/// homes, and nothing else keeps their order.
Accepted PrivateCache::mmio_access(const LineAccess& a, Stall& why) {
  if (!parts_.port.mmio_may_go(a)) return parts_.stalls.stall(why, Stall::line);
  LineStore& lines = parts_.lines;
  if (const u32 way = a.place.host ? no_way : lines.find(a.line, a.place); way != no_way) {
    if (lines[way].mshr != no_number) return parts_.stalls.stall(why, Stall::line);
    room_.remove(way);
  }
  const Accepted result = a.kind == AccessKind::load    ? loads_.load_at_home(a, no_way, why)
                          : a.kind == AccessKind::store ? stores_.store_direct(a, no_way, why)
                                                        : stores_.atomic_at_home(a, why);
  if (result == Accepted::stalled) return result;
  ++parts_.counts->mmio;
  parts_.port.mmio_went(a);
  return result;
}

void PrivateCache::receive(const Request& message) {
  const core::InPart here(core::sm_part, parts_.around.id);
  answers_.receive(message);
  parts_.stalls.wake();
}

/// The message and its MSHR; the line, the bytes, and the first part that waits; the access of that part.
void PrivateCache::expect(const core::Inbox& coming, core::Cycle end, u32 step) {
  Misses& misses = parts_.misses;
  if (step == 0)
    return coming.each_needing(end, [&](const void* needs, u64 ticket) {
      core::prefetch(needs);
      const Mshr& mshr = misses[static_cast<u32>(ticket)];
      core::prefetch(&mshr);
      core::prefetch(&mshr.outstanding);
    });
  coming.each_needing(end, [&](const void* needs, u64 ticket) {
    const u32 number = static_cast<u32>(ticket);
    const Request& message = *static_cast<const Request*>(needs);
    if (message.kind != RequestKind::data) return;
    if (step == 1 && message.payload != no_payload) parts_.around.payloads.expect(message.payload);
    if (!misses.knows(number)) return;
    const Mshr& mshr = misses[number];
    if (step == 1) {
      if (mshr.way != no_way) parts_.lines.expect(mshr.way);
      if (mshr.first != no_number) core::prefetch(&misses.part(mshr.first));
    } else if (mshr.first != no_number) {
      const LineAccess& a = misses.part(mshr.first).access;
      if (a.access != no_access) parts_.around.agent.expect(a.access, a.part);
    }
  });
}

void PrivateCache::acquire(Scope scope, core::Account account) {
  const core::InPart here(core::sm_part, parts_.around.id);
  parts_.counts.act_for(account);
  if (scope <= parts_.around.private_scope || !parts_.policy.drops_at_acquire) return;
  parts_.lines.give_up_copies(true, true);
  ++parts_.counts->acquires;
}

void PrivateCache::resize(u64 wanted, core::Account account) {
  const core::InPart here(core::sm_part, parts_.around.id);
  LineStore& lines = parts_.lines;
  const u64 bytes = lines.in_whole_sets(wanted);
  if (bytes == lines.bytes() || parts_.misses.active()) return;
  bool persists = false;
  lines.each([&](u32 way) { persists |= lines[way].persistent && lines[way].dirty.any(); });
  if (persists) return;
  parts_.counts.act_for(account);
  lines.each([this](u32 way) { room_.remove(way); });
  lines.resize(bytes);
}

void PrivateCache::begin_kernel(core::Account account) {
  const core::InPart here(core::sm_part, parts_.around.id);
  parts_.lines.read_only.kernel_begins();
  parts_.lines.give_up_copies_of_threads();
  acquire(Scope::sys, account);
}

bool PrivateCache::release(Scope scope, u32 token, core::Account account, u32 warp) {
  const core::InPart here(core::sm_part, parts_.around.id);
  parts_.counts.act_for(account);
  if (scope <= parts_.around.private_scope) return true;  // its threads share this cache
  ++parts_.counts->releases;
  if (parts_.policy.drains_at_release)
    parts_.around.drains_own ? parts_.buffer.drain_of(warp) : parts_.buffer.drain_all();
  if (parts_.persists.model() && !parts_.persists.traits().buffered) parts_.persists.flush_persistent();
  return parts_.port.release(token);
}

bool PrivateCache::order(PersistOrder kind, Scope scope, u64 warps, core::Account account) {
  const core::InPart here(core::sm_part, parts_.around.id);
  parts_.counts.act_for(account);
  return parts_.persists.order(kind, scope, warps);
}

void PrivateCache::flag(PersistOrder kind, u64 flag, u32 warp) {
  const core::InPart here(core::sm_part, parts_.around.id);
  if (Persistency* const model = parts_.persists.model()) model->on_flag(kind, flag, warp);
}

bool PrivateCache::end_kernel(u32 token, core::Account account) {
  const core::InPart here(core::sm_part, parts_.around.id);
  parts_.counts.act_for(account);
  parts_.flush.begin(token, account);
  parts_.flush.lines_leave_after(static_cast<u8>((parts_.persists.drain() ? 0 : Flush::persists) |
                                                 (parts_.misses.any_unwaited() ? Flush::prefetches : 0)));
  return !parts_.flush.under_way();
}

void PrivateCache::meet_image(u64 line, bool written) {
  const core::InPart here(core::sm_part, parts_.around.id);
  const u32 way = parts_.lines.find(line, parts_.around.map.place(line));
  if (way == no_way) return;
  const CacheLine copy = parts_.lines.copy_of(way);
  if (written)
    copy_from_image(parts_.lines.bytes(way), line, copy.valid);
  else
    copy_to_image(line, parts_.lines.bytes(way), copy.dirty);
}

bool PrivateCache::quiescent() const {
  return !parts_.misses.active() && parts_.port.idle() && !parts_.buffer.writes_under_way() &&
         !parts_.persists_under_way.count() && !parts_.flush.under_way() && parts_.leaving.empty() && !answers_.held();
}

std::string PrivateCache::what_is_under_way() const {
  std::string result = parts_.misses.what_is_under_way();
  const AgentId id = parts_.around.id;
  if (const u32 writes = parts_.buffer.writes_under_way())
    result += fmt::format("agent {}: {} writes under way\n", id, writes);
  if (const u32 persists = parts_.persists_under_way.count())
    result += fmt::format("agent {}: {} persists are not durable yet\n", id, persists);
  if (const Persistency* const model = parts_.persists.model()) result += model->what_is_under_way();
  if (const u64 held = answers_.held())
    result += fmt::format("agent {}: {} requests of others wait for its own\n", id, held);
  result += parts_.port.what_is_under_way();
  if (parts_.flush.under_way())
    result += fmt::format("agent {}: flush {} waits for {}\n", id, parts_.flush.token(),
                          parts_.flush.waits() ? "persists or prefetches" : "lines on their way");
  return result;
}

PrivateCache::Peek PrivateCache::peek(u64 word_address) const {
  const u64 line = word_address & ~u64{parts_.config.line - 1};
  const u32 way = parts_.lines.find(line, parts_.around.map.place(line));
  if (way == no_way) return {};
  const CacheLine copy = parts_.lines.copy_of(way);
  const u32 at = static_cast<u32>(word_address - line) & ~(word_bytes - 1), word = at / word_bytes;
  Peek peek;
  peek.valid = copy.valid >> word & 1;
  peek.owned = copy.owned >> word & 1;
  std::memcpy(&peek.value, parts_.lines.bytes(way) + at, word_bytes);
  peek.dirty_bytes = copy.dirty.bits[at / 64] >> (at % 64) & 15;
  return peek;
}

}  // namespace ew::memory
