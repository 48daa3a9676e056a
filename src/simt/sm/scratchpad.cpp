#include "simt/sm/scratchpad.hpp"

#include <algorithm>
#include <bit>

#include "core/observation.hpp"
#include "simt/coalescer.hpp"

namespace ew::simt {

Performed Scratchpad::perform(MemoryOp& op, u32 slot) {
  if (polls_.watching() && table_[slot].next.pc->order.strong) [[unlikely]]
    return perform_watched(op, slot);
  return perform_now(op);
}

Performed Scratchpad::perform_now(MemoryOp& op) {
  return core::observation && recording_ ? recording_->memory(op) : flat_.memory(op);
}

/// Words of shared memory are watched.
Performed Scratchpad::perform_watched(MemoryOp& op, u32 slot) {
  Block& block = *op.warp->block;
  LaneMask shared = 0;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = first_of(left);
    if (shared_offset(place_of(op, lane), block) + op.plan->bytes <= block.grid->shared_bytes)
      shared |= LaneMask{1} << lane;
  }
  return polls_.watched(
      slot, op, shared, [&](u32 lane) { return place_of(op, lane); },
      [&](u32 lane) { return block.shared_data() + shared_offset(place_of(op, lane), block); },
      [&] { return perform_now(op); });
}

LocalCost Scratchpad::cost(const MemoryOp& op, TimingStatistics& counts) const {
  const bool atomic = op.plan->modifies;
  const u32 bytes = std::max(op.plan->bytes, 1u);
  const Shape shape = op.shaped == op.lanes ? op.shape : shape_of(op, bytes);
  const u32 passes = shared_passes(op, shape, bytes, banks_, atomic);
  const u32 addresses = lanes_ >= warp_lanes ? 1 : (static_cast<u32>(std::popcount(op.lanes)) + lanes_ - 1) / lanes_;
  ++counts.memory.shared_requests;
  counts.memory.shared_passes += passes;
  const u32 conflicts = (passes - 1) * conflict_;
  return {.busy = std::max(1 + conflicts, addresses), .latency = conflicts + latency_of(*op.form, atomic)};
}

/// Without conflicts.
u32 Scratchpad::latency_of(const ptx::MemoryForm& form, bool atomic) const {
  if (!atomic) return latency_;
  return latency_ + (form.atomic == ptx::AtomicOp::cas ? swap_ : atomic_);
}

}  // namespace ew::simt
