// Which warps are on the SM, what does each wait for, and when is it ready? One bit a slot in all sets. Owned by the
// SM.
//
// A warp is in one place: ready (its bit in the set of the unit that its next instruction needs), waiting for a cycle
// (in the calendar, or an event beyond it), or waiting for somebody: an access, order, a barrier. Who ends such a wait
// has the warp looked at. Nothing is polled. What a warp waits for is a bit of its own, for the charge of lost issue
// slots.
#pragma once

#include <array>
#include <bit>
#include <utility>

#include "simt/occupancy.hpp"
#include "simt/sm/alarm.hpp"
#include "simt/sm/ready_sets.hpp"
#include "simt/sm/wake_calendar.hpp"
#include "simt/sm/warp_slot.hpp"

namespace ew::simt {

constexpr u64 bit(u32 slot) {
  return u64{1} << slot;
}
/// REQUIRES: not 0.
constexpr u32 first_of(u64 slots) {
  return static_cast<u32>(std::countr_zero(slots));
}

class WarpTable {
 public:
  static constexpr u32 slots = most_warps;

  WarpTable(core::TimeWheel& wheel, Alarm& alarm) : wheel_(wheel), alarm_(alarm) {}
  WarpTable(const WarpTable&) = delete;

  WarpSlot& operator[](u32 slot) { return warps_[slot]; }
  const WarpSlot& operator[](u32 slot) const { return warps_[slot]; }
  u64 occupied() const { return occupied_; }
  /// By slot: in order of arrival, smaller is older.
  const u64* ages() const { return age_.data(); }
  /// Where slots of the first of these warps count.
  SlotCounts& slots_of(u64 warps) const { return *warps_[first_of(warps)].slots; }

  /// Takes a vacant slot of these. REQUIRES: there is one.
  u32 enter(u64 among = ~u64{0});
  /// The warp's slot is vacant.
  void leave(u32 slot);
  /// Nothing comes of what these warps, which have left, waited for.
  void forget(u64 gone);

  // A warp waits.
  void wait_for(u32 slot, Wait what) {
    changed_ |= bit(slot);
    waiting_[static_cast<u32>(what)] |= bit(slot);
  }
  /// For a cycle. `look`: the warp must be looked at then, else it is ready.
  void wait_until(u32 slot, Cycle when, Cycle now, Wait what, bool look) {
    wait_for(slot, what);
    calendar_.waits(slot, look);
    if (when - now < WakeCalendar::days) return calendar_.enter(slot, when);
    wheel_.at<&WarpTable::wake_event>(when, *this, slot, warps_[slot].generation);
  }
  void stop_waiting(u64 warps) {
    changed_ |= warps;
    for (u64& waiting : waiting_) waiting &= ~warps;
  }
  u64 waiting(Wait what) const { return waiting_[static_cast<u32>(what)]; }
  /// Those whose cycle has come are ready, or looked at.
  void wake(Cycle now) {
    if (const u64 warps = calendar_.take(now)) wake_up(warps);
  }

  // It is ready.
  const ReadySets& ready() const { return ready_; }
  void needs(u32 slot, Unit unit) { ready_.needs(slot, unit); }
  void be_ready(u64 warps) {
    changed_ |= warps;
    ready_.add(warps);
  }
  void issues(u32 slot) {
    changed_ |= bit(slot);
    ready_.remove(bit(slot));
  }
  /// Those of these that are ready are looked at once more, those that wait for a cycle when it has come.
  void reconsider(u64 warps);

  /// Slots that have come to wait or to be ready, or have ceased to, since the last call.
  u64 take_changed() { return std::exchange(changed_, 0); }

  // It must be looked at: what it waited for may be there.
  void look_at(u64 warps) { look_at_ |= warps; }
  bool any_to_look_at() const { return look_at_ != 0; }
  u32 next_to_look_at() {
    const u32 slot = first_of(look_at_);
    look_at_ &= look_at_ - 1;
    return slot;
  }
  /// If it waits for that, for nobody else and for no cycle.
  void look_again(u32 slot, Wait if_it_waits);

  /// When a warp needs the SM next, other than those that are ready.
  Cycle due(Cycle now) const { return look_at_ ? now + 1 : calendar_.next(now); }

 private:
  void wake_up(u64 warps) {
    stop_waiting(warps);
    const u64 looked_at = calendar_.over(warps);
    look_at_ |= looked_at;
    be_ready(warps & ~looked_at);
  }
  void wake_event(u64 slot, u64 generation);

  core::TimeWheel& wheel_;
  Alarm& alarm_;
  std::array<WarpSlot, slots> warps_;
  std::array<u64, slots> age_{};
  u64 occupied_ = 0, arrivals_ = 0;
  std::array<u64, waits> waiting_{};
  ReadySets ready_;
  WakeCalendar calendar_;
  u64 look_at_ = 0;
  u64 changed_ = 0;  // until take_changed()
};

}  // namespace ew::simt
