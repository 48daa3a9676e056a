// Sequential consistency by brute force: every interleaving of a program's threads. What a litmus run shows beyond
// these final states is weak behaviour; every memory model must allow these.
#pragma once

#include <set>

#include "check/program.hpp"

namespace ew::check {

/// The final states of all interleavings that end (a thread that waits for ever ends nothing).
std::set<FinalState> interleavings(const Program&);

/// Some interleaving ends with a thread that waits for ever: for a value that has gone by, or at a barrier.
bool may_wait_for_ever(const Program&);

}  // namespace ew::check
