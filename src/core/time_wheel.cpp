#include "core/time_wheel.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ew::core {

TimeWheel::TimeWheel(Size size)
    : slot_bits_(size == Size::small ? 6 : 10),
      levels_(size == Size::small ? 7 : 4),
      last_slot_((u32{1} << slot_bits_) - 1),
      slot_(u64{levels_} << slot_bits_),
      occupied_((u64{levels_} << slot_bits_) / 64) {
  events_.reserve(size == Size::small ? 256 : 4096);
}

void TimeWheel::grow() {
  free_ = static_cast<u32>(events_.size());
  events_.emplace_back().next = none;
}

/// The level is that of the highest digit (of slot_bits_ bits) in which `when` differs from now: two times that agree
/// in all higher digits share the window that the level turns through.
void TimeWheel::file(u32 index) {
  const Cycle when = events_[index].when;
  const u32 level = static_cast<u32>(63 - std::countl_zero(when ^ now_)) / slot_bits_;
  assert(level > 0 && level < levels_);
  ++above_;
  append(slot_of(when, level), index);
}

void TimeWheel::run_slot() {
  const u32 number = now_ & last_slot_;
  Slot& slot = slot_[number];
  while (slot.first != none) {
    const u32 index = slot.first;
    const Event event = events_[index];
    slot.first = event.next;
    events_[index].next = free_;
    free_ = index;
    --pending_;
    ++executed_;
    event.handler(event.target, event.a, event.b);
  }
  occupied_[number / 64] &= ~(u64{1} << number % 64);
  earliest_ = unknown;
}

Cycle TimeWheel::first() const {
  if (!pending_) return never;
  if (pending_ == above_) return first_above();
  const u32 from = now_ & last_slot_, words = last_slot_ / 64 + 1;
  u32 word = from / 64;
  u64 bits = occupied_[word] & ~u64{0} << from % 64;
  while (!bits) bits = occupied_[word = (word + 1) % words];  // round to what is before `from`
  const u32 number = word * 64 + static_cast<u32>(std::countr_zero(bits));
  const Cycle in_ring = now_ + ((number - from) & last_slot_);
  const bool same_window = in_ring >> slot_bits_ == now_ >> slot_bits_;
  return !above_ || same_window ? in_ring : std::min(in_ring, first_above());
}

/// Every event of a lower level comes before every event of a higher one. A slot holds events of many cycles: the
/// earliest of them is looked for.
Cycle TimeWheel::first_above() const {
  for (u32 level = 1; level < levels_; ++level) {
    const u32 end = (level + 1) << slot_bits_, from = slot_of(now_, level) + 1;
    if (from == end) continue;
    u32 word = from / 64;
    u64 bits = occupied_[word] & ~u64{0} << from % 64;
    while (!bits && ++word < end / 64) bits = occupied_[word];
    if (!bits) continue;
    Cycle earliest = never;
    for (u32 i = slot_[word * 64 + static_cast<u32>(std::countr_zero(bits))].first; i != none; i = events_[i].next)
      earliest = std::min(earliest, events_[i].when);
    return earliest;
  }
  return never;
}

u32 TimeWheel::take(u32 slot) {
  occupied_[slot / 64] &= ~(u64{1} << slot % 64);
  return std::exchange(slot_[slot], {}).first;
}

void TimeWheel::spread(u32 level) {
  for (u32 index = take(slot_of(now_, level)), next; index != none; index = next) {
    next = std::exchange(events_[index].next, none);
    append(slot_of(events_[index].when, level - 1), index);
  }
}

/// These were asked for before any event of their cycles that is in the ring already: they come before it.
void TimeWheel::enter_ring() {
  u32 reversed = none;
  for (u32 index = take(slot_of(now_, 1)), next; index != none; index = next) {
    next = std::exchange(events_[index].next, reversed);
    reversed = index;
  }
  for (u32 index = reversed, next; index != none; index = next) {
    const u32 number = static_cast<u32>(events_[index].when) & last_slot_;
    Slot& slot = slot_[number];
    next = std::exchange(events_[index].next, slot.first);
    if (slot.first == none) {
      slot.last = index;
      occupied_[number / 64] |= u64{1} << number % 64;
    }
    slot.first = index;
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
