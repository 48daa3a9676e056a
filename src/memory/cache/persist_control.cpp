#include "memory/cache/persist_control.hpp"

namespace ew::memory {

PersistHold PersistControl::may_go_home(u32 way, WordMask words, u32 warp) const {
  const LineStore& lines = parts_.lines;
  const bool dirty = way != no_way && lines[way].persistent && (touched_words(lines[way].dirty) & words);
  return model_->on_through(dirty ? way : no_way, warp);
}

void PersistControl::went_home(u32 warp, Stall& why) {
  ++parts_.counts->persist.through;
  if (!model_->went_through(warp)) return;
  why = Stall::persist_durable;
  ++parts_.counts->persist.held[static_cast<u32>(PersistHold::durable)];
}

PersistHold PersistControl::may_leave(u32 way, WordMask words, u32 warp) const {
  const CacheLine& line = parts_.lines[way];
  if (!model_ || !line.persistent || !(touched_words(line.dirty) & words)) return PersistHold::none;
  return model_->on_evict(way, warp);
}

bool PersistControl::order(PersistOrder kind, Scope scope, u64 warps) {
  if (!model_) return true;
  const bool over = model_->on_order(kind, scope, warps);
  PersistStatistics& counts = parts_.counts->persist;
  ++(over ? counts.orders[static_cast<u32>(kind)] : counts.orders_held);
  return over;
}

void PersistControl::durable() {
  while (const std::optional<u64> warps = parts_.under_way.reached()) model_->durable_so_far(*warps);
  model_->on_durable();
}

bool PersistControl::drain() {
  if (!model_ || model_->drain()) return true;
  drain_since_ = parts_.wheel.now();
  ++parts_.counts->persist.drains;
  return false;
}

void PersistControl::flush_persistent() {
  parts_.buffer.set_fence(true);
  while (parts_.buffer.oldest_persistent() != no_number) {
    parts_.counts->persist.flushed_at_orders += !parts_.buffer.flush().under_way();
    parts_.buffer.drain(parts_.buffer.oldest_persistent());
  }
  parts_.buffer.set_fence(false);
}

void PersistControl::drained() {
  parts_.counts.of(parts_.flush.account()).persist.drain_cycles += parts_.wheel.now() - drain_since_;
  parts_.flush.over(Flush::persists);
}

void PersistControl::entered(PersistOrder kind, PersistEntry entry) {
  PersistStatistics& counts = parts_.counts->persist;
  if (entry == PersistEntry::entered) ++counts.entered[static_cast<u32>(kind)];
  if (entry == PersistEntry::merged) ++counts.merged[static_cast<u32>(kind)];
}

void PersistControl::window_full(bool full) {
  const Cycle now = parts_.wheel.now();
  if (full) {
    window_full_since_ = now;
  } else if (window_is_full_) {
    parts_.counts->persist.window_full_cycles += now - window_full_since_;
  }
  window_is_full_ = full;
}

}  // namespace ew::memory
