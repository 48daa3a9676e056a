// The order of a device's writes past the host's cache, and the wait for a line that the host merges.
#include "media/posted_writes.hpp"

#include <gtest/gtest.h>

#include "memory/masks.hpp"

namespace ew::media {
namespace {

constexpr u32 line = 64;
constexpr core::Cycle merge = 400;

/// Words first, first + step, … of a line of 128 bytes.
memory::ByteMask every(u32 step, u32 first = 0) {
  memory::WordMask words = 0;
  for (u32 w = first; w < 32; w += step) words |= memory::WordMask{1} << w;
  return memory::bytes_of(words);
}

TEST(PostedWrites, DoNotWaitWhenTheyHaveWholeLines) {
  PostedWrites writes(line, merge);
  for (core::Cycle now = 0; now < 10; ++now) EXPECT_EQ(writes.arrive(4096, every(1), now), now);
}

TEST(PostedWrites, WaitForALineThatIsMerged) {
  PostedWrites writes(line, merge);
  EXPECT_EQ(writes.arrive(4096, memory::bytes_between(0, 8), 10), 10 + merge);
  EXPECT_EQ(writes.arrive(8192, memory::bytes_between(0, 8), 11), 11 + merge) << "another line";
  EXPECT_EQ(writes.whole_arrives(12), 12);
  EXPECT_EQ(writes.arrive(4096, memory::bytes_between(8, 16), 12), 10 + 2 * merge) << "the same line";
  EXPECT_EQ(writes.arrive(4096 + 64, every(1), 13), 10 + merge) << "nobody passes those before";
  EXPECT_EQ(writes.whole_arrives(14), 10 + merge);
}

TEST(PostedWrites, AreDoneAtOnceWhenTheLineIsFree) {
  PostedWrites writes(line, merge);
  writes.arrive(4096, memory::bytes_between(0, 8), 10);
  EXPECT_EQ(writes.arrive(4096, memory::bytes_between(8, 16), 10 + merge), 10 + 2 * merge);
}

// A warp that stores every other word sends 32 packets for 256 bytes, where one that stores all of them sends whole
// lines: libGPM's logs, conventional and HCL.
TEST(PostedWrites, TakeAPacketForWordsThatFollowEachOther) {
  PostedWrites apart(line, merge);
  EXPECT_EQ(apart.arrive(4096, every(2), 0), 15 * merge) << "8 packets, then 8 of a line that is free: 7 + 7 waits";
  PostedWrites bytes(line, merge);
  EXPECT_EQ(bytes.arrive(4096, memory::bytes_between(2, 7), 0), merge) << "parts of words do not part a packet";
}

TEST(PostedWrites, OfTwoLinesInOnePacketMergeBoth) {
  PostedWrites writes(line, merge);
  EXPECT_EQ(writes.arrive(4096, memory::bytes_between(60, 68), 0), merge);
  EXPECT_EQ(writes.arrive(4096, memory::bytes_between(0, 4), 1), 2 * merge);
  EXPECT_EQ(writes.arrive(4096, memory::bytes_between(124, 128), 2), 2 * merge) << "both were free at the same time";
}

}  // namespace
}  // namespace ew::media
