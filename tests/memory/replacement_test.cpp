// The contract of replacement, for every policy of the table; and what tells the policies apart.
#include "memory/replacement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "memory/tag_array.hpp"

namespace ew::memory {
namespace {

constexpr u32 line = 64, ways = 4, sets = 8;

TagArray cache_of(std::string_view policy, u32 with_ways = ways) {
  return TagArray({.bytes = u64{line} * ways * sets, .line_bytes = line, .ways = with_ways, .hashed = false}, policy);
}

/// Brings the line in. Returns the one that went, or no_line.
u64 bring_in(TagArray& tags, u64 address) {
  const u32 way = tags.victim(address);
  const u64 gone = tags.line_of(way);
  if (gone != no_line) tags.remove(way);
  tags.install(way, address);
  return gone;
}

/// The n-th line of set 0.
u64 of_set_0(u32 n) {
  return u64{n} * line * sets;
}

class ReplacementContract : public testing::TestWithParam<std::string_view> {};

TEST_P(ReplacementContract, empty_ways_are_taken_first) {
  TagArray tags = cache_of(GetParam());
  std::set<u32> taken;
  for (u32 n = 0; n < ways; ++n) {
    const u32 way = tags.victim(of_set_0(n));
    EXPECT_EQ(tags.line_of(way), no_line);
    tags.install(way, of_set_0(n));
    taken.insert(way);
  }
  EXPECT_EQ(taken.size(), ways);
  for (const u32 gone : {2u, 0u}) {
    const u32 way = tags.find(of_set_0(gone), of_set_0(gone));
    tags.remove(way);
    EXPECT_EQ(tags.victim(of_set_0(9)), way);
    tags.install(way, of_set_0(9 + gone));
  }
}

TEST_P(ReplacementContract, a_pinned_line_stays_and_no_line_goes_when_all_are_pinned) {
  TagArray tags = cache_of(GetParam());
  for (u32 n = 0; n < ways; ++n) bring_in(tags, of_set_0(n));
  for (u32 kept = 0; kept < ways; ++kept) {
    const u32 only = tags.find(of_set_0(kept), of_set_0(kept));
    for (u32 way = 0; way < ways; ++way)
      if (way != only) tags.pin(way);
    EXPECT_EQ(tags.victim(of_set_0(9)), only);
    for (u32 way = 0; way < ways; ++way)
      if (way != only) tags.unpin(way);
  }
  for (u32 way = 0; way < ways; ++way) tags.pin(way);
  EXPECT_EQ(tags.victim(of_set_0(9)), no_way);
}

/// Lines that are used no more make room in the end, whatever was used before.
TEST_P(ReplacementContract, no_line_stays_for_ever_unless_it_is_used) {
  TagArray tags = cache_of(GetParam());
  for (u32 n = 0; n < ways; ++n) {
    bring_in(tags, of_set_0(n));
    for (u32 hit = 0; hit < 5; ++hit) tags.used(tags.find(of_set_0(n), of_set_0(n)));
  }
  std::set<u64> gone;
  for (u32 n = ways; n < 200; ++n) gone.insert(bring_in(tags, of_set_0(n)));
  for (u32 n = 0; n < ways; ++n) EXPECT_TRUE(gone.contains(of_set_0(n))) << n;
}

TEST_P(ReplacementContract, sets_do_not_touch_each_other) {
  TagArray tags = cache_of(GetParam());
  for (u32 set = 1; set < sets; ++set) bring_in(tags, u64{set} * line);
  for (u32 n = 0; n < 100; ++n) bring_in(tags, of_set_0(n));
  for (u32 set = 1; set < sets; ++set) EXPECT_NE(tags.find(u64{set} * line, u64{set} * line), no_way);
}

/// In sets that are scanned and in those that have an index.
TEST_P(ReplacementContract, equal_caches_choose_equal_victims) {
  for (const u32 with_ways : {1u, ways, 32u}) {
    std::vector<u64> seen[2];
    for (auto& victims : seen) {
      TagArray tags = cache_of(GetParam(), with_ways);
      std::mt19937 draw(7);
      for (u32 step = 0; step < 5000; ++step) {
        const u64 address = draw() % 100 * line;
        if (const u32 way = tags.find(address, address); way != no_way)
          tags.used(way);
        else
          victims.push_back(bring_in(tags, address));
      }
    }
    EXPECT_EQ(seen[0], seen[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, ReplacementContract, testing::ValuesIn(replacement_names()),
                         [](const auto& param) { return std::string(param.param); });

/// Lines 0 to 3 come in, 0 is used twice, 1 once; then four others come. Who goes, in order?
std::vector<u64> victims_of(std::string_view policy) {
  TagArray tags = cache_of(policy);
  for (u32 n = 0; n < ways; ++n) bring_in(tags, of_set_0(n));
  for (const u32 n : {0u, 1u, 0u}) tags.used(tags.find(of_set_0(n), of_set_0(n)));
  std::vector<u64> gone;
  for (u32 n = 10; n < 14; ++n) gone.push_back(bring_in(tags, of_set_0(n)) / (line * sets));
  return gone;
}

TEST(Replacement, lru_keeps_what_was_used_last) {
  EXPECT_EQ(victims_of("lru"), (std::vector<u64>{2, 3, 1, 0}));
}

TEST(Replacement, fifo_does_not_look_at_uses) {
  EXPECT_EQ(victims_of("fifo"), (std::vector<u64>{0, 1, 2, 3}));
}

/// New lines leave before those that were hit: 2 and 3 go, then the new ones, before 0 and 1.
TEST(Replacement, srrip_keeps_lines_with_hits_through_a_scan) {
  TagArray tags = cache_of("srrip");
  for (u32 n = 0; n < ways; ++n) bring_in(tags, of_set_0(n));
  for (const u32 n : {0u, 1u}) tags.used(tags.find(of_set_0(n), of_set_0(n)));
  const auto is_here = [&](u32 n) { return tags.find(of_set_0(n), of_set_0(n)) != no_way; };
  for (u32 n = 10; n < 14; ++n) bring_in(tags, of_set_0(n));
  EXPECT_TRUE(is_here(0) && is_here(1));
  for (u32 n = 20; n < 40; ++n) bring_in(tags, of_set_0(n));
  EXPECT_FALSE(is_here(0) || is_here(1)) << "without further hits they age";
}

TEST(Replacement, random_spreads_over_the_ways) {
  TagArray tags = cache_of("random");
  for (u32 n = 0; n < ways; ++n) bring_in(tags, of_set_0(n));
  std::vector<u32> times(ways);
  for (u32 n = 0; n < 4000; ++n) {
    const u32 way = tags.victim(of_set_0(9));
    ++times[way];
  }
  for (const u32 count : times) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace ew::memory
