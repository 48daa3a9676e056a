// The contract of replacement, for every policy of the table; and what tells the policies apart.
#include "memory/replacement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "memory/tag_array.hpp"
#include "parameter_name.hpp"

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

/// One set of a policy, without a cache: the test says which lines come and go.
class BareSet {
 public:
  BareSet(Replacement& policy, u32 set, u32 of_ways)
      : policy_(policy), first_(set * of_ways), set_(set), ways_(of_ways) {}

  u32 ways() const { return ways_; }
  void fill() {
    for (u32 n = 0; n < ways_; ++n) policy_.installed(first_ + n);
  }
  void use(u32 n) { policy_.used(first_ + n); }
  void empty(u32 n) { policy_.removed(first_ + n); }
  void replace(u32 n) {
    empty(n);
    policy_.installed(first_ + n);
  }
  /// Who may go now: of a policy that draws, whoever is drawn in many tries.
  std::set<u32> candidates() const {
    std::set<u32> found;
    const WaySet pinned(sets * ways_);
    for (u32 i = 0; i < 200; ++i) found.insert(policy_.victim(set_, pinned) - first_);
    return found;
  }
  /// Uses, and lines that others take the place of. Empty ways are filled again.
  void something(std::mt19937& draw) {
    const u32 n = draw() % ways_, other = draw() % ways_;
    switch (draw() % 4) {
      default:
        return use(n);
      case 2:
        return replace(*candidates().begin());
      case 3:
        if (n == other) return;
        empty(n);
        empty(other);
        policy_.installed(first_ + n);
        policy_.installed(first_ + other);
    }
  }

 private:
  Replacement& policy_;
  u32 first_, set_, ways_;
};

/// The same happens in one set of two caches. In the other sets of the second there is traffic, too.
TEST_P(ReplacementContract, sets_do_not_touch_each_other) {
  const ReplacementPolicy& policy = *replacement_policy(GetParam());
  if (policy.learns) GTEST_SKIP() << "it learns from other sets";
  for (const u32 of_ways : {2u, ways, 6u})
    for (const u32 set : {0u, 3u, sets - 1}) {
      const auto quiet = policy.make(sets, of_ways), busy = policy.make(sets, of_ways);
      BareSet alone(*quiet, set, of_ways), among(*busy, set, of_ways);
      std::vector<BareSet> others;
      for (u32 i = 0; i < sets; ++i)
        if (i != set) others.emplace_back(*busy, i, of_ways);
      alone.fill();
      among.fill();
      for (BareSet& other : others) other.fill();
      std::mt19937 same[] = {std::mt19937(3), std::mt19937(3)}, elsewhere(4);
      for (u32 step = 0; step < 300; ++step) {
        alone.something(same[0]);
        among.something(same[1]);
        for (u32 i = 0; i < 4; ++i) others[elsewhere() % others.size()].something(elsewhere);
        ASSERT_EQ(alone.candidates(), among.candidates())
            << "set " << set << " of " << of_ways << " ways, step " << step
            << ": what happened in other sets changes who goes in this one";
      }
    }
}

TEST_P(ReplacementContract, an_emptied_set_is_as_a_fresh_one) {
  const ReplacementPolicy& policy = *replacement_policy(GetParam());
  if (policy.learns) GTEST_SKIP() << "it learns from lines that are gone";
  for (u32 seed = 1; seed <= 20; ++seed) {
    const auto first = policy.make(sets, ways), second = policy.make(sets, ways);
    BareSet fresh(*first, 2, ways), emptied(*second, 2, ways);
    std::mt19937 before(seed);
    emptied.fill();
    for (u32 step = 0; step < seed; ++step) emptied.something(before);
    for (u32 n = 0; n < ways; ++n) emptied.empty((seed + n) % ways);
    fresh.fill();
    emptied.fill();
    std::mt19937 same[] = {std::mt19937(seed), std::mt19937(seed)};
    for (u32 step = 0; step < 10; ++step) {
      ASSERT_EQ(fresh.candidates(), emptied.candidates())
          << "seed " << seed << ", step " << step << ": lines that were removed before still decide who goes";
      fresh.something(same[0]);
      emptied.something(same[1]);
    }
  }
}

TEST_P(ReplacementContract, a_new_line_does_not_go_next) {
  const ReplacementPolicy& policy = *replacement_policy(GetParam());
  if (!policy.spares_new) GTEST_SKIP() << "it does not promise that (ReplacementPolicy::spares_new)";
  for (const u32 of_ways : {2u, ways, 6u}) {
    const auto made = policy.make(sets, of_ways);
    BareSet set(*made, 1, of_ways);
    set.fill();
    for (u32 step = 0; step < 40; ++step) {
      const u32 gone = *set.candidates().begin();
      set.replace(gone);
      ASSERT_FALSE(set.candidates().contains(gone)) << of_ways << " ways, step " << step;
    }
  }
}

TEST_P(ReplacementContract, a_line_that_was_just_used_does_not_go_before_those_that_never_were) {
  const ReplacementPolicy& policy = *replacement_policy(GetParam());
  if (!policy.spares_used) GTEST_SKIP() << "it does not promise that (ReplacementPolicy::spares_used)";
  for (const u32 of_ways : {2u, ways, 6u})
    for (u32 n = 0; n < of_ways; ++n) {
      const auto made = policy.make(sets, of_ways);
      BareSet set(*made, 1, of_ways);
      set.fill();
      set.use(n);
      EXPECT_FALSE(set.candidates().contains(n)) << "way " << n << " of " << of_ways;
    }
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
                         [](const auto& param) { return parameter_name(param.param); });

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
