#include "simt/sm/atomics_observer.hpp"

namespace ew::simt {

void AtomicsObserver::perform(const memory::Request& request, memory::LineAtomic& atomic, u8* line) {
  const Access& a = *static_cast<const Access*>(atomic.asker);
  if (recorder_ && a.grid && atomic.lanes && recorder_->wants(a.op))
    perform_recorded(a, atomic, reinterpret_cast<u64>(line) - request.line, line);
  else
    memory::perform(atomic, atomic.lanes, line);
  if (const SmTrace trace(trace_, wheel_, request.origin); trace.on() && a.grid) [[unlikely]]
    trace.access(core::TraceKind::performed, a, request.access, request.part);
}

/// Lane by lane, each with what it found.
void AtomicsObserver::perform_recorded(const Access& a, memory::LineAtomic& atomic, u64 bias, u8* line) {
  const auto guard = recorder_->lock();
  MemoryOp op = a.op;
  for (LaneMask left = atomic.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    op.lanes = LaneMask{1} << lane;
    memory::perform(atomic, op.lanes, line);
    recorder_->performed(op, {a.grid->grid, a.block, a.warp}, bias, atomic.found[lane]);
  }
}

}  // namespace ew::simt
