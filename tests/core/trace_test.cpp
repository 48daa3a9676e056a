// The digest of a trace tells runs apart by what happened and by its order.
#include "core/trace.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace ew::core {
namespace {

u64 digest_of(std::initializer_list<u64> addresses) {
  Trace trace;
  trace.begin();
  for (u64 address : addresses) trace.record({.cycle = 1, .address = address});
  return trace.digest();
}

TEST(Trace, OffItKeepsNothing) {
  Trace trace;
  const u64 before = trace.digest();
  trace.record({.cycle = 5});
  EXPECT_EQ(trace.records(), 0u);
  EXPECT_EQ(trace.digest(), before);
}

TEST(Trace, TheDigestKnowsContentAndOrder) {
  EXPECT_EQ(digest_of({1, 2, 3}), digest_of({1, 2, 3}));
  EXPECT_NE(digest_of({1, 2, 3}), digest_of({1, 3, 2}));
  EXPECT_NE(digest_of({1, 2, 3}), digest_of({1, 2}));
  EXPECT_NE(digest_of({0}), digest_of({0, 0}));
}

// Two runs of a program that registers host memory had different digests: its pages lie elsewhere each time.
TEST(Trace, TheDigestDoesNotKnowWhereTheHostPlacedAPage) {
  EXPECT_EQ(digest_of({0x7f12'3456'7080}), digest_of({0x7f99'9999'9080}));
  EXPECT_NE(digest_of({0x7f12'3456'7080}), digest_of({0x7f12'3456'7100}));
  EXPECT_NE(digest_of({0x2000'0000'7080}), digest_of({0x2000'0000'8080}));
}

TEST(Trace, AFileHoldsEveryRecord) {
  const std::string name = testing::TempDir() + "everwarp_trace_test";
  {
    Trace trace;
    ASSERT_TRUE(trace.begin(name));
    for (u64 i = 0; i < 10'000; ++i) trace.record({.cycle = i});
    trace.flush();
    EXPECT_EQ(std::filesystem::file_size(name), 10'000 * sizeof(TraceRecord));
  }
  std::filesystem::remove(name);
  Trace trace;
  EXPECT_FALSE(trace.begin("/no/such/folder/trace"));
}

}  // namespace
}  // namespace ew::core
