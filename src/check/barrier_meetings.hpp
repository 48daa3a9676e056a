// Which threads meet at the barriers of a block, where their order of arrival decides. A barrier completes when as many
// threads have arrived as it waits for. Then it begins again.
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

/// Takes arrivals: thread by thread, each thread's in program order. Returns a list for every outcome in which no
/// thread waits for ever: for each arrival, how many times its barrier had been complete before. Throws core::UserError
/// when there are too many outcomes.
std::vector<std::vector<u32>> barrier_meetings(const Program&, const std::vector<Arrival>&);

}  // namespace ew::check
