// A core's flush of a line that has just been flushed.
#include "media/repeated_flushes.hpp"

#include <gtest/gtest.h>

namespace ew::media {
namespace {

TEST(RepeatedFlushes, OfALineWaitForTheOneBefore) {
  RepeatedFlushes flushes(1000);
  EXPECT_EQ(flushes.turn_of(7, 10), 10);
  EXPECT_EQ(flushes.turn_of(8, 11), 11) << "another line";
  EXPECT_EQ(flushes.turn_of(7, 12), 1010);
  EXPECT_EQ(flushes.turn_of(7, 13), 2010) << "behind the one that waits";
  EXPECT_EQ(flushes.turn_of(8, 1011), 1011) << "its time is over";
}

TEST(RepeatedFlushes, DoNotWaitWhenTheFieldIsZero) {
  RepeatedFlushes flushes(0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(flushes.turn_of(7, 10), 10);
}

// Lines of 64 threads, a power of two apart, are all remembered. So many others make the first one forgotten.
TEST(RepeatedFlushes, RememberTheLinesOfManyThreads) {
  RepeatedFlushes flushes(1000);
  for (u64 thread = 0; thread < 64; ++thread) EXPECT_EQ(flushes.turn_of(thread << 13, 1), 1);
  for (u64 thread = 0; thread < 64; ++thread) EXPECT_EQ(flushes.turn_of(thread << 13, 2), 1001) << thread;
  for (u64 other = 0; other < 4096; ++other) flushes.turn_of((1 << 24) + other, 1002 + other);
  EXPECT_EQ(flushes.turn_of(0, 1003), 1003) << "forgotten";
}

}  // namespace
}  // namespace ew::media
