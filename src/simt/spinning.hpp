// What the registers of lanes hold, as a number: equal numbers at one place of a loop mean that the loop does nothing.
#pragma once

#include "simt/warp.hpp"

namespace ew::simt {

/// Of the registers and predicates of these lanes.
u64 state_of(const Warp&, const Split&);

/// A lane that waits at this meeting has polled, just before it came, a word that a lane of the split polls now: it
/// left with what the others wait for, as one that has taken a lock.
bool left_with_what_they_want(const Warp&, const Split&, const Reconvergence&);

}  // namespace ew::simt
