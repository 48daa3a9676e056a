#include "simt/recording_memory.hpp"

#include <bit>
#include <cstring>

namespace ew::simt {

Performed RecordingMemory::memory(MemoryOp& op) {
  if (!recorder_.wants(op)) return flat_.memory(op);
  const auto guard = recorder_.lock();
  const ptx::MemoryKind kind = op.form->kind;
  if (kind == ptx::MemoryKind::atomic || kind == ptx::MemoryKind::reduction) return lane_by_lane(op);
  const Performed performed = flat_.memory(op);
  if (performed == Performed::done) recorder_.performed(op, EventRecorder::origin_of(*op.warp), 0);
  return performed;
}

/// Lanes of an atomic follow each other: each is recorded with what it found. REQUIRES: the recorder's lock.
Performed RecordingMemory::lane_by_lane(MemoryOp& op) {
  const LaneMask lanes = op.lanes;
  Performed performed = Performed::done;
  for (LaneMask left = lanes; left && performed == Performed::done; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    op.lanes = LaneMask{1} << lane;
    const u64 address = op.address[lane];
    const bool generic = op.form->window == ptx::Window::generic;
    const bool shared = op.form->window == ptx::Window::shared ||
                        (generic && address - memory::shared_window < memory::shared_window_bytes);
    const u64 offset = generic ? address - memory::shared_window : address;
    const u64 host = shared ? reinterpret_cast<u64>(op.warp->block->shared_data()) + offset : address;
    // The address is checked by performing it; what was there before is read only from where a lane may look.
    Shape shape = Shape::uniform;
    const bool fits = shared ? offset + op.plan->bytes <= op.warp->block->grid->shared_bytes
                             : !(generic && address - memory::local_window < memory::local_window_bytes) &&
                                   flat_.may_touch(op, shape);
    u64 old = 0;
    if (fits) std::memcpy(&old, reinterpret_cast<const void*>(host), std::min(op.plan->bytes, 8u));
    performed = flat_.memory(op);
    if (performed == Performed::done) recorder_.performed(op, EventRecorder::origin_of(*op.warp), 0, old);
  }
  op.lanes = lanes;
  return performed;
}

Performed RecordingMemory::sync(SyncOp& op) {
  const Performed performed = flat_.sync(op);
  if (op.kind == SyncKind::fence || op.kind == SyncKind::block_barrier || op.kind == SyncKind::warp_barrier) {
    const auto guard = recorder_.lock();
    recorder_.performed(op);
  }
  return performed;
}

}  // namespace ew::simt
