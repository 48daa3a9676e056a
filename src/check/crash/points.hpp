// Moments at which programs and their recoveries are crashed, chosen by a seed.
#pragma once

#include <vector>

#include "check/crash/plan.hpp"

namespace ew::check {

/// `count` different points in 1 .. total (all of them if there are fewer), ascending; the same for the same seed.
std::vector<unsigned long long> random_points(unsigned long long total, std::size_t count, unsigned long long seed);

/// Moments 1 .. total of a recovery at which it is crashed: all of them, or `most`, spread over the whole of it.
std::vector<u64> spread_points(u64 total, std::size_t most, u64 seed);
/// The same for a plan: the one that it names, or spread ones. Throws core::UserError for one that there is not.
std::vector<u64> nested_points(const CrashPlan&, u64 total, u64 seed);

}  // namespace ew::check
