// The contract of prefetchers, for every one of the list; and what tells them apart. What a private cache does with the
// lines that they name: prefetches_test.cpp.
#include "memory/prefetcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace ew::memory {
namespace {

constexpr u32 line = 128;
using enum SeenLoad::Found;

/// What the prefetcher names after each of these loads.
std::vector<u64> named(std::string_view name, const std::vector<SeenLoad>& loads, u32 distance = 1) {
  const auto prefetcher = prefetcher_kind(name)->make(line, distance);
  std::vector<u64> lines;
  for (const SeenLoad& load : loads)
    if (prefetcher) prefetcher->seen(load, [&](u64 address) { lines.push_back(address / line); });
  return lines;
}

/// Misses of one warp.
std::vector<SeenLoad> misses(const std::vector<u64>& lines, u8 warp = 0) {
  std::vector<SeenLoad> loads;
  for (const u64 number : lines) loads.push_back({.line = number * line, .warp = warp});
  return loads;
}

class PrefetcherContract : public testing::TestWithParam<std::string_view> {};

TEST_P(PrefetcherContract, it_is_described_and_is_found_by_its_name) {
  const PrefetcherKind* const kind = prefetcher_kind(GetParam());
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(kind->name, GetParam());
  EXPECT_FALSE(kind->sentence.empty());
  EXPECT_EQ(prefetcher_kind("no such prefetcher"), nullptr);
}

/// Whatever the loads are, equal prefetchers name equal lines, and not without end.
TEST_P(PrefetcherContract, equal_loads_name_equal_lines) {
  for (const u32 distance : {1u, 7u, 32u}) {
    std::mt19937 draw(distance);
    std::vector<SeenLoad> loads;
    for (u32 i = 0; i < 5000; ++i)
      loads.push_back({.line = draw() % 40 * line,
                       .warp = static_cast<u8>(draw() % 256),
                       .found = static_cast<SeenLoad::Found>(draw() % 3)});
    const std::vector<u64> first = named(GetParam(), loads, distance);
    EXPECT_EQ(first, named(GetParam(), loads, distance));
    EXPECT_LE(first.size(), loads.size() * 32);
  }
}

/// The ends of the address space are addresses like others.
TEST_P(PrefetcherContract, any_address_may_come) {
  std::vector<u64> lines;
  for (u64 number = 0; number < 8; ++number) lines.push_back(~u64{0} / line - number);
  for (u64 number = 8; number-- > 0;) lines.push_back(number);
  named(GetParam(), misses(lines), 32);
}

INSTANTIATE_TEST_SUITE_P(Prefetchers, PrefetcherContract, testing::ValuesIn(prefetcher_names()), [](const auto& param) {
  std::string name(param.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Prefetchers, none_names_nothing) {
  EXPECT_EQ(prefetcher_kind("none")->make(line, 1), nullptr);
}

TEST(Prefetchers, next_line_follows_misses_and_first_uses) {
  EXPECT_EQ(named("next-line", misses({5, 9})), (std::vector<u64>{6, 10}));
  EXPECT_EQ(named("next-line", {{.line = 5 * line, .found = here}}), std::vector<u64>{});
  EXPECT_EQ(named("next-line", {{.line = 5 * line, .found = prefetched}}), std::vector<u64>{6});
  EXPECT_EQ(named("next-line", misses({5}), 4), std::vector<u64>{9});
}

TEST(Prefetchers, stride_believes_what_has_come_twice) {
  EXPECT_EQ(named("stride", misses({10, 13})), std::vector<u64>{});
  EXPECT_EQ(named("stride", misses({10, 13, 16})), std::vector<u64>{19});
  EXPECT_EQ(named("stride", misses({10, 13, 16}), 2), std::vector<u64>{22});
  EXPECT_EQ(named("stride", misses({20, 18, 16, 14})), (std::vector<u64>{14, 12})) << "backwards";
  EXPECT_EQ(named("stride", misses({10, 10, 13, 13, 16})), std::vector<u64>{19}) << "other words of a line";
}

TEST(Prefetchers, stride_follows_hits_as_well) {
  std::vector<SeenLoad> loads = misses({10, 13, 16, 19});
  for (SeenLoad& load : loads) load.found = here;
  EXPECT_EQ(named("stride", loads), (std::vector<u64>{19, 22}));
}

TEST(Prefetchers, stride_forgives_one_surprise) {
  EXPECT_EQ(named("stride", misses({10, 13, 16, 40, 43})), (std::vector<u64>{19, 46}));
  EXPECT_EQ(named("stride", misses({10, 13, 16, 40, 50, 53})), std::vector<u64>{19}) << "but not two";
}

TEST(Prefetchers, stride_keeps_warps_apart) {
  std::vector<SeenLoad> loads;
  for (u64 step = 0; step < 3; ++step)
    for (u8 warp = 0; warp < 4; ++warp)
      loads.push_back({.line = (1000 * u64{warp} + step * (warp + 1)) * line, .warp = warp});
  EXPECT_EQ(named("stride", loads), (std::vector<u64>{3, 1006, 2009, 3012}));
}

}  // namespace
}  // namespace ew::memory
