// Simulated time and what happens when. Owned by the machine; every component of it keeps a reference.
//
// Time is counted in cycles of the SM clock. Events of one cycle run in the order in which they were asked for, so a
// run is a function of its input alone. The wheel has four levels of 1,024 slots (2^40 cycles, 13 minutes at 1.4 GHz);
// an event moves down a level when time enters its slot, and nothing is allocated once the pool has its working size.
#pragma once

#include <array>
#include <vector>

#include "core/types.hpp"

namespace ew::core {

using Cycle = u64;
inline constexpr Cycle never = ~Cycle{0};

class TimeWheel {
 public:
  /// What an event runs: a component and two words of its own meaning.
  using Handler = void (*)(void* target, u64 a, u64 b);

  TimeWheel();
  TimeWheel(const TimeWheel&) = delete;
  TimeWheel& operator=(const TimeWheel&) = delete;

  Cycle now() const { return now_; }
  /// REQUIRES: now() <= when < now() + 2^39. An event for now() runs in this cycle, behind those that wait already.
  void at(Cycle when, Handler, void* target, u64 a = 0, u64 b = 0);
  /// `at` for a member function: at<&Home::arrive>(when, home, a, b).
  template <auto Member, class Target>
  void at(Cycle when, Target& target, u64 a = 0, u64 b = 0) {
    at(
        when, [](void* t, u64 x, u64 y) { (static_cast<Target*>(t)->*Member)(x, y); }, &target, a, b);
  }

  /// Runs every event of now(), those asked for meanwhile included.
  void run_due();
  /// The first cycle after now() that has an event, or `never`.
  Cycle next() const;
  /// Time goes on; nothing may be due before `to`. REQUIRES: now() <= to <= next().
  void advance(Cycle to);

  u64 pending() const { return pending_; }
  u64 executed() const { return executed_; }
  /// Events that the pool has room for; it stands still once the machine has warmed up.
  u64 capacity() const { return events_.size(); }

 private:
  static constexpr u32 levels = 4, slot_bits = 10, slots = 1 << slot_bits;
  static constexpr u32 none = ~u32{0};

  struct Event {
    Handler handler;
    void* target;
    u64 a, b;
    Cycle when;
    u32 next;
  };
  struct Slot {
    u32 first = none, last = none;
  };
  struct Level {
    std::array<Slot, slots> slot;
    std::array<u64, slots / 64> occupied{};
  };

  void file(u32 event);
  void append(u32 level, u32 slot, u32 event);
  void spread(u32 level, u32 slot);  // into the levels below
  u32 first_occupied(u32 level, u32 from) const;

  Cycle now_ = 0;
  u64 pending_ = 0, executed_ = 0;
  u32 free_ = none;
  std::vector<Event> events_;
  std::vector<Level> levels_;
};

}  // namespace ew::core
