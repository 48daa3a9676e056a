#include <gtest/gtest.h>

#include <algorithm>

#include "check/crash/points.hpp"
#include "check/crash/trials.hpp"

namespace ew::check {
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

TEST(NestedPoints, AreAllWhenTheyAreFewAndSpreadOverTheWholeOtherwise) {
  EXPECT_EQ(spread_points(3, 8, 1), (std::vector<u64>{1, 2, 3}));
  EXPECT_TRUE(spread_points(0, 8, 1).empty());
  const auto points = spread_points(1000, 4, 5);
  ASSERT_EQ(points.size(), 4u);
  for (u64 i = 0; i < 4; ++i) EXPECT_TRUE(points[i] > i * 250 && points[i] <= (i + 1) * 250) << points[i];
  EXPECT_EQ(points, spread_points(1000, 4, 5));
}

/// It was counted as a crash when its recovery failed.
TEST(CrashTrial, OfAProgramThatEndedBeforeIsNoCrash) {
  CrashPlan plan;
  plan.program = {"/bin/true"};
  plan.recovery = {"/bin/false"};
  const Trial trial = crash_at(plan, 1);
  EXPECT_EQ(trial.end, TrialEnd::recovery_failed);
  EXPECT_FALSE(trial.killed);
}

}  // namespace
}  // namespace ew::check
