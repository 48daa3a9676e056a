#include "check/crash/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "core/diagnostics.hpp"
#include "core/split_mix.hpp"

namespace ew::check {

using core::UserError;

std::vector<unsigned long long> random_points(unsigned long long total, std::size_t count, unsigned long long seed) {
  std::set<unsigned long long> points;
  if (total <= count) {
    for (unsigned long long point = 1; point <= total; ++point) points.insert(point);
  }
  core::SplitMix64 random(seed);
  while (points.size() < count && points.size() < total) points.insert(1 + random.below(total));
  return {points.begin(), points.end()};
}

std::vector<u64> spread_points(u64 total, std::size_t most, u64 seed) {
  std::vector<u64> points;
  core::SplitMix64 random(seed);
  const u64 count = std::min<u64>(total, most);
  for (u64 i = 0; i < count; ++i) {
    const u64 begin = total * i / count, end = total * (i + 1) / count;
    points.push_back(begin + 1 + random.below(end - begin));
  }
  return points;
}

std::vector<u64> nested_points(const CrashPlan& plan, u64 total, u64 seed) {
  if (plan.nested_at.empty()) return spread_points(total, plan.nested_points, seed);
  const std::string& word = plan.nested_at;
  u64 point = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), point);
  if (error != std::errc() || end != word.data() + word.size() || point == 0)
    throw UserError(fmt::format("the crash of the recovery should be a whole number from 1 here, but is \"{}\"", word));
  if (point > total)
    throw UserError(
        plan.drives
            ? fmt::format("there is no crash {} of the recovery: it runs only {} warp instructions", point, total)
            : fmt::format("there is no crash {} of the recovery: it changes its pools only {} times", point, total));
  return {point};
}

}  // namespace ew::check
