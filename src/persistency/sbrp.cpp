#include "persistency/sbrp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace ew::persistency {

using memory::PersistEntry;
using memory::PersistHold;
using memory::PersistOrder;

namespace {

u64 bit(u32 warp) {
  return u64{1} << warp;
}

template <class Visitor>
void each(u64 warps, Visitor&& visit) {
  for (; warps; warps &= warps - 1) visit(static_cast<u32>(std::countr_zero(warps)));
}

}  // namespace

Sbrp::Sbrp(const PersistencyConfig& config, u32 lines, PersistMachinery& machinery)
    : machinery_(machinery),
      buffer_(buffer_entries(config, lines), lines, config.merge == "past-others"),
      window_(config.window),
      policy_(config.policy == "eager"    ? Policy::eager
              : config.policy == "lazy"   ? Policy::lazy
              : config.policy == "capped" ? Policy::capped
                                          : Policy::window),
      matches_(config.acquires == "matched"),
      acquires_wait_(config.acquires == "waiting"),
      flags_(flags),
      head_only_(config.leaving == "head") {}

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
  return !(warps & fsm_) && !buffer_.order_before(place, warps);
}

PersistHold Sbrp::on_through(u32 way, u32 warp) {
  const Place place = way == ~u32{0} ? PersistBuffer::none : buffer_.place_of(way);
  if (buffer_.order_inside(warp)) return hold(PersistHold::order, warp, buffer_.last_order(warp) + 1);
  if (fsm_ & bit(warp)) return hold(PersistHold::order, warp, 0);
  if (place == PersistBuffer::none) return PersistHold::none;
  const u64 warps = buffer_[place].warps;
  if (!may_leave(place, warps)) return hold(PersistHold::order, warp, place + 1);
  note_sent(warps);
  buffer_.take(way);
  return PersistHold::none;
}

bool Sbrp::went_through(u32 warp) {
  note_sent(bit(warp));
  unordered_ |= bit(warp);
  return false;
}

PersistHold Sbrp::on_evict(u32 way, u32 warp) {
  const Place place = buffer_.place_of(way);
  const u64 warps = buffer_[place].warps;
  if (!may_leave(place, warps)) return hold(PersistHold::eviction, warp, place + 1);
  note_sent(warps);
  buffer_.take(way);
  return PersistHold::none;
}

/// The warp goes to the EDM until what is before `place` has left and been acknowledged.
PersistHold Sbrp::hold(PersistHold why, u32 warp, Place place) {
  edm_ |= bit(warp);
  wanted_of_[warp] = place;
  want(place);
  if (why == PersistHold::eviction) makes_room_ = buffer_.head() + 1;
  pump();
  if (head_only_ && why == PersistHold::order) set_fsm(bit(warp));
  return why;
}

void Sbrp::want(Place place) {
  wanted_ = std::max(wanted_, place);
}

bool Sbrp::room(u64 warps) {
  if (!buffer_.full()) return true;
  want(buffer_.head() + 1);
  if (!fsm_) makes_room_ = buffer_.head() + 1;
  pump();
  if (!buffer_.full()) return true;
  for_room_ |= warps;
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
      each(warps, [&](u32 warp) { released_[warp] = {}; });
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
  releases_ += type == EntryType::release || type == EntryType::full;
  const bool merged = buffer_.put_order(type, warps, flag);
  unordered_ &= ~warps;
  if (order == PersistOrder::p_release) each(warps, [&](u32 warp) { released_[warp] = {buffer_.last_order(warp), 0}; });
  machinery_.entered(order, merged ? PersistEntry::merged : PersistEntry::entered);
  if (policy_ == Policy::lazy) want(buffer_.tail());
  pump();
  return true;
}

/// What is before it has become durable when it is over. Copies of persistent lines go with it (section 7.2: cached PM
/// data is invalidated by inter-threadblock order and dFence).
bool Sbrp::wait_until_durable(PersistOrder order, u64 warps) {
  if ((passed_ & warps) == warps) {
    passed_ &= ~warps;
    if (order == PersistOrder::dfence) machinery_.invalidate(false);
    return true;
  }
  if ((odm_ | edm_ | acknowledging_) & warps) return false;
  if (nothing_to_order()) {
    machinery_.entered(order, PersistEntry::needless);
    if (order == PersistOrder::dfence) machinery_.invalidate(false);
    return true;
  }
  if (!buffer_.can_merge(EntryType::durable, warps) && !room(warps)) return false;
  ++releases_;
  odm_ |= warps;
  const bool merged = buffer_.put_order(EntryType::durable, warps);
  unordered_ &= ~warps;
  machinery_.entered(order, merged ? PersistEntry::merged : PersistEntry::entered);
  each(warps, [&](u32 warp) { wanted_of_[warp] = buffer_.tail(); });
  want(buffer_.tail());
  pump();
  if ((passed_ & warps) != warps) return false;
  passed_ &= ~warps;
  if (order == PersistOrder::dfence) machinery_.invalidate(false);
  return true;
}

bool Sbrp::acquire(PersistOrder order, Scope scope, u64 warps) {
  const bool wide = order == PersistOrder::p_acquire && scope > Scope::cta;
  if (wide && acquires_wait_) {
    if (!wait_until_durable(order, warps)) return false;
    machinery_.invalidate(false);
    return true;
  }
  const u32 warp = static_cast<u32>(std::countr_zero(warps));
  const u32 read = order == PersistOrder::p_acquire ? read_[warp].count : 0;
  const bool over = read && read <= most_read ? acquire_matched(warp) : acquire_all(order, warps);
  if (!over) return false;
  if (order == PersistOrder::p_acquire) read_[warp].count = read_[warp].done = 0;
  if (wide) machinery_.invalidate(false);
  pump();
  return true;
}

/// A pRel has been performed when its flag is read, so it has entered when this is asked.
bool Sbrp::acquire_matched(u32 warp) {
  Read& read = read_[warp];
  for (; read.done < read.count; ++read.done) {
    const u32 number = read.flag[read.done];
    const Flag& flag = flags_[number];
    auto& acquired = read.acquired[read.done];
    if (flag.release == PersistBuffer::none) {
      set_fsm(bit(warp), flag.until);
      machinery_.entered(PersistOrder::p_acquire, PersistEntry::needless);
      continue;
    }
    if (acquired == std::pair{number, flag.release}) {  // its entry is behind that pRel, so it is inside as well
      machinery_.entered(PersistOrder::p_acquire, PersistEntry::needless);
      continue;
    }
    if (!buffer_.can_merge(EntryType::acquire, bit(warp), number) && !room(bit(warp))) return false;
    acquired = {number, flag.release};
    const bool merged = buffer_.put_order(EntryType::acquire, bit(warp), number);
    machinery_.entered(PersistOrder::p_acquire, merged ? PersistEntry::merged : PersistEntry::entered);
    if (policy_ == Policy::lazy) want(buffer_.tail());
  }
  return true;
}

/// Nothing was released since the warp's last acquire: this one orders nothing that that one does not. So the failed
/// iterations of a spin leave no entry.
bool Sbrp::acquire_all(PersistOrder order, u64 warps) {
  u64 fresh = 0;
  each(warps, [&](u32 warp) { fresh |= acquired_[warp] != releases_ ? bit(warp) : 0; });
  if (fresh && !nothing_to_order()) {
    if (!buffer_.can_merge(EntryType::acquire, fresh, any_flag) && !room(warps)) return false;
    const bool merged = buffer_.put_order(EntryType::acquire, fresh, any_flag);
    machinery_.entered(order, merged ? PersistEntry::merged : PersistEntry::entered);
    if (policy_ == Policy::lazy) want(buffer_.tail());
  } else {
    machinery_.entered(order, PersistEntry::needless);
  }
  each(warps, [&](u32 warp) { acquired_[warp] = releases_; });
  return true;
}

void Sbrp::on_flag(PersistOrder kind, u64 name, u32 warp) {
  if (!matches_) return;
  const u16 number = static_cast<u16>((name + (name >> 25) * 97) % flags);
  if (kind == PersistOrder::p_acquire) {
    Read& read = read_[warp];
    const auto end = read.flag.begin() + std::min(read.count, most_read);
    if (std::find(read.flag.begin(), end, number) != end) return;
    if (read.count < most_read) read.flag[read.count] = number;
    read.count += read.count <= most_read;
    return;
  }
  Flag& flag = flags_[number];
  const Release& release = released_[warp];
  if (release.place == PersistBuffer::none) return;
  if (!buffer_.inside(release.place)) {
    flag.until = std::max(flag.until, release.until);
    return;
  }
  buffer_.name(release.place, number, any_flag);
  flag.release = flag.release == PersistBuffer::none ? release.place : std::max(flag.release, release.place);
}

/// What the release covers is durable when its warps leave the FSM: their own persists, and what they acquired. If they
/// are not in it, it is so already.
void Sbrp::retire_release(const PersistBuffer::Entry& entry, Place place) {
  u64 until = 0;
  each(entry.warps & fsm_, [&](u32 warp) { until = std::max(until, fsm_until_[warp]); });
  each(entry.warps, [&](u32 warp) {
    if (released_[warp].place == place) released_[warp].until = until;
  });
  const auto left = [&](Flag& flag) {
    if (flag.release == PersistBuffer::none) return;
    flag.until = std::max(flag.until, until);
    if (place == flag.release) flag.release = PersistBuffer::none;
  };
  if (entry.way == any_flag)
    std::ranges::for_each(flags_, left);
  else if (entry.way != PersistBuffer::unnamed)
    left(flags_[entry.way]);
}

// --- The buffer empties

/// What somebody waits for leaves when its order lets it, unless the window is a cap: then only what a warp without
/// room waits for. The rest leaves when the policy of section 6.2 says so.
bool Sbrp::policy_lets_go(Place place) {
  if (policy_ == Policy::eager || place < (policy_ == Policy::capped ? makes_room_ : wanted_)) return true;
  if (policy_ == Policy::lazy) return false;
  if (machinery_.in_flight() < window_) return true;
  if (!std::exchange(window_full_, true)) machinery_.window_full(true);
  return false;
}

/// From the oldest entry to the youngest: what is left before the one looked at.
struct Sbrp::Walk {
  u64 persists = 0;                    // warps with a persist there
  u64 orders = 0;                      // warps with an order operation there, which has not taken effect
  std::array<u64, flags / 64> open{};  // flags with a pRel there
  bool any_open = false;

  bool nothing() const { return !(persists | orders); }
  bool of(u64 warps) const { return (persists | orders) & warps; }
  bool is_open(u32 flag) const { return any_open || (flag < flags && (open[flag / 64] >> flag % 64 & 1)); }
  void keep_open(u32 flag) {
    if (flag < flags)
      open[flag / 64] |= u64{1} << flag % 64;
    else
      any_open |= flag == any_flag;
  }
};

/// False: it stays, and whatever is behind it.
bool Sbrp::let_out(const PersistBuffer::Entry& entry, Place place, Walk& before) {
  if (entry.warps & (before.orders | fsm_)) {
    before.persists |= entry.warps;
    return !head_only_;
  }
  if (!policy_lets_go(place)) return false;
  buffer_.take(entry.way);
  note_sent(entry.warps);
  machinery_.flush(entry.way);
  return true;
}

/// An order operation is over for a warp when nothing that it orders is left before it.
void Sbrp::take_effect(const PersistBuffer::Entry& entry, Place place, Walk& before) {
  u64 left = entry.warps;
  switch (entry.type) {
    case EntryType::ofence:
      left &= before.persists | before.orders;
      set_fsm(in_flight_of(entry.warps & ~left));
      break;
    case EntryType::release:  // what other warps sent is ordered for those alone that acquired it
      if (before.of(left) || before.is_open(entry.way) || (entry.way == any_flag && !before.nothing())) {
        before.keep_open(entry.way);
        break;
      }
      set_fsm(in_flight_of(left));
      retire_release(entry, place);
      left = 0;
      break;
    case EntryType::acquire:
      if (entry.way == any_flag ? !before.nothing() : before.of(left) || before.is_open(entry.way)) break;
      if (entry.way == any_flag)
        set_fsm(left);
      else
        set_fsm(left, flags_[entry.way].until);
      left = 0;
      break;
    case EntryType::full:
      if (!before.nothing()) break;
      set_fsm(left);
      left = 0;
      break;
    case EntryType::durable:
      if (!before.nothing()) break;
      odm_ &= ~left;
      edm_ |= left;
      for_durability_ |= left;
      left = 0;
      break;
    default:
      break;
  }
  before.orders |= left;
  buffer_.leave_to(place, left);
}

void Sbrp::pump() {
  do empty_buffer();
  while (let_go());
  if (window_full_ && (machinery_.in_flight() < window_ || buffer_.empty())) {
    window_full_ = false;
    machinery_.window_full(false);
  }
}

void Sbrp::empty_buffer() {
  Walk before;
  for (Place place = buffer_.head(); place < buffer_.tail(); ++place) {
    const PersistBuffer::Entry entry = buffer_[place];
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
  if (for_room_ && !buffer_.full()) machinery_.resume(std::exchange(for_room_, 0));
  u64 gone = 0;
  each(edm_, [&](u32 warp) { gone |= wanted_of_[warp] <= buffer_.head() ? bit(warp) : 0; });
  edm_ &= ~gone;
  acknowledging_ |= gone;
  const bool over = gone && mark(0, gone);
  if (over) end_waits(gone);
  if (draining_ && buffer_.empty() && !machinery_.in_flight()) {
    draining_ = false;
    machinery_.drained();
  }
  return over;
}

// --- Acknowledgements

void Sbrp::note_sent(u64 warps) {
  each(warps, [&](u32 warp) { sent_before_[warp] = marks_set_ + 1; });
}

/// Of these warps, those with a persist that may be in flight.
u64 Sbrp::in_flight_of(u64 warps) const {
  if (!machinery_.in_flight()) return 0;
  if (head_only_) return warps;
  u64 some = 0;
  each(warps, [&](u32 warp) { some |= sent_before_[warp] > marks_over_ ? bit(warp) : 0; });
  return some;
}

void Sbrp::set_fsm(u64 warps) {
  if (!warps || mark(warps, 0)) return;
  fsm_ |= warps;
  each(warps, [&](u32 warp) { fsm_until_[warp] = marks_set_; });
}

/// Until a mark that was set before.
void Sbrp::set_fsm(u64 warps, u64 until) {
  if (until <= marks_over_) return;
  marks_[static_cast<u32>(until - marks_over_ - 1)].fsm |= warps;
  each(warps, [&](u32 warp) { fsm_until_[warp] = std::max(fsm_ & bit(warp) ? fsm_until_[warp] : 0, until); });
  fsm_ |= warps;
}

/// Waits for what is in flight. True: nothing is.
bool Sbrp::mark(u64 fsm, u64 edm) {
  if (head_only_ ? machinery_.in_flight() == 0 : machinery_.when_durable(fsm | edm)) return true;
  if (head_only_ && !marks_.empty()) {  // they all end together
    marks_.back().fsm |= fsm;
    marks_.back().edm |= edm;
    return false;
  }
  marks_.push_back({fsm, edm});
  ++marks_set_;
  return false;
}

void Sbrp::durable_so_far(u64) {
  const Mark over = marks_.front();
  marks_.pop_front();
  ++marks_over_;
  each(over.fsm, [&](u32 warp) { fsm_ &= fsm_until_[warp] == marks_over_ ? ~bit(warp) : ~u64{0}; });
  if (over.edm) end_waits(over.edm);
}

void Sbrp::end_waits(u64 warps) {
  acknowledging_ &= ~warps;
  passed_ |= warps & for_durability_;
  for_durability_ &= ~warps;
  machinery_.resume(warps);
}

void Sbrp::on_durable() {
  if (head_only_ && machinery_.in_flight() == 0 && !marks_.empty()) durable_so_far(0);
  pump();
}

bool Sbrp::drain() {
  want(buffer_.tail());
  draining_ = false;
  pump();
  draining_ = !buffer_.empty() || machinery_.in_flight() != 0;
  return !draining_;
}

std::string Sbrp::what_is_under_way() const {
  if (nothing_to_order() && !edm_ && !odm_ && !acknowledging_ && !for_room_) return {};
  return fmt::format(
      "persist buffer: places {} to {}, {} persists in flight; FSM {:#x}, ODM {:#x}, EDM {:#x}, without room {:#x}, "
      "what is before {} must leave\n",
      buffer_.head(), buffer_.tail(), machinery_.in_flight(), fsm_, odm_, edm_ | acknowledging_, for_room_, wanted_);
}

std::unique_ptr<Persistency> make_sbrp(const PersistencyConfig& config, u32 lines, PersistMachinery& machinery) {
  return std::make_unique<Sbrp>(config, lines, machinery);
}

}  // namespace ew::persistency
