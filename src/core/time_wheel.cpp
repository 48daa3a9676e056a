#include "core/time_wheel.hpp"

#include <bit>
#include <cassert>

namespace ew::core {

TimeWheel::TimeWheel(Size size)
    : slot_bits_(size == Size::small ? 6 : 10),
      levels_(size == Size::small ? 7 : 4),
      slot_(u64{levels_} << slot_bits_),
      occupied_((u64{levels_} << slot_bits_) / 64) {
  events_.reserve(size == Size::small ? 256 : 4096);
}

/// The level is that of the highest digit (of slot_bits_ bits) in which `when` differs from now: two times that agree
/// in all higher digits share the window that the level turns through.
void TimeWheel::file(u32 index) {
  const Cycle when = events_[index].when;
  const u64 difference = when ^ now_;
  const u32 level = difference >> slot_bits_ == 0 ? 0 : (63 - std::countl_zero(difference)) / slot_bits_;
  assert(level < levels_);
  const u32 number = slot_of(when, level);
  Slot& slot = this->slot(level, number);
  events_[index].next = none;
  if (slot.first == none) {
    slot.first = index;
    occupied(level, number) |= u64{1} << (number % 64);
  } else {
    events_[slot.last].next = index;
  }
  slot.last = index;
}

void TimeWheel::at(Cycle when, Handler handler, void* target, u64 a, u64 b) {
  assert(when >= now_);
  u32 index = free_;
  if (index == none) {
    index = static_cast<u32>(events_.size());
    events_.emplace_back();
  } else {
    free_ = events_[index].next;
  }
  events_[index] = {handler, target, a, b, when, none};
  ++pending_;
  if (when < earliest_ && earliest_ != unknown) earliest_ = when;
  file(index);
}

void TimeWheel::run_slot() {
  const u32 number = slot_of(now_, 0);
  Slot& slot = this->slot(0, number);
  while (slot.first != none) {
    const u32 index = slot.first;
    const Event event = events_[index];
    slot.first = event.next;
    if (slot.first == none) slot.last = none;
    events_[index].next = free_;
    free_ = index;
    --pending_;
    ++executed_;
    event.handler(event.target, event.a, event.b);
  }
  occupied(0, number) &= ~(u64{1} << (number % 64));
  earliest_ = unknown;
}

/// Every event of a lower level comes before every event of a higher one. A slot of a higher level holds events of many
/// cycles: the earliest of them is looked for.
Cycle TimeWheel::first() const {
  if (!pending_) return never;
  if (slot_[slot_of(now_, 0)].first != none) return now_;
  for (u32 level = 0; level < levels_; ++level) {
    const u32 from = slot_of(now_, level) + 1, slots = u32{1} << slot_bits_;
    const u64* const words = &occupied_[(u64{level} << slot_bits_) / 64];
    u32 word = from / 64;
    u64 bits = from < slots ? words[word] & ~u64{0} << from % 64 : 0;
    while (!bits && ++word < slots / 64) bits = words[word];
    if (!bits) continue;
    const u32 number = word * 64 + static_cast<u32>(std::countr_zero(bits));
    Cycle earliest = never;
    for (u32 i = slot_[(level << slot_bits_) + number].first; i != none; i = events_[i].next)
      if (events_[i].when < earliest) earliest = events_[i].when;
    return earliest;
  }
  return never;
}

void TimeWheel::spread(u32 level, u32 number) {
  Slot& slot = this->slot(level, number);
  u32 index = slot.first;
  slot = {};
  occupied(level, number) &= ~(u64{1} << (number % 64));
  while (index != none) {
    const u32 next = events_[index].next;
    file(index);
    index = next;
  }
}

void TimeWheel::turn(u64 changed) {
  // From the top, so that what falls out of a higher level is spread on.
  for (u32 level = levels_ - 1; level > 0; --level)
    if (changed >> (level * slot_bits_)) spread(level, slot_of(now_, level));
}

}  // namespace ew::core
