#include "memory/gaps.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ew::memory {
namespace {

TEST(Gaps, first_fit_is_that_of_a_plain_list) {
  Gaps gaps;
  std::map<u64, u64> list;
  std::mt19937_64 random(1);
  for (int step = 0; step < 20000; ++step) {
    const u64 begin = random() % 500 * 256, bytes = random() % 4 ? random() % 1000 : 0;
    gaps.set(begin, bytes);
    if (bytes)
      list[begin] = bytes;
    else
      list.erase(begin);
    const u64 wanted = random() % 1100 + 1, from = random() % 3 ? 0 : random() % 500 * 256;
    auto expected = list.lower_bound(from);
    while (expected != list.end() && expected->second < wanted) ++expected;
    const Gaps::Gap found = gaps.first(wanted, from);
    ASSERT_EQ(expected == list.end() ? 0 : expected->second, found.bytes) << "step " << step;
    if (found.bytes) ASSERT_EQ(expected->first, found.begin) << "step " << step;
  }
  gaps.clear();
  EXPECT_EQ(0u, gaps.first(1).bytes);
}

}  // namespace
}  // namespace ew::memory
