// A private cache that changes its size: how many lines it keeps, and that nothing is lost. Under every protocol.
#include <gtest/gtest.h>

#include "coherence/models.hpp"
#include "scene.hpp"

namespace ew::memory {
namespace {

constexpr u64 whole = 4096, quarter = 1024;  // 32 and 8 lines, in 4 sets

BenchConfig with_sets() {
  BenchConfig config;
  config.cache.bytes = whole;
  config.cache.ways = 8;
  config.data_bytes = 16 << 10;
  config.home.bytes = 32 << 10;
  return config;
}

class Resizing : public testing::TestWithParam<std::string_view> {
 protected:
  Scene s{std::string(GetParam()), 2, with_sets()};
  PrivateCache& cache = *s.bench.caches[0];

  bool keeps_copies() const {
    return s.bench.model.agent.on(Use::load, DataKind::ordinary).otherwise == Otherwise::fetch;
  }
  /// Loads so many lines twice: misses of the second time.
  u64 misses_of(u32 lines) {
    for (u32 i = 0; i < lines; ++i) s.read(0, s.line(i));
    const u64 before = cache.statistics().load_misses;
    for (u32 i = 0; i < lines; ++i) s.read(0, s.line(i));
    return cache.statistics().load_misses - before;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Resizing, testing::ValuesIn(protocol_names()), [](const auto& info) {
  std::string name(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Resizing, keeps_as_many_lines_as_it_has_place_for) {
  if (!keeps_copies()) GTEST_SKIP() << "loads keep nothing";
  EXPECT_EQ(misses_of(32), 0u);
  EXPECT_EQ(misses_of(33), 9u) << "LRU: all of the set with nine lines";
  cache.resize(quarter);
  EXPECT_EQ(misses_of(8), 0u);
  EXPECT_EQ(misses_of(12), 12u);
  cache.resize(whole);
  EXPECT_EQ(misses_of(32), 0u);
}

TEST_P(Resizing, dirty_and_owned_words_are_not_lost) {
  for (u32 i = 0; i < 32; ++i) s.write(0, s.line(i) + 4 * (i % 32), i + 100);
  cache.resize(quarter);
  s.bench.run();
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(s.read(0, s.line(i) + 4 * (i % 32)), i + 100);
  s.release(0);
  s.acquire(1);
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(s.read(1, s.line(i) + 4 * (i % 32)), i + 100);
  cache.resize(whole);
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(s.read(0, s.line(i) + 4 * (i % 32)), i + 100);
}

TEST_P(Resizing, waits_for_lines_on_their_way) {
  if (!keeps_copies()) GTEST_SKIP() << "loads keep nothing";
  s.slow = [](Node, Node, const Request&) { return 500; };
  const auto first = s.load(0, s.line(0));
  cache.resize(quarter);  // nothing happens
  s.slow = {};
  EXPECT_EQ(s.value(0, first), 0u);
  EXPECT_EQ(misses_of(32), 0u);
  cache.resize(quarter);
  EXPECT_EQ(misses_of(12), 12u);
}

}  // namespace
}  // namespace ew::memory
