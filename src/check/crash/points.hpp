// Moments at which programs and their recoveries are crashed, chosen by a seed.
#pragma once

#include <vector>

#include "check/crash/plan.hpp"

namespace ew::check {

/// `count` different points in 1 .. total, ascending; all points if there are fewer. The same seed gives the same
/// points.
std::vector<unsigned long long> random_points(unsigned long long total, std::size_t count, unsigned long long seed);

/// The moments, in 1 .. total, at which a recovery is crashed: all of them, or `most` of them, evenly spread.
std::vector<u64> spread_points(u64 total, std::size_t most, u64 seed);
/// The same for a plan: the moment that it names, or spread moments. Throws core::UserError if there is no such moment.
std::vector<u64> nested_points(const CrashPlan&, u64 total, u64 seed);

}  // namespace ew::check
