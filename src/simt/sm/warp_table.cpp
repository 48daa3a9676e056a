#include "simt/sm/warp_table.hpp"

namespace ew::simt {

u32 WarpTable::enter(u64 among) {
  const u32 slot = first_of(among & ~occupied_);
  occupied_ |= bit(slot);
  age_[slot] = ++arrivals_;
  return slot;
}

void WarpTable::leave(u32 slot) {
  WarpSlot& w = warps_[slot];
  stop_waiting(bit(slot));
  w.warp = nullptr;
  w.block = nullptr;
  w.draining = false;
  w.ahead = 0;
  ++w.generation;
  occupied_ &= ~bit(slot);
}

void WarpTable::forget(u64 gone) {
  changed_ |= gone;
  ready_.remove(gone);
  calendar_.remove(gone);
  look_at_ &= ~gone;
}

void WarpTable::wake_event(u64 slot, u64 generation) {
  const u32 index = static_cast<u32>(slot);
  if (warps_[index].generation != generation) return;
  wake_up(bit(index));
  alarm_.wake_now();
}

void WarpTable::reconsider(u64 warps) {
  changed_ |= warps;
  calendar_.look_at(warps);
  look_at_ |= ready_.remove(warps);
}

void WarpTable::look_again(u32 slot, Wait if_it_waits) {
  const WarpSlot& w = warps_[slot];
  if (!w.warp || !(waiting(if_it_waits) >> slot & 1)) return;
  if (w.block->parked >> w.warp->index & 1) return;
  if (calendar_.waiting(slot)) return;
  look_at_ |= bit(slot);
  alarm_.wake_now();
}

}  // namespace ew::simt
