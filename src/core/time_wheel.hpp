// Simulated time and what happens when. Owned by the machine; every component of it keeps a reference.
//
// Time is counted in cycles of the SM clock. Events of one cycle run in the order in which they were asked for, so a
// run is a function of its input alone. Near events lie in a ring with a slot for each cycle, later ones in levels
// above it; an event moves down a level when time enters its slot. Nothing is allocated once the pool has its working
// size. A wheel with few events has few slots, so that it stays in the host's caches.
#pragma once

#include <cassert>

#include "core/event_slots.hpp"

namespace ew::core {

using Cycle = u64;
inline constexpr Cycle never = ~Cycle{0};

class TimeWheel {
 public:
  /// What an event runs: a component and two words of its own meaning.
  using Handler = void (*)(void* target, u64 a, u64 b);

  enum class Size : u8 {
    small,  // 7 levels of 64 slots, of which the first is the ring: 2^42 cycles
    large   // 4 levels of 1,024 slots: 2^40 cycles, 13 minutes at 1.4 GHz
  };
  explicit TimeWheel(Size = Size::large);
  TimeWheel(const TimeWheel&) = delete;
  TimeWheel& operator=(const TimeWheel&) = delete;

  Cycle now() const { return now_; }
  /// REQUIRES: now() <= when < now() + 2^39, by any size. An event for now() runs in this cycle, behind those that wait
  /// already.
  void at(Cycle when, Handler handler, void* target, u64 a = 0, u64 b = 0) {
    assert(when >= now_);
    const u32 event = slots_.make({.handler = handler, .target = target, .a = a, .b = b, .when = when});
    ++pending_;
    if (when < earliest_) earliest_ = when;
    if (when - now_ <= last_slot_) [[likely]]
      slots_.append(static_cast<u32>(when) & last_slot_, event);
    else
      file(event);
  }
  /// `at` for a member function: at<&Home::arrive>(when, home, a, b).
  template <auto Member, class Target>
  void at(Cycle when, Target& target, u64 a = 0, u64 b = 0) {
    at(
        when, [](void* t, u64 x, u64 y) { (static_cast<Target*>(t)->*Member)(x, y); }, &target, a, b);
  }

  /// Runs every event of now(), those asked for meanwhile included.
  void run_due() {
    if (!slots_.empty(now_ & last_slot_)) run_slot();
  }
  /// The first cycle from now() on that has an event, or `never`.
  Cycle next() const {
    if (earliest_ == unknown) earliest_ = first();
    return earliest_;
  }
  /// Time goes on; nothing may be due before `to`. REQUIRES: now() <= to <= next().
  void advance(Cycle to) {
    assert(to >= now_ && to <= next());
    const u64 changed = now_ ^ to;
    now_ = to;
    if (changed >> slot_bits_ && above_) [[unlikely]]
      turn(changed);
  }

  u64 pending() const { return pending_; }
  u64 executed() const { return executed_; }
  /// Events that the pool has room for; it stands still once the machine has warmed up.
  u64 capacity() const { return slots_.capacity(); }

 private:
  // Of earliest_: it must be looked for. An event in cycle 0 has the same value: it is looked for each time.
  static constexpr Cycle unknown = 0;

  /// Of a level above the ring: the slot of this cycle.
  u32 slot_of(Cycle when, u32 level) const {
    return level << slot_bits_ | (static_cast<u32>(when >> (level * slot_bits_)) & last_slot_);
  }
  void run_slot();
  void turn(u64 changed);  // levels above the ring, when time has changed in these bits
  Cycle first() const;
  Cycle first_above() const;
  void file(u32 event);
  void spread(u32 level);  // what is in the level's slot of this time, into the level below
  void enter_ring();       // the same of the level above the ring

  const u32 slot_bits_, levels_, last_slot_;
  Cycle now_ = 0;
  mutable Cycle earliest_ = never;  // of all events
  u64 pending_ = 0, executed_ = 0;
  u64 above_ = 0;     // of those pending, above the ring
  EventSlots slots_;  // by level: the ring is the first
};

}  // namespace ew::core
