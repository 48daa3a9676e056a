// Sequential consistency by brute force: every interleaving of a program's threads. Every memory model must allow these
// final states. Any other final state of a litmus run is weak behaviour.
#pragma once

#include <set>

#include "check/program.hpp"

namespace ew::check {

/// The final states of all interleavings that end. If a thread waits for ever, the interleaving has no final state.
std::set<FinalState> interleavings(const Program&);

/// In some interleaving a thread waits for ever: for a value that was overwritten, or at a barrier.
bool may_wait_for_ever(const Program&);

}  // namespace ew::check
