#include "core/time_wheel.hpp"

#include <algorithm>
#include <bit>

namespace ew::core {

TimeWheel::TimeWheel(Size size)
    : slot_bits_(size == Size::small ? 6 : 10),
      levels_(size == Size::small ? 7 : 4),
      last_slot_((u32{1} << slot_bits_) - 1),
      slots_(levels_ << slot_bits_, size == Size::small ? 256 : 4096) {}

/// The level is that of the highest digit (of slot_bits_ bits) in which `when` differs from now: two times that agree
/// in all higher digits share the window that the level turns through.
void TimeWheel::file(u32 event) {
  const Cycle when = slots_[event].when;
  const u32 level = static_cast<u32>(63 - std::countl_zero(when ^ now_)) / slot_bits_;
  assert(level > 0 && level < levels_);
  ++above_;
  slots_.append(slot_of(when, level), event);
}

void TimeWheel::run_slot() {
  const u32 slot = now_ & last_slot_;
  slots_.expect((slot + 1) & last_slot_);
  while (!slots_.empty(slot)) {
    const EventSlots::Event event = slots_.pop(slot);
    --pending_;
    ++executed_;
    event.handler(event.target, event.a, event.b);
  }
  slots_.clear(slot);
  earliest_ = unknown;
}

Cycle TimeWheel::first() const {
  if (!pending_) return never;
  if (pending_ == above_) return first_above();
  const u32 here = now_ & last_slot_, slots = last_slot_ + 1;
  u32 slot = slots_.next(here, slots);
  if (slot == slots) slot = slots_.next(0, slots);  // round to what is before `here`
  const Cycle in_ring = now_ + ((slot - here) & last_slot_);
  const bool same_window = in_ring >> slot_bits_ == now_ >> slot_bits_;
  return !above_ || same_window ? in_ring : std::min(in_ring, first_above());
}

/// Every event of a lower level comes before every event of a higher one. A slot holds events of many cycles: the
/// earliest of them is looked for.
Cycle TimeWheel::first_above() const {
  for (u32 level = 1; level < levels_; ++level) {
    const u32 end = (level + 1) << slot_bits_, slot = slots_.next(slot_of(now_, level) + 1, end);
    if (slot == end) continue;
    Cycle earliest = never;
    for (u32 event = slots_.first(slot); event != EventSlots::none; event = slots_[event].next)
      earliest = std::min<Cycle>(earliest, slots_[event].when);
    return earliest;
  }
  return never;
}

void TimeWheel::spread(u32 level) {
  for (u32 event = slots_.take(slot_of(now_, level)), next; event != EventSlots::none; event = next) {
    next = slots_[event].next;
    slots_.append(slot_of(slots_[event].when, level - 1), event);
  }
}

/// These were asked for before any event of their cycles that is in the ring already: they come before it.
void TimeWheel::enter_ring() {
  for (u32 event = slots_.take_reversed(slot_of(now_, 1)), next; event != EventSlots::none; event = next) {
    next = slots_[event].next;
    slots_.prepend(static_cast<u32>(slots_[event].when) & last_slot_, event);
    --above_;
  }
}

void TimeWheel::turn(u64 changed) {
  // From the top, so that what falls out of a higher level is spread on.
  for (u32 level = levels_ - 1; level > 1; --level)
    if (changed >> (level * slot_bits_)) spread(level);
  enter_ring();
}

}  // namespace ew::core
