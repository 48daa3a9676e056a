// Who meets whom at the barriers of a block, when their order of arrival decides: a barrier is complete when as many
// have arrived as it waits for, and begins again.
#pragma once

#include <compare>
#include <vector>

#include "check/program.hpp"

namespace ew::check {

struct Arrival {
  u32 thread = 0, barrier = 0;
  bool waits = true;  // for the barrier to be complete
  auto operator<=>(const Arrival&) const = default;
};

/// Arrivals, thread by thread in program order -> for each how many times its barrier had been complete. Once for every
/// outcome in which nobody waits for ever. Throws core::UserError when there are too many.
std::vector<std::vector<u32>> barrier_meetings(const Program&, const std::vector<Arrival>&);

}  // namespace ew::check
