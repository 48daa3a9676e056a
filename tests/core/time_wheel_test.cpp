#include "core/time_wheel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

namespace ew::core {
namespace {

struct Log {
  explicit Log(TimeWheel::Size size = TimeWheel::Size::large) : wheel(size) {}
  TimeWheel wheel;
  std::vector<std::tuple<Cycle, u64>> seen;
  void note(u64 number, u64) { seen.emplace_back(wheel.now(), number); }
};

TEST(TimeWheel, RunsEventsOfOneCycleInTheOrderInWhichTheyWereAskedFor) {
  Log log;
  for (u64 i = 0; i < 5; ++i) log.wheel.at<&Log::note>(3, log, i);
  EXPECT_EQ(log.wheel.next(), 3u);
  log.wheel.advance(3);
  log.wheel.run_due();
  ASSERT_EQ(log.seen.size(), 5u);
  for (u64 i = 0; i < 5; ++i) EXPECT_EQ(log.seen[i], std::tuple(Cycle{3}, i));
  EXPECT_EQ(log.wheel.next(), never);
  EXPECT_EQ(log.wheel.pending(), 0u);
}

struct Chain {
  TimeWheel wheel;
  std::vector<Cycle> seen;
  void step(u64 left, u64) {
    seen.push_back(wheel.now());
    if (left) wheel.at<&Chain::step>(wheel.now(), *this, left - 1);
  }
};

TEST(TimeWheel, RunsWhatAnEventAsksForInItsOwnCycle) {
  Chain chain;
  chain.wheel.at<&Chain::step>(0, chain, 3);
  chain.wheel.run_due();
  EXPECT_EQ(chain.seen, (std::vector<Cycle>{0, 0, 0, 0}));
  EXPECT_EQ(chain.wheel.executed(), 4u);
}

/// Against a stable sort, over distances that reach every level, asked for at many moments.
class TimeWheelOfSize : public testing::TestWithParam<TimeWheel::Size> {};
INSTANTIATE_TEST_SUITE_P(Sizes, TimeWheelOfSize, testing::Values(TimeWheel::Size::small, TimeWheel::Size::large),
                         [](const auto& info) { return info.param == TimeWheel::Size::small ? "small" : "large"; });

TEST_P(TimeWheelOfSize, AgreesWithAStableSort) {
  Log log(GetParam());
  std::mt19937_64 random(7);
  std::vector<std::tuple<Cycle, u64>> expected;
  u64 number = 0;
  const auto ask = [&] {
    const u64 reach[] = {4, 900, 5000, 3'000'000, 5'000'000'000};
    const Cycle when = log.wheel.now() + random() % reach[random() % 5];
    expected.emplace_back(when, number);
    log.wheel.at<&Log::note>(when, log, number++);
  };
  for (int i = 0; i < 2000; ++i) ask();
  log.wheel.run_due();
  while (log.wheel.next() != never) {
    log.wheel.advance(log.wheel.next());
    if (number < 20'000)
      for (int i = 0; i < 3; ++i) ask();
    log.wheel.run_due();
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  EXPECT_EQ(log.seen, expected);
  EXPECT_EQ(log.wheel.executed(), expected.size());
}

TEST_P(TimeWheelOfSize, ReusesItsEvents) {
  Log log(GetParam());
  for (u64 i = 0; i < 100'000; ++i) {
    log.wheel.at<&Log::note>(log.wheel.now() + 1 + i % 1500, log, i);
    log.wheel.advance(std::min(log.wheel.now() + 1, log.wheel.next()));
    log.wheel.run_due();
  }
  EXPECT_LE(log.wheel.capacity(), 2000u);
}

}  // namespace
}  // namespace ew::core
