#include <gtest/gtest.h>

#include <algorithm>

#include "cli/crash_trials.hpp"

namespace ew::cli {
namespace {

TEST(CrashPoints, AreDifferentInRangeAscendingAndRepeatable) {
  const auto points = random_points(1000, 50, 7);
  EXPECT_EQ(points.size(), 50u);
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
  EXPECT_EQ(std::adjacent_find(points.begin(), points.end()), points.end());
  EXPECT_GE(points.front(), 1u);
  EXPECT_LE(points.back(), 1000u);
  EXPECT_EQ(points, random_points(1000, 50, 7));
  EXPECT_NE(points, random_points(1000, 50, 8));
}

TEST(CrashPoints, AShortRunIsCrashedEverywhere) {
  EXPECT_EQ(random_points(3, 50, 1), (std::vector<unsigned long long>{1, 2, 3}));
}

}  // namespace
}  // namespace ew::cli
