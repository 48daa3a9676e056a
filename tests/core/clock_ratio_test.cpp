#include "core/clock_ratio.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ew::core {
namespace {

using namespace literals;

/// A million transfers over a link of 15,753,846,137 bytes/s (a prime number of bytes in 10 s, nearly) under a clock of
/// 1,365.017 MHz, back to back. In rational arithmetic the last ends at bytes * f / B cycles; float arithmetic, or
/// rounding each transfer, would be thousands of cycles away.
TEST(ClockRatio, AMillionTransfersEndWhereRationalArithmeticSays) {
  const Kilohertz sm{1'365'017};
  const BytesPerSecond bandwidth{15'753'846'137};
  const ClockRatio ratio = ClockRatio::of_bandwidth(sm, bandwidth);
  std::mt19937_64 random(1);
  u64 free = 0, rounded_each = 0;
  for (u32 i = 0; i < 1'000'000; ++i) {
    const u64 bytes = 1 + random() % 511;
    free += bytes;
    rounded_each += ratio.cycle_at(bytes);
  }
  const unsigned __int128 numerator = static_cast<unsigned __int128>(free) * sm.count * 1000;
  const u64 whole = static_cast<u64>(numerator / bandwidth.count);
  ASSERT_NE(numerator % bandwidth.count, 0u);
  EXPECT_EQ(ratio.cycle_at(free), whole + 1);
  EXPECT_GT(rounded_each, whole + 400'000);
}

TEST(ClockRatio, HoursOfTicksDoNotOverflow) {
  // 3 TB/s for ten hours: 1.08e17 bytes, whose product with the clock needs 78 bits.
  const ClockRatio ratio = ClockRatio::of_bandwidth(1'755_MHz, 3'000_GBps);
  const u64 seconds = 36'000;
  EXPECT_EQ(ratio.cycle_at(3'000'000'000'000 * seconds), 1'755'000'000 * seconds);
  EXPECT_EQ(ratio.cycle_at(3'000'000'000'000 * seconds + 1), 1'755'000'000 * seconds + 1);
  EXPECT_EQ(ratio.tick_at(1'755'000'000 * seconds), 3'000'000'000'000 * seconds);
}

/// Of clocks that differ: a cycle is the first that is not before the tick, and the other way round.
TEST(ClockRatio, RoundsUpAndByLessThanOne) {
  const ClockRatio ratio = ClockRatio::of_clock(1365_MHz, 3500_MHz);
  for (u64 tick = 0; tick < 20'000; ++tick) {
    const u64 cycle = ratio.cycle_at(tick);
    EXPECT_GE(cycle * 3500, tick * 1365);
    if (cycle) {
      EXPECT_LT((cycle - 1) * 3500, tick * 1365);
    }
    EXPECT_GE(ratio.ticks_within(cycle), tick);
    const u64 back = ratio.tick_at(tick);
    EXPECT_GE(back * 1365, tick * 3500);
    if (back) {
      EXPECT_LT((back - 1) * 1365, tick * 3500);
    }
  }
}

TEST(ClockRatio, EqualClocksChangeNothing) {
  const ClockRatio ratio = ClockRatio::of_clock(1410_MHz, 1410_MHz);
  for (const u64 t : {u64{0}, u64{1}, u64{977}, u64{1} << 50}) {
    EXPECT_EQ(ratio.cycle_at(t), t);
    EXPECT_EQ(ratio.tick_at(t), t);
  }
}

TEST(ClockRatio, DurationsAreCovered) {
  EXPECT_EQ(cycles_covering(1365_MHz, 100_ns), 137u);               // 136.5
  EXPECT_EQ(cycles_covering(1000_MHz, 100_ns), 100u);               // exactly
  EXPECT_EQ(cycles_covering(1000_MHz, Picoseconds{1}), 1u);         // 0.001
  EXPECT_EQ(cycles_covering(1365_MHz, Picoseconds{73'260}), 100u);  // 99.9999
  // 300 ns of 15.754 GB/s are 4,726.2 bytes.
  EXPECT_EQ(ClockRatio::of_bandwidth(1365_MHz, {15'754'000'000}).ticks_covering(300_ns), 4727u);
}

}  // namespace
}  // namespace ew::core
