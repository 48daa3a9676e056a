// Races of an execution: conflicting accesses of different threads that nothing orders. Where there are some, the
// interleavings that persistency is judged on are not all that a GPU may do.
#pragma once

#include <string>
#include <vector>

#include "check/executions.hpp"

namespace ew::check {

/// "T0: st D 1 and T1: ld r D". A race is of two accesses of which one is weak, or whose scopes do not include each
/// other. pRel and pAcq order accesses of persistent memory only (A16).
std::vector<std::string> volatile_races(const Program&, const Execution&);

}  // namespace ew::check
