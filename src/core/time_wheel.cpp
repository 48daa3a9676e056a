#include "core/time_wheel.hpp"

#include <bit>
#include <cassert>

namespace ew::core {

TimeWheel::TimeWheel() : levels_(levels) {
  events_.reserve(4096);
}

/// The level is that of the highest digit (of slot_bits bits) in which `when` differs from now: two times that agree in
/// all higher digits share the window that the level turns through.
void TimeWheel::file(u32 index) {
  const Cycle when = events_[index].when;
  const u64 difference = when ^ now_;
  const u32 level = difference >> slot_bits == 0 ? 0 : (63 - std::countl_zero(difference)) / slot_bits;
  assert(level < levels);
  append(level, (when >> (level * slot_bits)) & (slots - 1), index);
}

void TimeWheel::append(u32 level, u32 number, u32 index) {
  Slot& slot = levels_[level].slot[number];
  events_[index].next = none;
  if (slot.first == none) {
    slot.first = index;
    levels_[level].occupied[number / 64] |= u64{1} << (number % 64);
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
  file(index);
}

void TimeWheel::run_due() {
  Level& level = levels_[0];
  const u32 number = now_ & (slots - 1);
  Slot& slot = level.slot[number];
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
  level.occupied[number / 64] &= ~(u64{1} << (number % 64));
}

u32 TimeWheel::first_occupied(u32 level, u32 from) const {
  const auto& words = levels_[level].occupied;
  for (u32 word = from / 64; word < words.size(); ++word) {
    u64 bits = words[word];
    if (word == from / 64) bits &= ~u64{0} << (from % 64);
    if (bits) return word * 64 + std::countr_zero(bits);
  }
  return none;
}

/// Every event of a lower level comes before every event of a higher one. A slot of a higher level holds events of many
/// cycles: the earliest of them is looked for.
Cycle TimeWheel::next() const {
  for (u32 level = 0; level < levels; ++level) {
    const u32 from = ((now_ >> (level * slot_bits)) & (slots - 1)) + 1;
    const u32 number = from < slots ? first_occupied(level, from) : none;
    if (number == none) continue;
    Cycle earliest = never;
    for (u32 i = levels_[level].slot[number].first; i != none; i = events_[i].next)
      if (events_[i].when < earliest) earliest = events_[i].when;
    return earliest;
  }
  return never;
}

void TimeWheel::spread(u32 level, u32 number) {
  Slot& slot = levels_[level].slot[number];
  u32 index = slot.first;
  slot = {};
  levels_[level].occupied[number / 64] &= ~(u64{1} << (number % 64));
  while (index != none) {
    const u32 next = events_[index].next;
    file(index);
    index = next;
  }
}

void TimeWheel::advance(Cycle to) {
  assert(to >= now_);
  assert(to == now_ || levels_[0].slot[now_ & (slots - 1)].first == none);
  const u64 changed = now_ ^ to;
  now_ = to;
  // From the top, so that what falls out of a higher level is spread on.
  for (u32 level = levels - 1; level > 0; --level)
    if (changed >> (level * slot_bits)) spread(level, (to >> (level * slot_bits)) & (slots - 1));
}

}  // namespace ew::core
