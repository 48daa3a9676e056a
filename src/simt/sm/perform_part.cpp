#include "simt/sm/perform_part.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/observation.hpp"
#include "simt/flat_memory.hpp"

namespace ew::simt {
namespace {

using ptx::MemoryKind;

void copy_to_shared(const Access& a, LaneMask lanes, u64 bias) {
  for (LaneMask left = lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    std::memcpy(a.shared + a.data[lane], reinterpret_cast<const void*>(a.op.address[lane] + bias),
                a.data[warp_lanes + lane]);
  }
}

/// Atomics lane by lane, each with what it found.
void perform_recorded(Access& a, Shape shape, u64 bias, bool in_place, EventRecorder& recorder) {
  const auto guard = recorder.lock();
  const EventRecorder::Origin origin{a.grid->grid, a.block, a.warp};
  const MemoryKind kind = a.op.form->kind;
  if (kind == MemoryKind::load || kind == MemoryKind::store) {
    (kind == MemoryKind::load ? load : store)(a.op, *a.op.plan, shape, bias);
    return recorder.performed(a.op, origin, bias);
  }
  for (LaneMask left = a.op.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    a.op.lanes = LaneMask{1} << lane;
    u64 old = 0;
    std::memcpy(&old, reinterpret_cast<const void*>(a.op.address[lane] + bias), std::min(a.op.plan->bytes, 8u));
    atomic(a.op, bias, in_place);
    recorder.performed(a.op, origin, bias, old);
  }
}

}  // namespace

memory::ByteMask perform_part(Access& a, u32 number, u8* bytes, EventRecorder* recorder) {
  const AccessPart& part = a.parts[number];
  const LaneMask lanes = a.op.lanes;
  const Shape shape = part.lanes == lanes ? a.shape : Shape::scattered;
  const u64 bias = reinterpret_cast<u64>(bytes) - part.line;
  const bool in_place = bytes == reinterpret_cast<const u8*>(part.line);
  if (a.copies) {
    copy_to_shared(a, part.lanes, bias);
    return {};
  }
  const MemoryKind kind = a.op.form->kind;
  const bool recorded = core::observation && recorder && recorder->wants(a.op);
  a.op.lanes = part.lanes;
  if (recorded) [[unlikely]]
    perform_recorded(a, shape, bias, in_place, *recorder);
  else if (kind == MemoryKind::load)
    load(a.op, *a.op.plan, shape, bias);
  else if (kind == MemoryKind::store)
    store(a.op, *a.op.plan, shape, bias);
  else
    atomic(a.op, bias, in_place);
  a.op.lanes = lanes;
  return kind == MemoryKind::load ? memory::ByteMask{} : bytes_of(a.op, part, a.op.plan->bytes);
}

}  // namespace ew::simt
