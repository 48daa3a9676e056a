// The frames of a warp: which activation of which function is a lane in, and where do its registers and local variables
// lie? Owned by its Warp.
//
// Frames are a tree. Lanes that call the same function from the same place in the same parent share one frame. A lane's
// registers of frame f are column `lane` of the rows from f.row_base. A row of words and a pair of rows have different
// columns, so no two frames share rows unless they are of one function at one place. Frame 0 is that of the function
// that the warp began. A frame lies behind its parent. A frame without lanes is vacant.
#pragma once

#include <vector>

#include "core/types.hpp"
#include "ptx/kernel.hpp"

namespace ew::simt {

inline constexpr u32 nothing = 0xffffffff;

struct Frame {
  u32 parent = nothing;
  u32 function = 0;
  ptx::Pc call_pc = 0;
  LaneMask lanes = 0;  // in this activation or one that it called
  u32 row_base = 0, predicate_base = 0, local_base = 0;
};

class Frames {
 public:
  Frame& operator[](u32 frame) { return frame ? others_[frame - 1] : entry_; }
  const Frame& operator[](u32 frame) const { return frame ? others_[frame - 1] : entry_; }
  u32 size() const { return static_cast<u32>(others_.size()) + 1; }

  /// `lanes` begin this function, which nobody has called: the entry, or an assist routine.
  void begin(LaneMask lanes, u32 function);
  /// The frame of a call: `call` says parent, function, place and lanes; the rest is found here. The same frame for
  /// lanes that make the same call. `live`: the lanes of the warp that have not exited.
  u32 enter(const ptx::Kernel&, Frame call, LaneMask live);
  /// The lanes return from this function.
  void leave(u32 frame, LaneMask mask) {
    (*this)[frame].lanes &= ~mask;
    drop_vacant();
  }
  /// The lanes exit, from this function and all its callers.
  void leave_all(u32 frame, LaneMask mask) {
    for (u32 f = frame; f != nothing; f = (*this)[f].parent) (*this)[f].lanes &= ~mask;
    drop_vacant();
  }

 private:
  u32 vacant_rows(const ptx::Kernel&, u32 from, const Frame& call, LaneMask live) const;
  /// Of the last frames; the first stays.
  void drop_vacant() {
    while (!others_.empty() && !others_.back().lanes) others_.pop_back();
  }

  std::vector<Frame> others_;
  Frame entry_;  // it is read at each instruction
};

}  // namespace ew::simt
