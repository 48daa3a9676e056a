// Prefetches of a private cache: every prefetcher under every protocol, and each of the limits by itself. Random
// traffic with prefetchers: contract_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "memory/prefetcher.hpp"
#include "scene.hpp"

namespace ew::memory {
namespace {

constexpr u32 line_bytes = 128, page_lines = 4096 / line_bytes;

BenchConfig with(std::string_view prefetcher, u32 distance = 1) {
  BenchConfig config;
  config.cache.bytes = 32 << 10;
  config.cache.ways = 8;
  config.cache.mshrs = 16;
  config.cache.prefetcher = prefetcher;
  config.cache.prefetch_distance = distance;
  config.home.bytes = 64 << 10;
  config.data_bytes = 64 << 10;
  return config;
}

PrivateCacheStatistics counts(Scene& s, u32 agent = 0) {
  return s.bench.caches[agent]->statistics();
}

bool fetches(const Scene& s) {
  return s.bench.model.agent.on(Use::load, DataKind::ordinary).otherwise == Otherwise::fetch;
}

/// Loads of one word of each of these lines, one after the other. Answers how many missed.
u64 stream(Scene& s, const std::vector<u32>& lines) {
  const u64 before = counts(s).load_misses;
  for (const u32 number : lines) EXPECT_EQ(s.read(0, s.line(number)), number + 1);
  return counts(s).load_misses - before;
}
void fill(Scene& s, u32 lines) {
  for (u32 number = 0; number < lines; ++number) {
    const u32 value = number + 1;
    std::memcpy(reinterpret_cast<void*>(s.line(number)), &value, sizeof value);
  }
}
std::vector<u32> every(u32 step, u32 count) {
  std::vector<u32> lines;
  for (u32 i = 0; i < count; ++i) lines.push_back(i * step);
  return lines;
}

using Pair = std::tuple<std::string_view, std::string_view>;
class Prefetching : public testing::TestWithParam<Pair> {
 protected:
  std::string protocol{std::get<0>(GetParam())};
  std::string_view prefetcher = std::get<1>(GetParam());
};
INSTANTIATE_TEST_SUITE_P(All, Prefetching,
                         testing::Combine(testing::ValuesIn(protocol_names()), testing::ValuesIn(prefetcher_names())),
                         [](const testing::TestParamInfo<Pair>& info) {
                           std::string name =
                               std::string(std::get<0>(info.param)) + "_" + std::string(std::get<1>(info.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Prefetching, streams_have_the_right_values_and_no_more_misses) {
  for (const u32 step : {1u, 2u, 3u, 31u}) {
    Scene s(protocol, 1, with(prefetcher));
    fill(s, 512);
    const u64 missed = stream(s, every(step, 512 / step));
    EXPECT_LE(missed, 512 / step);
    const auto seen = counts(s);
    EXPECT_LE(seen.prefetches_late, seen.prefetches_useful);
    EXPECT_LE(seen.prefetches_useful, seen.prefetches);
    EXPECT_EQ(seen.load_hits + seen.load_merges + seen.load_misses, seen.loads);
    if (!fetches(s)) {
      EXPECT_EQ(seen.prefetches, 0u);
    }
  }
}

/// Whoever prefetches a line does not keep it from those who write it.
TEST_P(Prefetching, writers_and_readers_of_neighbours) {
  Scene s(protocol, 3, with(prefetcher));
  for (u32 round = 1; round < 20; ++round) {
    for (u32 number = 0; number < 8; ++number) {
      const u32 writer = (number + round) % 3, reader = (writer + 1) % 3;
      s.load(reader, s.line(number));  // prefetches may be on their way
      s.write(writer, s.line(number + 1), 100 * round + number);
      s.release(writer);
      s.acquire(reader);
      EXPECT_EQ(s.read(reader, s.line(number + 1)), 100 * round + number);
    }
  }
}

/// A load that comes when prefetches are on their way finds MSHRs, and no more than a quarter are prefetches.
TEST_P(Prefetching, a_quarter_of_the_mshrs_at_most) {
  Scene s(protocol, 1, with(prefetcher));
  s.slow = [](Node, Node, const Request&) { return 5000; };
  u32 under_way = 0, most = 0;
  s.bench.network.watch = [&](Node to, const Request& r, bool before) {
    if (!before) return;
    if (to == 0 && r.kind == RequestKind::data && r.access == no_access) --under_way;
  };
  u64 made = 0;
  for (u32 number = 0; number < 12; ++number) {
    EXPECT_NE(s.load(0, s.line(number * 2)).why, Stall::mshr) << number;
    under_way += static_cast<u32>(counts(s).prefetches - made);
    made = counts(s).prefetches;
    most = std::max(most, under_way);
  }
  EXPECT_LE(most, 4u);
  s.bench.run();
  EXPECT_EQ(under_way, 0u);
}

/// In a cache of one line nothing can be prefetched while a load waits, and nothing goes wrong.
TEST_P(Prefetching, the_smallest_caches) {
  for (const u32 mshrs : {1u, 3u, 4u})
    for (const u32 ways : {1u, 2u}) {
      BenchConfig config = with(prefetcher);
      config.cache.bytes = line_bytes * ways;
      config.cache.ways = ways;
      config.cache.mshrs = mshrs;
      Scene s(protocol, 1, config);
      fill(s, 64);
      stream(s, every(1, 64));
      stream(s, every(2, 32));
      if (mshrs < 4) {
        EXPECT_EQ(counts(s).prefetches, 0u);
      }
    }
}

/// A kernel's end drops what is prefetched, and waits for what is on its way: no copy comes behind it.
TEST_P(Prefetching, no_copy_outlives_a_flush) {
  Scene s(protocol, 2, with(prefetcher));
  fill(s, 64);
  stream(s, every(1, 3));
  s.slow = [](Node, Node, const Request& r) { return r.kind == RequestKind::data && r.access == no_access ? 300 : 0; };
  const auto last = s.load(0, s.line(8));
  while (!s.done(0, last).performed) s.bench.step();
  s.flush(0);
  for (u32 number = 0; number < 64; ++number) {
    EXPECT_FALSE(s.bench.caches[0]->peek(s.line(number)).valid) << number;
    const u32 value = 1000 + number;  // of a host that writes between two kernels
    std::memcpy(reinterpret_cast<void*>(s.line(number)), &value, sizeof value);
  }
  s.bench.run();
  s.acquire(0);
  for (u32 number = 0; number < 64; ++number) EXPECT_EQ(s.read(0, s.line(number)), 1000u + number);
}

TEST_P(Prefetching, only_plain_loads_of_the_same_page_and_memory) {
  Scene s(protocol, 1, with(prefetcher));
  for (u32 number = 0; number < 3; ++number) {
    s.read(0, s.line(number), strong);
    s.read(0, s.line(number), at_home);
    s.read(0, s.bench.host + number * line_bytes, {.host = true, .scope = Scope::none});
    s.read(0, s.bench.mmio + number * line_bytes, {.host = true, .scope = Scope::none, .mmio = true});
    s.write(0, s.line(40 + number), 1);
  }
  EXPECT_EQ(counts(s).prefetches, 0u);
  stream(s, {});
  for (u32 number = page_lines - 3; number < page_lines; ++number) s.read(0, s.line(number));
  EXPECT_FALSE(s.bench.caches[0]->peek(s.line(page_lines)).valid) << "the next page";
}

TEST(Prefetch, none_makes_no_request) {
  Scene s("gpu", 1, with("none"));
  fill(s, 64);
  EXPECT_EQ(stream(s, every(1, 64)), 64u);
  EXPECT_EQ(counts(s).prefetches, 0u);
}

/// Of each page, the first line misses; under distance 2, the first two.
TEST(Prefetch, next_line_takes_the_misses_of_a_sequential_stream) {
  for (const u32 distance : {1u, 2u})
    for (const std::string protocol : {"gpu", "mesi", "owned-words"}) {
      Scene s(protocol, 1, with("next-line", distance));
      fill(s, 128);
      EXPECT_EQ(stream(s, every(1, 128)), distance * 128 / page_lines) << protocol;
      EXPECT_EQ(counts(s).prefetches, 128 - distance * 128 / page_lines);
      EXPECT_EQ(counts(s).prefetches_useful, counts(s).prefetches);
      EXPECT_EQ(counts(s).prefetches_late, 0u);
    }
}

/// A warp that reads every third line of a page misses three times, and from then on at the page's borders alone.
TEST(Prefetch, stride_takes_the_misses_of_a_strided_stream) {
  const std::vector<u32> third = every(3, 42);
  for (const std::string protocol : {"gpu", "mesi", "owned-words"}) {
    Scene s(protocol, 1, with("stride")), plain(protocol, 1, with("none")), next(protocol, 1, with("next-line"));
    for (Scene* scene : {&s, &plain, &next}) fill(*scene, 128);
    EXPECT_EQ(stream(plain, third), 42u);
    EXPECT_EQ(stream(next, third), 42u) << "the next line is never the right one";
    EXPECT_EQ(stream(s, third), 3u + 3) << protocol;
  }
}

TEST(Prefetch, a_load_joins_a_prefetch_and_is_served_when_it_comes) {
  for (const std::string protocol : {"gpu", "mesi", "owned-words"}) {
    Scene s(protocol, 1, with("next-line"));
    fill(s, 2);
    const auto first = s.load(0, s.line(0)), second = s.load(0, s.line(1));
    EXPECT_EQ(second.accepted, Accepted::pending);
    EXPECT_EQ(s.value(0, first), 1u);
    EXPECT_EQ(s.value(0, second), 2u);
    EXPECT_EQ(s.done(0, second).by, ServedBy::merged);
    EXPECT_EQ(counts(s).load_merges, 1u);
    EXPECT_EQ(counts(s).load_misses, 1u);
    EXPECT_EQ(counts(s).prefetches_useful, 1u);
    EXPECT_EQ(counts(s).prefetches_late, 1u);
  }
}

/// A store that meets a prefetch is not overwritten by it, whether its bytes have left or not.
TEST(Prefetch, a_store_under_a_prefetch_stays) {
  for (const std::string_view protocol : protocol_names())
    for (const bool drains : {false, true}) {
      Scene s(std::string(protocol), 2, with("next-line"));
      fill(s, 2);
      s.slow = [](Node from, Node, const Request& r) { return from > 1 && r.kind == RequestKind::data ? 900 : 0; };
      s.load(0, s.line(0));
      s.store(0, s.line(1), 77);
      if (drains) s.bench.caches[0]->release(Scope::gpu, 1);
      s.bench.run();
      EXPECT_EQ(s.read(0, s.line(1)), 77u);
      s.release(0);
      s.acquire(1);
      EXPECT_EQ(s.read(1, s.line(1)), 77u);
    }
}

TEST(Prefetch, what_an_acquire_meets_on_its_way_is_not_kept) {
  for (const std::string protocol : {"gpu", "owned-words"}) {
    Scene s(protocol, 2, with("next-line"));
    s.slow = [](Node from, Node to, const Request& r) {
      return from > 1 && to == 0 && r.kind == RequestKind::data ? 900 : 0;
    };
    s.load(0, s.line(0));  // the home has answered with the old value when the other agent writes
    s.bench.run(100);
    EXPECT_EQ(counts(s).prefetches, 1u);
    s.store(1, s.line(1), 5);
    s.bench.caches[1]->release(Scope::gpu, 1);
    s.bench.run(300);
    s.acquire(0);
    s.bench.run();
    EXPECT_FALSE(s.bench.caches[0]->peek(s.line(1)).valid) << protocol;
    EXPECT_EQ(s.read(0, s.line(1)), 5u) << protocol;
  }
}

/// Words of the prefetched line have two owners and none: all come, and the owners stay owners.
TEST(Prefetch, owners_of_words_answer_a_prefetch) {
  Scene s("owned-words", 3, with("next-line"));
  fill(s, 2);
  s.write(1, s.line(1) + 4, 11);
  s.write(2, s.line(1) + 8, 22);
  EXPECT_EQ(s.read(0, s.line(0)), 1u);
  for (u32 word = 0; word < line_bytes / word_bytes; ++word)
    EXPECT_TRUE(s.bench.caches[0]->peek(s.line(1) + 4 * word).valid) << word;
  EXPECT_EQ(s.read(0, s.line(1)), 2u);
  EXPECT_EQ(s.read(0, s.line(1) + 4), 11u);
  EXPECT_EQ(s.read(0, s.line(1) + 8), 22u);
  EXPECT_EQ(counts(s).load_misses, 1u);
  EXPECT_TRUE(s.bench.caches[1]->peek(s.line(1) + 4).owned);
  EXPECT_TRUE(s.bench.caches[2]->peek(s.line(1) + 8).owned);
}

}  // namespace
}  // namespace ew::memory
