// Events in slots: a list for each slot, in the order in which they were put there, and a bit for each slot that has
// any. Owned by a TimeWheel, which decides what a slot means.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "core/host_caches.hpp"
#include "core/types.hpp"

namespace ew::core {

class EventSlots {
 public:
  static constexpr u32 none = ~u32{0};

  struct alignas(64) Event {  // one line of the host's caches
    void (*handler)(void* target, u64 a, u64 b) = nullptr;
    void* target = nullptr;
    u64 a = 0, b = 0;
    u64 when = 0;
    u32 next = none;
  };

  /// `events`: room for so many at first.
  EventSlots(u32 slots, u32 events) : slots_(slots), occupied_(slots / 64) { events_.reserve(events); }

  /// A new event, in no slot.
  u32 make(const Event& event) {
    if (free_ == none) [[unlikely]]
      grow();
    const u32 index = free_;
    free_ = events_[index].next;
    prefetch_to_write(events_.data() + free_);  // the next
    events_[index] = event;
    return index;
  }
  const Event& operator[](u32 index) const { return events_[index]; }
  u64 capacity() const { return events_.size(); }

  bool empty(u32 slot) const { return slots_[slot].first == none; }
  u32 first(u32 slot) const { return slots_[slot].first; }
  /// Behind the others of the slot.
  void append(u32 slot, u32 index) {
    Slot& to = slots_[slot];
    events_[index].next = none;
    if (to.first == none) {
      to.first = index;
      occupied_[slot / 64] |= u64{1} << slot % 64;
    } else {
      events_[to.last].next = index;
    }
    to.last = index;
  }
  /// Before them.
  void prepend(u32 slot, u32 index) {
    if (empty(slot)) return append(slot, index);
    events_[index].next = std::exchange(slots_[slot].first, index);
  }
  /// Takes the first event out and forgets it. REQUIRES: the slot is not empty. Its bit stays until clear(). The event
  /// behind the next comes into the host's caches meanwhile.
  Event pop(u32 slot) {
    const u32 index = slots_[slot].first;
    const Event event = events_[index];
    slots_[slot].first = event.next;
    if (event.next != none) prefetch(events_.data() + events_[event.next].next);
    events_[index].next = std::exchange(free_, index);
    return event;
  }
  /// The slot's events will be taken out soon.
  void expect(u32 slot) const { prefetch(events_.data() + slots_[slot].first); }
  void clear(u32 slot) { occupied_[slot / 64] &= ~(u64{1} << slot % 64); }
  /// Takes all out: the first, which leads to the others.
  u32 take(u32 slot) {
    clear(slot);
    return std::exchange(slots_[slot], {}).first;
  }
  /// The same in reverse order.
  u32 take_reversed(u32 slot) {
    u32 reversed = none;
    for (u32 index = take(slot), next; index != none; index = next) {
      next = std::exchange(events_[index].next, reversed);
      reversed = index;
    }
    return reversed;
  }

  /// The first slot from `from` on, and before `end`, that has events; `end`: none has. REQUIRES: end is a multiple of
  /// 64.
  u32 next(u32 from, u32 end) const {
    if (from == end) return end;
    u32 word = from / 64;
    u64 bits = occupied_[word] & ~u64{0} << from % 64;
    while (!bits) {
      if (++word == end / 64) return end;
      bits = occupied_[word];
    }
    return word * 64 + static_cast<u32>(std::countr_zero(bits));
  }

 private:
  struct Slot {
    u32 first = none, last = none;
  };
  void grow() {
    free_ = static_cast<u32>(events_.size());
    events_.emplace_back();
  }

  std::vector<Event> events_;
  u32 free_ = none;
  std::vector<Slot> slots_;
  std::vector<u64> occupied_;
};

}  // namespace ew::core
