#include "memory/tag_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <span>
#include <tuple>
#include <vector>

namespace ew::memory {
namespace {

/// Against a model that is a list of lines for each set.
TEST(TagArray, finds_and_evicts_as_a_list_does) {
  std::mt19937 random(5);
  for (const auto& [bytes, ways, hashed, stretch] :
       {std::tuple{64u * 64, 0u, false, 1u}, std::tuple{64u * 64, 1u, false, 1u}, std::tuple{64u * 48, 4u, false, 1u},
        std::tuple{64u * 64, 32u, true, 1u}, std::tuple{64u * 64, 16u, true, 1u}, std::tuple{64u * 48, 4u, true, 4u}}) {
    TagArray tags({.bytes = bytes, .line_bytes = 64, .ways = ways, .hashed = hashed, .stretch = stretch});
    const u32 per_set = ways ? ways : tags.lines();
    std::vector<std::list<u64>> sets(tags.lines() / per_set);
    const auto set_of = [&](u64 line) { return tags.victim(line) / per_set; };
    for (u32 step = 0; step < 20'000; ++step) {
      const u64 line = random() % 200 * 64;
      std::list<u64>& set = sets[set_of(line)];
      const auto known = std::find(set.begin(), set.end(), line);
      const u32 way = tags.find(line, line);
      ASSERT_EQ(way != no_way, known != set.end());
      if (way != no_way) {
        ASSERT_EQ(tags.line_of(way), line);
        set.erase(known);
        if (random() % 8 == 0) {
          tags.remove(way);
          continue;
        }
        tags.used(way);
        set.push_front(line);
        continue;
      }
      const u64 pinned = set.empty() || random() % 3 ? no_line : set.back();
      const u32 pinned_way = pinned == no_line ? no_way : tags.find(pinned, pinned);
      if (pinned_way != no_way) tags.pin(pinned_way);
      const u32 victim = tags.victim(line);
      if (pinned_way != no_way) tags.unpin(pinned_way);
      if (set.size() == per_set) {
        if (per_set == 1 && pinned != no_line) {
          ASSERT_EQ(victim, no_way);
          continue;
        }
        const u64 expected = pinned != no_line ? *std::prev(set.end(), 2) : set.back();
        ASSERT_EQ(tags.line_of(victim), expected);
        set.remove(expected);
        tags.remove(victim);
      } else {
        ASSERT_EQ(tags.line_of(victim), no_line) << "empty ways first";
      }
      tags.install(victim, line);
      set.push_front(line);
    }
  }
}

/// Lines of a stretch lie in sets that follow each other, whether the sets are a power of two or not. Each set is used.
TEST(TagArray, lines_of_a_stretch_lie_in_neighbouring_sets) {
  for (const u32 sets : {64u, 48u}) {
    TagArray tags({.bytes = u64{64} * sets * 2, .line_bytes = 64, .ways = 2, .hashed = true, .stretch = 8});
    const auto set_of = [&](u64 number) { return tags.victim(number * 64) / 2; };
    std::vector<u32> met(sets), first;
    for (u64 number = 0; number < 4096; ++number) {
      const u32 set = set_of(number);
      ++met[set];
      EXPECT_EQ(set % 8, number % 8);
      EXPECT_EQ(set - set % 8, set_of(number - number % 8));
      if (number % 8 == 0) first.push_back(set);
    }
    EXPECT_EQ(std::ranges::count(met, 0u), 0);
    EXPECT_FALSE(std::ranges::equal(std::span(first).first(sets / 8), std::span(first).subspan(sets / 8, sets / 8)))
        << "no round of stretches is like the one before";
  }
}

}  // namespace
}  // namespace ew::memory
