// Timed work of the host's cores: bytes, what is durable when, and what the time follows from.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "host_bench.hpp"

namespace ew::host {
namespace {

using namespace core::literals;

constexpr u64 kib = 1024;

media::MediaConfig media(bool eadr = false) {
  media::MediaConfig config;
  config.nvm.eadr = eadr;
  return config;
}

TEST(HostCores, a_copy_moves_every_byte_once_and_ends_in_volatile_caches) {
  HostBench bench;
  bench.run({{HostBench::step(Act::copy, bench.pool + 3, bench.source.data() + 7, 10'000)}});
  EXPECT_EQ(std::memcmp(bench.pool + 3, bench.source.data() + 7, 10'000), 0);
  EXPECT_EQ(bench.pool[2], 0);
  EXPECT_EQ(bench.pool[10'003], 0);
  EXPECT_EQ(bench.durable.number(), 0u) << "it fits into the last-level cache";
}

TEST(HostCores, what_is_flushed_is_durable_and_no_more) {
  HostBench bench;
  bench.run({{HostBench::step(Act::copy, bench.pool, bench.source.data(), 64 * kib)}});
  bench.run({{HostBench::step(Act::flush, bench.pool + 100, nullptr, 1000)}});
  // The lines of bytes 100 to 1099.
  EXPECT_EQ(bench.file[63], 0) << "the line before is not flushed";
  EXPECT_EQ(std::memcmp(bench.file.data() + 64, bench.pool + 64, 1088), 0);
  EXPECT_EQ(bench.file[1152], 0);
  EXPECT_EQ(bench.cores->statistics().lines_flushed, 17u);
}

TEST(HostCores, a_flush_of_clean_lines_writes_nothing) {
  HostBench bench;
  const Work flush{{HostBench::step(Act::flush, bench.pool, nullptr, 16 * kib)}};
  bench.run({{HostBench::step(Act::copy, bench.pool, bench.source.data(), 16 * kib)}});
  bench.run(flush);
  const u64 written = bench.durable.number();
  EXPECT_GT(written, 0u);
  bench.run(flush);
  EXPECT_EQ(bench.durable.number(), written);
}

TEST(HostCores, a_flush_takes_along_what_the_program_has_stored_itself) {
  HostBench bench;
  std::memcpy(bench.pool + 70, "hello", 5);
  bench.run({{HostBench::step(Act::flush, bench.pool + 70, nullptr, 1)}});
  EXPECT_EQ(std::memcmp(bench.file.data() + 70, "hello", 5), 0);
  EXPECT_EQ(bench.durable.statistics().bytes, 16u) << "the two words of 8 bytes in which it lies";
}

TEST(HostCores, a_stream_is_durable_at_its_end_and_leaves_no_line_in_the_cache) {
  HostBench bench;
  bench.run({{HostBench::step(Act::copy, bench.pool, bench.source.data() + 9, 4 * kib)}});
  bench.run({{HostBench::step(Act::stream, bench.pool, bench.source.data(), 64 * kib)}});
  EXPECT_EQ(std::memcmp(bench.file.data(), bench.source.data(), 64 * kib), 0);
  bench.run({{HostBench::step(Act::stream, bench.pool, nullptr, 4 * kib)}});
  EXPECT_EQ(std::count(bench.file.begin(), bench.file.begin() + 4 * kib, 0), long{4 * kib}) << "zeros";
}

TEST(HostCores, with_eadr_a_store_is_durable_when_the_cache_has_it) {
  HostBench bench({}, media(true));
  bench.run({{HostBench::step(Act::copy, bench.pool, bench.source.data(), 64 * kib)}});
  EXPECT_EQ(bench.durable_bytes(64 * kib), 64 * kib);
}

/// Cut anywhere, a flush leaves lines that are there whole and lines that are not there at all.
TEST(HostCores, a_flush_that_is_cut_leaves_whole_lines) {
  u64 partly = 0;
  for (u64 cut = 200; cut < 4000; cut += 333) {
    HostBench bench;
    bench.run({{HostBench::step(Act::copy, bench.pool, bench.source.data(), 64 * kib)}});
    const core::Cycle begin = bench.wheel.now();
    bench.cores->start(99, {{HostBench::step(Act::flush, bench.pool, nullptr, 64 * kib, 4)}});
    bench.go(begin + bench.config.wake.count / 1000 + cut);
    u64 there = 0;
    for (u64 line = 0; line < 64 * kib; line += 64) {
      const bool all = std::memcmp(bench.file.data() + line, bench.pool + line, 64) == 0;
      const bool none = std::count(bench.file.begin() + line, bench.file.begin() + line + 64, 0) == 64;
      ASSERT_TRUE(all || none) << "line at " << line;
      there += all;
    }
    partly += there > 0 && there < kib;
    bench.go();
    EXPECT_EQ(bench.durable_bytes(64 * kib), 64 * kib);
  }
  EXPECT_GT(partly, 3u);
}

TEST(HostCores, shares_cover_a_step_once) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const Step step{.act = Act::copy,
                    .threads = 1 + static_cast<u32>(random() % 40),
                    .to = 1'000'000 + random() % 200,
                    .bytes = random() % 5000};
    u64 next = 0;
    for (u32 thread = 0; thread < step.threads; ++thread) {
      const Share share = share_of(step, thread);
      ASSERT_EQ(share.begin, next);
      ASSERT_LE(share.begin, share.end);
      if (share.end != step.bytes) {
        ASSERT_EQ((step.to + share.end) % host_line, 0u);
      }
      next = share.end;
    }
    ASSERT_EQ(next, step.bytes);
  }
}

TEST(HostCores, more_threads_than_cores_take_turns) {
  HostConfig config;
  config.cores = 2;
  config.wake = {0};
  HostBench bench(config);
  const auto compute = [&](u32 threads) {
    return bench.run({{{.act = Act::compute, .threads = threads, .picoseconds = 1'000'000}}});
  };
  EXPECT_EQ(compute(1), 1000u);
  EXPECT_EQ(compute(2), 1000u);
  EXPECT_EQ(compute(3), 2000u);
  EXPECT_EQ(compute(8), 4000u);
}

TEST(HostCores, works_side_by_side_share_the_cores) {
  HostConfig config;
  config.cores = 2;
  HostBench bench(config);
  const Work second{{{.act = Act::compute, .picoseconds = 1'000'000}}};
  for (u64 id = 1; id <= 3; ++id) bench.cores->start(id, second);
  bench.go();
  EXPECT_EQ(bench.over, (std::vector<u64>{1, 2, 3}));
  EXPECT_EQ(bench.wheel.now(), 2000u);
}

/// So many lines under way, each as long as the medium takes to be read: Little's law.
TEST(HostCores, a_core_is_limited_by_its_misses) {
  for (const u32 misses : {1u, 4u, 12u}) {
    HostConfig config;
    config.misses = misses;
    HostBench bench(config);
    std::vector<u8> to(256 * kib);
    const u64 took = bench.run({{HostBench::step(Act::copy, to.data(), bench.pool, to.size())}});
    // A load of the pool: the medium. A store: a line fetched from DRAM, 90 ns.
    const double lines = double(to.size()) / 64, each = 305 + 90;
    EXPECT_NEAR(double(took), lines / misses * each, lines / misses * each * 0.15) << misses;
  }
}

TEST(HostCores, a_full_memory_is_waited_for_and_nothing_is_lost) {
  media::MediaConfig small = media();
  small.nvm.queue = 1;
  small.host_memory.queue = 1;
  HostBench bench({}, small);
  bench.run({{HostBench::step(Act::copy, bench.pool, bench.source.data(), 32 * kib, 8),
              HostBench::step(Act::flush, bench.pool, nullptr, 32 * kib, 8)}});
  EXPECT_EQ(std::memcmp(bench.file.data(), bench.source.data(), 32 * kib), 0);
  EXPECT_GT(bench.cores->statistics().waited_cycles, 0u);
}

TEST(HostCores, what_does_not_fit_into_the_cache_is_durable_before_any_flush) {
  media::MediaConfig small = media();
  small.host_memory.llc = 64_KiB;
  small.host_memory.llc_ways = 4;
  HostBench bench({}, small);
  bench.run({{HostBench::step(Act::copy, bench.pool, bench.source.data(), 512 * kib)}});
  const u64 early = bench.durable_bytes(512 * kib);
  EXPECT_GT(early, 400 * kib);
  EXPECT_LT(early, 512 * kib);
  bench.run({{HostBench::step(Act::flush, bench.pool, nullptr, 512 * kib)}});
  EXPECT_EQ(bench.durable_bytes(512 * kib), 512 * kib);
}

TEST(HostCores, lines_of_memory_push_dirty_lines_of_pools_out_of_the_cache) {
  media::MediaConfig small = media();
  small.host_memory.llc = 16_KiB;
  small.host_memory.llc_ways = 4;
  HostBench bench({}, small);
  bench.run({{HostBench::step(Act::copy, bench.pool, bench.source.data(), 4 * kib)}});
  EXPECT_EQ(bench.durable.number(), 0u);
  std::vector<u8> to(64 * kib);
  bench.run({{HostBench::step(Act::copy, to.data(), bench.source.data(), to.size())}});
  EXPECT_EQ(bench.durable_bytes(4 * kib), 4 * kib);
}

/// Random programs of steps against memcpy, and the file against what the steps promise.
TEST(HostCores, random_work_leaves_the_bytes_that_memcpy_leaves) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 30; ++round) {
    media::MediaConfig config = media(random() % 4 == 0);
    config.host_memory.llc = core::Bytes{u64{16 * kib} << random() % 6};
    config.host_memory.ddio = random() % 2;
    config.nvm.queue = 1 + static_cast<u32>(random() % 64);
    HostConfig host;
    host.cores = 1 + static_cast<u32>(random() % 8);
    host.misses = 1 + static_cast<u32>(random() % 16);
    HostBench bench(host, config);
    std::vector<u8> expected(bench.pool, bench.pool + 256 * kib), must(256 * kib, 0);
    Work work;
    for (int i = 0; i < 12; ++i) {
      const u64 to = random() % (200 * kib), bytes = random() % (40 * kib), from = random() % (200 * kib);
      const u32 threads = 1 + static_cast<u32>(random() % 6);
      const Act act = random() % 3 == 0 ? Act::flush : random() % 2 ? Act::copy : Act::stream;
      const bool zeros = act == Act::stream && random() % 4 == 0;
      work.steps.push_back(
          HostBench::step(act, bench.pool + to, zeros ? nullptr : bench.source.data() + from, bytes, threads));
      if (act == Act::flush) {
        std::fill_n(must.begin() + to, bytes, 1);
        continue;
      }
      for (u64 b = 0; b < bytes; ++b) expected[to + b] = zeros ? 0 : bench.source[from + b];
      std::fill_n(must.begin() + to, bytes, act == Act::stream);
    }
    bench.run(work);
    ASSERT_EQ(std::memcmp(bench.pool, expected.data(), expected.size()), 0) << "round " << round;
    for (u64 b = 0; b < must.size(); ++b) {
      if (must[b]) {
        ASSERT_EQ(bench.file[b], bench.pool[b]) << "round " << round << ", byte " << b;
      }
    }
  }
}

TEST(HostCores, two_runs_take_the_same_time) {
  u64 first = 0;
  for (int i = 0; i < 2; ++i) {
    HostBench bench;
    std::vector<u8> noise(777 * (i + 1));  // the heap looks different
    const u64 took = bench.run({{HostBench::step(Act::copy, bench.pool, bench.source.data(), 300 * kib, 3),
                                 HostBench::step(Act::flush, bench.pool, nullptr, 300 * kib, 5)}});
    if (i) {
      EXPECT_EQ(took, first);
    }
    first = took;
  }
}

}  // namespace
}  // namespace ew::host
