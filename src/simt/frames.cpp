#include "simt/frames.hpp"

#include <algorithm>

namespace ew::simt {

void Frames::begin(LaneMask lanes, u32 function) {
  entry_ = {.function = function, .lanes = lanes};
  others_.clear();
}

/// The first row from `from` on where the activation meets no other's registers. A lane's column is word `lane` of a
/// row of words but words 2 lane and 2 lane + 1 of a pair of rows: only activations of one function at one place hold
/// each lane's registers apart.
u32 Frames::vacant_rows(const ptx::Kernel& kernel, u32 from, const Frame& call, LaneMask live) const {
  const u32 wanted = kernel.functions[call.function].rows;
  // Where all lanes are in the caller or below it, whatever else there is was called from there and lies behind it.
  const u32 first = (*this)[call.parent].lanes == live ? call.parent + 1 : 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (u32 i = first; i < size(); ++i) {
      const Frame& other = (*this)[i];
      const u32 end = other.row_base + kernel.functions[other.function].rows;
      if (!other.lanes || end <= from || other.row_base >= from + wanted) continue;
      if (other.function == call.function && other.row_base == from) continue;
      from = end;
      moved = true;
    }
  }
  return from;
}

u32 Frames::enter(const ptx::Kernel& kernel, Frame call, LaneMask live) {
  u32 vacant = nothing;
  // Lanes of one warp seldom hold more than a few frames behind the caller.
  for (u32 i = call.parent + 1; i < size(); ++i) {
    Frame& frame = (*this)[i];
    if (!frame.lanes) {
      vacant = std::min(vacant, i);
      continue;
    }
    if (frame.parent == call.parent && frame.call_pc == call.call_pc && frame.function == call.function) {
      frame.lanes |= call.lanes;
      return i;
    }
  }
  const Frame& parent = (*this)[call.parent];
  const ptx::Function& caller = kernel.functions[parent.function];
  call.row_base = vacant_rows(kernel, parent.row_base + caller.rows, call, live);
  call.predicate_base = parent.predicate_base + caller.predicates;
  call.local_base = parent.local_base + std::max(16u, (caller.frame_bytes + 15) / 16 * 16);
  if (vacant == nothing) {
    vacant = size();
    others_.push_back(call);
  } else {
    (*this)[vacant] = call;
  }
  return vacant;
}

}  // namespace ew::simt
