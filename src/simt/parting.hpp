// How the lanes of a warp part at an instruction, and which of them go on next. Every function leaves the warp with a
// current split that can go on, or answers false.
#pragma once

#include "simt/warp.hpp"

namespace ew::simt {

struct MemoryOp;

/// The current split goes on there.
inline bool go_on(Warp& warp, ptx::Pc pc) {
  warp.split().pc = pc;
  return true;
}
/// The current split is gone or waits: makes another current. False: no split runs.
bool another(Warp&);
/// The lanes of the current split but these wait behind its instruction.
void keep_only(Warp&, LaneMask);
/// Where lanes that part at this branch meet again. Nobody waits behind a branch that separates.
u32 meeting_of(Warp&, ptx::Pc branch);

// Lanes that wait for what a performer keeps pending (operation.hpp).

/// These lanes of the current split stand at the performer. Answers false, as the split cannot go on.
bool park(Warp&, LaneMask);
/// The operation is pending. False: its lanes wait for it.
bool wait_for(MemoryOp&, LaneMask);
/// The split of such lanes.
Split& parked(Warp&, ptx::Pc, LaneMask);
/// A split of the warp can go on.
void wake(Warp&);

}  // namespace ew::simt
