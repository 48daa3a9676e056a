// Operations that lanes of a warp perform together: shuffles, votes, matches, reductions, bar.warp.sync, elect. The
// lanes of a member mask may arrive in several splits, even at several places; when the last one is there, all perform
// as one.
#pragma once

#include "simt/warp.hpp"

namespace ew::simt {

/// Lanes `mask` of the current split arrive at the operation. Leaves a current split that can go on, or answers false.
bool arrive_at_warp_sync(Warp&, const ptx::Instr&, LaneMask mask);
/// The member mask that all of these lanes of the current split name; 0: they name several.
LaneMask members_at_warp_sync(Warp&, const ptx::Instr&, LaneMask mask);
/// Performs those whose last lane has come, or has exited.
void complete_warp_syncs(Warp&);
/// Lanes that a split at such an operation waits for.
LaneMask missing_lanes(const Warp&, const Split&);

}  // namespace ew::simt
