// Persists of a private cache: what the persistency model is asked, and what it asks for.
#include <bit>
#include <cassert>

#include "memory/private_cache_state.hpp"

namespace ew::memory {

void PrivateCache::attach(std::unique_ptr<Persistency> model, PersistencyTraits traits) {
  assert(state_->parts.persists || !model);
  state_->model = std::move(model);
  state_->traits = traits;
}

PersistMachinery& PrivateCache::persist_machinery() {
  return *state_;
}

bool PrivateCache::order(PersistOrder kind, Scope scope, u64 warps, core::Account account) {
  state_->act_for(account);
  return state_->order(kind, scope, warps);
}

void PrivateCache::flag(PersistOrder kind, u64 flag, u32 warp) {
  if (state_->model) state_->model->on_flag(kind, flag, warp);
}

Accepted PrivateCache::State::hold(Stall& why, PersistHold by) {
  constexpr Stall stall_of[] = {Stall::none, Stall::persist_buffer, Stall::persist_order, Stall::persist_eviction,
                                Stall::persist_durable};
  why = stall_of[static_cast<u32>(by)];
  ++counts->persist.held[static_cast<u32>(by)];
  ++counts->stalled[static_cast<u32>(why)];
  return Accepted::stalled;
}

/// A store to a persistent line.
Accepted PrivateCache::State::persist(const LineAccess& a, Stall& why) {
  u32 way = find(a.line);
  if (way != no_way && lines[way].mshr != none && (mshrs[lines[way].mshr].waited & a.words))
    return stall(why, Stall::line);
  if (!permission.keep_loads || traits.write_through || beyond_private(a)) return persist_through(a, way, why);
  if (const PersistHold why_not = model->on_store(way, a.warp); why_not != PersistHold::none) return hold(why, why_not);
  if (way == no_way) way = allocate(a);
  if (way == no_way) return without_line(why);
  Line& line = lines[way];
  refresh(line);
  if (!(a.words & ~line.valid)) ++counts->store_hits;
  perform_store(way, a);
  touch(way, a);
  if (!line.dirty.any()) return Accepted::performed;  // of no lane
  ++counts->persist.stores;
  counts->persist.joined += line.buffered;
  if (!line.buffered) append(dirty_persistent, way);
  model->stored(way, a.warp);
  return Accepted::performed;
}

/// One that goes home at once, with the bytes of its line that are dirty.
Accepted PrivateCache::State::persist_through(const LineAccess& a, u32 way, Stall& why) {
  const bool direct = way == no_way || !permission.keep_loads;
  if (direct && !room()) return stall(why, Stall::write_buffer);
  if (PersistHold why_not; !may_go_home(a, way, whole_line, why_not)) return hold(why, why_not);
  if (direct) {
    store_direct(a, way, why);
  } else {
    refresh(lines[way]);
    perform_store(way, a);
    touch(way, a);
    drain(way, a.access, a.part);
  }
  went_home(a, why);
  return Accepted::pending;
}

/// May the access go home now, ahead of what the model keeps? Dirty bytes in its way leave with it or before it.
bool PrivateCache::State::may_go_home(const LineAccess& a, u32 way, WordMask words, PersistHold& why_not) {
  const bool dirty = way != no_way && lines[way].persistent && (touched_words(lines[way].dirty) & words);
  why_not = model->on_through(dirty ? way : no_way, a.warp);
  return why_not == PersistHold::none;
}

void PrivateCache::State::went_home(const LineAccess& a, Stall& why) {
  ++counts->persist.through;
  if (!model->went_through(a.warp)) return;
  why = Stall::persist_durable;
  ++counts->persist.held[static_cast<u32>(PersistHold::durable)];
}

void PrivateCache::State::flush(u32 way) {
  drain(way, no_access, 0);
}

void PrivateCache::State::flush_persistent() {
  while (dirty_persistent.oldest != none) {
    counts->persist.flushed_at_orders += !flushing;
    drain(dirty_persistent.oldest, no_access, 0);
  }
}

void PrivateCache::State::flush_volatile() {
  drain_all();
}

void PrivateCache::State::invalidate(bool volatile_lines_too) {
  ++epoch[1];
  epoch[0] += volatile_lines_too;
}

// --- What is on its way

u8 PrivateCache::State::open_persist() {
  constexpr u32 numbers = static_cast<u32>(std::tuple_size_v<decltype(persists.open)>);
  ++persists.open[persists.generation % numbers];
  ++persists.in_flight;
  ++counts->persist.sent;
  return static_cast<u8>(1 + persists.generation % numbers);
}

bool PrivateCache::State::when_durable(u64 warps) {
  if (!persists.in_flight) return true;
  persists.marks.push_back({persists.generation, warps});
  if (persists.generation - persists.oldest < persists.open.size() - 1) ++persists.generation;
  return false;
}

/// A copy engine and a processor core have no model: their store is over when it is durable.
void PrivateCache::State::durable(const Request& answer) {
  --persists.open[answer.persist - 1u];
  --persists.in_flight;
  ++counts->persist.acknowledged;
  if (!model) {
    if (answer.access != no_access) parts.agent.complete(answer.access, answer.part, answer.served_by);
    settle(answer.ticket);
    if (answer.flush) line_left(answer.flush - 1u);
    return;
  }
  fire_durable_marks();
  model->on_durable();
}

void PrivateCache::State::fire_durable_marks() {
  constexpr u32 numbers = static_cast<u32>(std::tuple_size_v<decltype(persists.open)>);
  while (!persists.marks.empty()) {
    while (persists.oldest != persists.generation && !persists.open[persists.oldest % numbers]) ++persists.oldest;
    const Persists::Mark mark = persists.marks.front();
    if (mark.generation == persists.generation) {  // every number was in use when it came
      if (persists.generation - persists.oldest == numbers - 1) return;
      ++persists.generation;
      continue;
    }
    if (static_cast<i32>(mark.generation - persists.oldest) >= 0) return;
    persists.marks.pop_front();
    model->durable_so_far(mark.warps);
  }
}

void PrivateCache::State::drained() {
  persists.draining = false;
  accounts[flush_account].persist.drain_cycles += now() - persists.drain_since;
  if (flush_waits) flush_lines();
}

// --- Order operations

bool PrivateCache::State::order(PersistOrder kind, Scope scope, u64 warps) {
  if (!model) return true;
  const bool over = model->on_order(kind, scope, warps);
  ++(over ? counts->persist.orders[static_cast<u32>(kind)] : counts->persist.orders_held);
  return over;
}

void PrivateCache::State::entered(PersistOrder kind, PersistEntry entry) {
  if (entry == PersistEntry::entered) ++counts->persist.entered[static_cast<u32>(kind)];
  if (entry == PersistEntry::merged) ++counts->persist.merged[static_cast<u32>(kind)];
}

void PrivateCache::State::window_full(bool full) {
  if (full) {
    persists.window_full_since = now();
  } else if (persists.window_is_full) {
    counts->persist.window_full_cycles += now() - persists.window_full_since;
  }
  persists.window_is_full = full;
}

}  // namespace ew::memory
