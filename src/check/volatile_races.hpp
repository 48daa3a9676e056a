// The races of an execution: conflicting accesses of different threads that nothing orders. Persistency is judged on
// interleavings. If there is a race, a GPU may do more than the interleavings show.
#pragma once

#include <string>
#include <vector>

#include "check/executions.hpp"

namespace ew::check {

/// Each as "T0: st D 1 and T1: ld r D". In a race one of the two accesses is weak, or their scopes do not include each
/// other. pRel and pAcq order only accesses of persistent memory (reading A16).
std::vector<std::string> volatile_races(const Program&, const Execution&);

}  // namespace ew::check
