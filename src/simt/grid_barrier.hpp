// Does a cooperative grid wait at its grid-wide barrier for blocks that will never come? The barrier itself is device
// code (include/cuda, synchronize_grid): threads that poll a counter, which no scheduler could tell from a wait for the
// host. Seen here from outside: every thread of the grid waits, in that function or at a block's barrier, and the
// counter stands still.
#pragma once

#include <string>
#include <vector>

#include "simt/block.hpp"

namespace ew::simt::grid_barrier {

inline constexpr u64 rounds_between_looks = 64;  // in which every warp that can run has run

/// The split is inside that function of include/cuda.
bool synchronizes_grid(const Warp&, const Split&);
/// Call once in so many rounds. True: at several looks in a row everyone waited and nobody came.
bool stands_still(Grid&, const std::vector<Sm>&);
/// REQUIRES: stands_still(). The block whose state says most: one that waits elsewhere, if there is one.
const Block& block_to_report(const Grid&, const std::vector<Sm>&);
std::string what_it_waits_for(const Grid&, const Block& reported);

}  // namespace ew::simt::grid_barrier
