#include "persistency/sbrp_hardware.hpp"

#include <fmt/format.h>

namespace ew::persistency {

using memory::PersistEntry;
using memory::PersistHold;
using memory::PersistOrder;

Sbrp::Sbrp(const SbrpConfig& config, u32 lines, memory::PersistMachinery& machinery)
    : machinery_(machinery),
      artifact_(config),
      buffer_(buffer_entries(config, lines), lines, artifact_.merges_past),
      leaving_(config, artifact_.caps_all, machinery),
      in_flight_(machinery, artifact_.head_only),
      releases_(config.acquires == "matched") {}

// --- Persists

PersistHold Sbrp::on_store(u32 way, u32 warp) {
  const Place place = way == ~u32{0} ? PersistBuffer::none : buffer_.place_of(way);
  if (place != PersistBuffer::none)  // section 6.1: a store behind an order operation may not join what is before it
    return buffer_.order_behind(place, warp) ? hold(PersistHold::order, warp, place + 1) : PersistHold::none;
  return room(bit(warp)) ? PersistHold::none : PersistHold::buffer;
}

bool Sbrp::stored(u32 way, u32 warp) {
  const bool joined = buffer_.put(way, warp);
  unordered_ |= bit(warp);
  pump();
  return joined;
}

/// Nothing before the entry orders it, and nothing that is in flight does.
bool Sbrp::may_leave(Place place, u64 warps) const {
  return !(warps & in_flight_.fsm()) && !buffer_.order_before(place, warps);
}

PersistHold Sbrp::on_through(u32 way, u32 warp) {
  const Place place = way == ~u32{0} ? PersistBuffer::none : buffer_.place_of(way);
  if (buffer_.order_inside(warp)) return hold(PersistHold::order, warp, buffer_.last_order(warp) + 1);
  if (in_flight_.fsm() & bit(warp)) return hold(PersistHold::order, warp, 0);
  if (place == PersistBuffer::none) return PersistHold::none;
  const u64 warps = buffer_[place].warps;
  if (!may_leave(place, warps)) return hold(PersistHold::order, warp, place + 1);
  in_flight_.sent(warps);
  buffer_.take(way);
  return PersistHold::none;
}

bool Sbrp::went_through(u32 warp) {
  in_flight_.sent(bit(warp));
  unordered_ |= bit(warp);
  return false;
}

PersistHold Sbrp::on_evict(u32 way, u32 warp) {
  const Place place = buffer_.place_of(way);
  const u64 warps = buffer_[place].warps;
  if (!may_leave(place, warps)) return hold(PersistHold::eviction, warp, place + 1);
  in_flight_.sent(warps);
  buffer_.take(way);
  return PersistHold::none;
}

/// The warp goes to the EDM until what is before `place` has left and been acknowledged.
PersistHold Sbrp::hold(PersistHold why, u32 warp, Place place) {
  held_.hold(warp, place);
  leaving_.want(place);
  if (why == PersistHold::eviction) leaving_.make_room(buffer_.head() + 1);
  pump();
  if (artifact_.head_only && why == PersistHold::order) in_flight_.hold(bit(warp));
  return why;
}

bool Sbrp::room(u64 warps) {
  if (!buffer_.full()) return true;
  leaving_.want(buffer_.head() + 1);
  if (!in_flight_.fsm()) leaving_.make_room(buffer_.head() + 1);
  pump();
  if (!buffer_.full()) return true;
  held_.hold_for_room(warps);
  return false;
}

// --- Order operations

bool Sbrp::on_order(PersistOrder order, Scope scope, u64 warps) {
  const bool wide = scope > Scope::cta;
  switch (order) {
    case PersistOrder::ofence:
      return enter(order, EntryType::ofence, warps);
    case PersistOrder::dfence:
      return wait_until_durable(order, warps);
    case PersistOrder::p_release:
      releases_.begin(warps);
      [[fallthrough]];
    case PersistOrder::release:
      return wide ? wait_until_durable(order, warps) : enter(order, EntryType::release, warps);
    case PersistOrder::fence:
      return wide ? wait_until_durable(order, warps) : enter(order, EntryType::full, warps);
    case PersistOrder::barrier_over:
      return enter(order, EntryType::full, warps);
    case PersistOrder::p_acquire:
    case PersistOrder::acquire:
      return acquire(order, scope, warps);
    default:
      return true;
  }
}

/// An operation that orders and waits for nothing. What is ordered already needs no second entry: an oFence behind a
/// pRel.
bool Sbrp::enter(PersistOrder order, EntryType type, u64 warps) {
  if (nothing_to_order() || (type == EntryType::ofence && !(unordered_ & warps))) {
    machinery_.entered(order, PersistEntry::needless);
    return true;
  }
  const u32 flag = type == EntryType::release ? PersistBuffer::unnamed : 0;
  if (!buffer_.can_merge(type, warps, flag) && !room(warps)) return false;
  if (type == EntryType::release || type == EntryType::full) releases_.count();
  const bool merged = buffer_.put_order(type, warps, flag);
  unordered_ &= ~warps;
  if (order == PersistOrder::p_release) each(warps, [&](u32 warp) { releases_.enter(warp, buffer_.last_order(warp)); });
  machinery_.entered(order, merged ? PersistEntry::merged : PersistEntry::entered);
  leaving_.ordered(buffer_.tail());
  pump();
  return true;
}

/// What is before it has become durable when it is over. Copies of persistent lines go with it (section 7.2: cached PM
/// data is invalidated by inter-threadblock order and dFence).
bool Sbrp::wait_until_durable(PersistOrder order, u64 warps) {
  if (!held_.take_passed(warps) && !make_durable(order, warps)) return false;
  if (order == PersistOrder::dfence) machinery_.invalidate(false);
  return true;
}

bool Sbrp::make_durable(PersistOrder order, u64 warps) {
  if (held_.waits(warps)) return false;
  if (nothing_to_order()) {
    machinery_.entered(order, PersistEntry::needless);
    return true;
  }
  if (!buffer_.can_merge(EntryType::durable, warps) && !room(warps)) return false;
  releases_.count();
  const bool merged = buffer_.put_order(EntryType::durable, warps);
  unordered_ &= ~warps;
  machinery_.entered(order, merged ? PersistEntry::merged : PersistEntry::entered);
  held_.hold_for_durability(warps, buffer_.tail());
  leaving_.want(buffer_.tail());
  pump();
  return held_.take_passed(warps);
}

bool Sbrp::acquire(PersistOrder order, Scope scope, u64 warps) {
  const bool wide = order == PersistOrder::p_acquire && scope > Scope::cta;
  if (wide && artifact_.acquires_wait) {
    if (!wait_until_durable(order, warps)) return false;
    machinery_.invalidate(false);
    return true;
  }
  const u32 warp = static_cast<u32>(std::countr_zero(warps));
  const bool matched = order == PersistOrder::p_acquire && releases_.matched(warp);
  const bool over = matched ? acquire_matched(warp) : acquire_all(order, warps);
  if (!over) return false;
  if (order == PersistOrder::p_acquire) releases_.forget_reads(warp);
  if (wide) machinery_.invalidate(false);
  pump();
  return true;
}

/// A pRel has been performed when its flag is read, so it has entered when this is asked. An open release that the warp
/// has acquired before needs no second entry: the first is behind it, and so still inside.
bool Sbrp::acquire_matched(u32 warp) {
  for (u32 flag; (flag = releases_.next(warp)) != SbrpReleases::no_flag; releases_.step(warp)) {
    PersistEntry what = PersistEntry::needless;
    if (releases_.open(flag) == PersistBuffer::none) {
      in_flight_.hold(bit(warp), releases_.durable_at(flag));
    } else if (!releases_.has_acquired(warp)) {
      if (!buffer_.can_merge(EntryType::acquire, bit(warp), flag) && !room(bit(warp))) return false;
      releases_.acquire(warp);
      const bool merged = buffer_.put_order(EntryType::acquire, bit(warp), flag);
      what = merged ? PersistEntry::merged : PersistEntry::entered;
      leaving_.ordered(buffer_.tail());
    }
    machinery_.entered(PersistOrder::p_acquire, what);
  }
  return true;
}

/// Nothing was released since the warp's last acquire: this one orders nothing that that one does not. So the failed
/// iterations of a spin leave no entry.
bool Sbrp::acquire_all(PersistOrder order, u64 warps) {
  if (const u64 fresh = releases_.behind(warps); fresh && !nothing_to_order()) {
    if (!buffer_.can_merge(EntryType::acquire, fresh, SbrpReleases::any_flag) && !room(warps)) return false;
    const bool merged = buffer_.put_order(EntryType::acquire, fresh, SbrpReleases::any_flag);
    machinery_.entered(order, merged ? PersistEntry::merged : PersistEntry::entered);
    leaving_.ordered(buffer_.tail());
  } else {
    machinery_.entered(order, PersistEntry::needless);
  }
  releases_.acquire_all(warps);
  return true;
}

void Sbrp::on_flag(PersistOrder kind, u64 flag, u32 warp) {
  if (kind == PersistOrder::p_acquire)
    releases_.read(flag, warp);
  else
    releases_.write(flag, warp, buffer_);
}

// --- The buffer empties

/// False: it stays, and whatever is behind it.
bool Sbrp::let_out(const Entry& entry, Place place, SbrpOlderEntries& before) {
  if (entry.warps & (before.orders() | in_flight_.fsm())) {
    before.keep_persist(entry.warps);
    return !artifact_.head_only;
  }
  if (!leaving_.lets_go(place)) return false;
  buffer_.take(entry.way);
  in_flight_.sent(entry.warps);
  machinery_.flush(entry.way);
  return true;
}

/// For the warps for which the order operation is over, it orders what they do next behind what is in flight.
void Sbrp::take_effect(const Entry& entry, Place place, SbrpOlderEntries& before) {
  const u64 left = before.unfinished(entry), over = entry.warps & ~left;
  switch (over ? entry.type : EntryType::hole) {
    case EntryType::ofence:
      in_flight_.hold(in_flight_.of(over));
      break;
    case EntryType::release:
      // What it covers is durable when its warps leave the FSM: their own persists, and what they acquired. If they are
      // not in it, it is so already.
      in_flight_.hold(in_flight_.of(over));
      releases_.retire(entry, place, in_flight_.held_until(over));
      break;
    case EntryType::acquire:
      if (entry.way == SbrpReleases::any_flag)
        in_flight_.hold(over);
      else
        in_flight_.hold(over, releases_.durable_at(entry.way));
      break;
    case EntryType::full:
      in_flight_.hold(over);
      break;
    case EntryType::durable:
      held_.reach_durability(over);
      break;
    default:
      break;
  }
  before.keep_order(entry, left);
  buffer_.leave_to(place, left);
}

void Sbrp::pump() {
  do empty_buffer();
  while (let_go());
  leaving_.close_round(buffer_.empty());
}

void Sbrp::empty_buffer() {
  SbrpOlderEntries before;
  for (Place place = buffer_.head(); place < buffer_.tail(); ++place) {
    const Entry entry = buffer_[place];
    if (entry.type == EntryType::hole) continue;
    if (entry.type != EntryType::persist)
      take_effect(entry, place, before);
    else if (!let_out(entry, place, before))
      break;
  }
  buffer_.close_up();
}

/// True: somebody goes on, so that more may leave.
bool Sbrp::let_go() {
  if (held_.for_room() && !buffer_.full()) machinery_.resume(held_.take_for_room());
  const u64 gone = held_.leave_behind(buffer_.head());
  const bool over = gone && in_flight_.wait(gone);
  if (over) end_waits(gone);
  if (draining_ && buffer_.empty() && in_flight_.persists() == 0) {
    draining_ = false;
    machinery_.drained();
  }
  return over;
}

// --- Acknowledgements

void Sbrp::durable_so_far(u64) {
  if (const u64 over = in_flight_.end_oldest()) end_waits(over);
}

void Sbrp::end_waits(u64 warps) {
  held_.acknowledged(warps);
  machinery_.resume(warps);
}

void Sbrp::on_durable() {
  if (in_flight_.all_end()) durable_so_far(0);
  pump();
}

bool Sbrp::drain() {
  leaving_.want(buffer_.tail());
  draining_ = false;
  pump();
  draining_ = !buffer_.empty() || in_flight_.persists() != 0;
  return !draining_;
}

std::string Sbrp::what_is_under_way() const {
  if (nothing_to_order() && !held_.anyone()) return {};
  return fmt::format(
      "persist buffer: places {} to {}, {} persists in flight; FSM {:#x}, ODM {:#x}, EDM {:#x}, without room {:#x}, "
      "what is before {} must leave\n",
      buffer_.head(), buffer_.tail(), in_flight_.persists(), in_flight_.fsm(), held_.odm(), held_.edm(),
      held_.for_room(), leaving_.wanted());
}

}  // namespace ew::persistency
