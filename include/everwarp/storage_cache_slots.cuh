// How the software cache finds room: a hand that goes round over the slots. Part of <everwarp/storage_cache.cuh>.
//
// A line leaves when the hand finds it, and no thread holds it, and (clock) it was not hit since the hand last passed. A slot
// that is not used after all is kept in a list, and taken before the hand moves on: else lines would leave while it is free.
//
// The hand does not come to the spare slots. They are taken when threads hold the lines of all other slots, and nothing
// happens. Without them a thread that holds a line and wants another could wait for a thread that does the same.
#pragma once

#include <everwarp/storage_cache.cuh>

namespace bam {

/// A slot whose read was not begun, or ended with a status.
__device__ inline void cache_view::give_back(uint32_t slot, status end) const {
  if (end == timed_out) {
    atomicAdd(&state->lost, 1u);
    detail::store_release(owners + slot, slot_lost);
  } else if (slot >= slot_count) {
    detail::store_release(owners + slot, slot_free);
  } else {
    detail::store_release(owners + slot, slot_returned);
    uint64_t* const next = &commands[uint64_t{slot} * drives].ticket;
    uint64_t top;
    do {
      top = detail::glance(&state->returned);
      *const_cast<volatile uint64_t*>(next) = top & 0xffff'ffff;
    } while (!detail::change(&state->returned, top, ((top >> 32) + 1) << 32 | (slot + 1)));
  }
  tell();
}
/// One that was given back: the hand comes to it only when it has gone round.
__device__ inline bool cache_view::take_returned(uint32_t& slot) const {
  for (;;) {
    const uint64_t top = detail::load_acquire(&state->returned);
    if ((top & 0xffff'ffff) == 0) return false;
    slot = static_cast<uint32_t>(top) - 1;
    const uint64_t next = detail::glance(&commands[uint64_t{slot} * drives].ticket);  // wrong only if `top` has changed
    if (detail::change(&state->returned, top, ((top >> 32) + 1) << 32 | (next & 0xffff'ffff))) break;
  }
  detail::store_release(owners + slot, slot_claimed);
  return true;
}

/// Nobody else knows the slot then.
__device__ __forceinline__ bool cache_view::find_slot(uint32_t& slot, cache_wait& wait) const {
  if (take_returned(slot)) return true;
  const uint64_t turn = atomicAdd(reinterpret_cast<unsigned long long*>(&state->hand), 1ull);
  slot = static_cast<uint32_t>(turn % slot_count);
  const uint64_t line = detail::glance(owners + slot);
  if (line == slot_free && detail::change(owners + slot, slot_free, slot_claimed)) return true;
  return go_round_of(here, slot, wait);
}
/// Twice round: the first time takes the reference bits away. `slot`: the first to look at.
inline __device__ __noinline__ bool cache_view::go_round_of(const cache_view* at, uint32_t& slot, cache_wait& wait) {
  const cache_view v = *at;
  if (wait.has_looked() && v.are_all_held()) return wait.stands && v.take_spare(slot, wait);
  if (v.take(slot, wait)) return true;
  const uint32_t many = v.slot_count >= 8 * slots_of_a_look ? slots_of_a_look : 1;
  for (uint32_t i = 1; i < 2 * v.slot_count && wait.refused <= v.slot_count; i += many) {
    const uint64_t turn = atomicAdd(reinterpret_cast<unsigned long long*>(&v.state->hand), uint64_t{many});
    uint32_t kept = many == 1 ? 0 : v.pass_over(turn);
    for (uint32_t k = 0; k < many; ++k, kept >>= 1) {
      slot = static_cast<uint32_t>((turn + k) % v.slot_count);
      if (!(kept & 1) && v.take(slot, wait)) return true;
    }
  }
  return false;
}
/// Threads hold the lines of all slots, so no hand finds room until one lets go.
inline __device__ bool cache_view::are_all_held() const {
  using namespace detail;
  uint32_t lost = 0;
  for (uint32_t first = 0; first < slot_count; first += slots_of_a_look) {
    const auto slot_at = [&](uint32_t k) { return first + k < slot_count ? first + k : first; };
    uint64_t line[slots_of_a_look], now[slots_of_a_look];
#pragma unroll
    for (uint32_t k = 0; k < slots_of_a_look; ++k) line[k] = glance(owners + slot_at(k));
#pragma unroll
    for (uint32_t k = 0; k < slots_of_a_look; ++k) now[k] = glance(states + (line[k] < lines ? line[k] : 0));
#pragma unroll
    for (uint32_t k = 0; k < slots_of_a_look; ++k) {
      if (line[k] == slot_lost) ++lost;
      else if (line[k] >= lines || !has_bytes(now[k]) || !(now[k] & line_pins) || slot_of(now[k]) != slot_at(k)) return false;
    }
  }
  return lost < slot_count;
}
/// Twice round, as the hand.
inline __device__ bool cache_view::take_spare(uint32_t& slot, cache_wait& wait) const {
  for (uint32_t i = 0; i < 2 * spare_slots; ++i) {
    slot = slot_count + i % spare_slots;
    if (take(slot, wait)) return true;
  }
  return false;
}
/// Looks at the slots of so many turns side by side. A bit for each that keeps its line this time: a thread holds the line,
/// or it was hit since the hand last passed.
__device__ inline uint32_t cache_view::pass_over(uint64_t turn) const {
  using namespace detail;
  const uint32_t first = static_cast<uint32_t>(turn % slot_count);
  const auto slot_at = [&](uint32_t k) { return first + k < slot_count ? first + k : first + k - slot_count; };
  uint64_t line[slots_of_a_look], now[slots_of_a_look];
#pragma unroll
  for (uint32_t k = 0; k < slots_of_a_look; ++k) line[k] = glance(owners + slot_at(k));
#pragma unroll
  for (uint32_t k = 0; k < slots_of_a_look; ++k) now[k] = glance(states + (line[k] < lines ? line[k] : 0));
  uint32_t kept = 0;
#pragma unroll
  for (uint32_t k = 0; k < slots_of_a_look; ++k) {
    if (line[k] >= lines || !has_bytes(now[k]) || slot_of(now[k]) != slot_at(k) || now[k] & line_writing) continue;
    if (now[k] & line_pins) {
      kept |= 1u << k;
    } else if (replacement == replacement::clock && now[k] & line_referenced) {
      kept |= 1u << k;
      and_relaxed(states + line[k], ~line_referenced);
    }
  }
  return kept;
}
/// The slot is the caller's.
inline __device__ __noinline__ bool cache_view::take_of(const cache_view* at, uint32_t slot, cache_wait& wait) {
  using namespace detail;
  const cache_view v = *at;
  const uint64_t line = load_acquire(v.owners + slot);
  if (line == slot_free) return change(v.owners + slot, slot_free, slot_claimed);
  if (line >= v.lines) return false;
  uint64_t* const word = v.states + line;
  uint64_t now = load_acquire(word);
  if (now & (line_pending | line_writing)) {
    v.settle_other(line, wait);
    now = load_acquire(word);
  }
  const auto may_leave = [&](uint64_t state) {
    return slot_of(state) == slot &&  // else it left, and came back to another slot, meanwhile
           (state & (line_valid | line_busy | line_writing | line_settling | line_pins)) == line_valid;
  };
  if (!may_leave(now)) return false;
  if (v.replacement == replacement::clock && now & line_referenced) {
    and_release(word, ~line_referenced);
    return false;
  }
  if (now & line_dirty) {
    const queue_view queue = v.queue_of(v.drive_of(line, 0), line);
    if (!queue.next_place().is_free) return false;
    if (v.start_write(line, now)) v.settle_other(line, wait);
    now = load_acquire(word);
    if (!may_leave(now) || now & line_dirty) return false;
  }
  if (!change(word, now, now | line_busy)) return false;
  store_release(v.owners + slot, slot_claimed);
  count(&v.counts().evictions);
  count(&v.state->progress);
  and_release(word, ~(line_busy | line_valid | line_referenced));
  return true;
}
/// Of a line that the caller does not want, but its slot.
__device__ inline void cache_view::settle_other(uint64_t line, cache_wait& wait) const {
  const uint64_t now = detail::load_acquire(states + line);
  uint32_t tries = drives;
  const status end = now & (line_pending | line_writing) ? settle(line, now, tries) : again;
  if (end == again || end == ok || now & line_pending) return;  // a read that failed: the thread that wants the line asks again
  ++wait.refused;
  fail(line, end);
}

}  // namespace bam
