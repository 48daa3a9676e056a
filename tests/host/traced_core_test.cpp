// Traced code on the host's cores: what is durable when, whose caches have a line, and what the time follows from.
#include "host/traced_core.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <random>

#include "host/sharers.hpp"
#include "host_bench.hpp"

namespace ew::host {
namespace {

constexpr u64 kib = 1024;

/// Threads of a program, as `ew build --trace-host` has them.
class TracedBench : public HostBench {
 public:
  using HostBench::HostBench;
  using Body = std::function<void(TracedCore&, unsigned thread)>;

  u64 run_threads(u32 threads, Body body) {
    return run(
        {{{.act = Act::traced,
           .threads = threads,
           .from = reinterpret_cast<u64>(&body),
           .body = [](void* body, unsigned thread) { (*static_cast<Body*>(body))(*TracedCore::running(), thread); }}}});
  }
  u64* word(u64 index) const { return reinterpret_cast<u64*>(pool) + index; }
  void store(TracedCore& core, u64 index, u64 value) const {
    core.instructions(1);
    core.access(reinterpret_cast<u64>(word(index)), 8, true);
    *word(index) = value;
  }
  void load(TracedCore& core, u64 index) const {
    core.instructions(1);
    core.access(reinterpret_cast<u64>(word(index)), 8, false);
  }
  void flush(TracedCore& core, u64 index) const { core.flush(reinterpret_cast<u64>(word(index))); }
  u64 durable_word(u64 index) const {
    u64 value = 0;
    std::memcpy(&value, &file[index * 8], 8);
    return value;
  }
};

TEST(TracedCore, a_store_is_in_the_cores_own_caches_and_not_durable) {
  TracedBench bench;
  bench.run_threads(1, [&](TracedCore& core, unsigned) {
    bench.store(core, 3, 7);
    core.fence();
  });
  EXPECT_EQ(bench.durable.number(), 0u) << "a fence alone makes nothing durable";
  bench.run({{HostBench::step(Act::flush, bench.pool, nullptr, 64)}});
  EXPECT_EQ(bench.durable_word(3), 7u);
}

TEST(TracedCore, a_clwb_without_a_fence_is_not_durable_and_behind_a_fence_it_is) {
  TracedBench bench;
  bench.run_threads(1, [&](TracedCore& core, unsigned) {
    bench.store(core, 3, 7);
    bench.flush(core, 3);
    EXPECT_EQ(bench.durable_word(3), 0u);
    core.fence();
    EXPECT_EQ(bench.durable_word(3), 7u);
    bench.store(core, 3, 8);
    EXPECT_EQ(bench.durable_word(3), 7u);
  });
}

// nvm.repeated_flush: ten words, each durable before the next is stored.
u64 time_of_ten_words(u64 step, u64 wait_ns) {
  media::MediaConfig media;
  media.nvm.repeated_flush = core::Picoseconds{wait_ns * 1000};
  TracedBench bench({}, media);
  const u64 time = bench.run_threads(1, [&](TracedCore& core, unsigned) {
    for (u64 i = 0; i < 10; ++i) {
      bench.store(core, i * step, i + 1);
      bench.flush(core, i * step);
      core.fence();
    }
  });
  EXPECT_EQ(bench.durable_word(9 * step), 10u);
  return time;
}
TEST(TracedCore, a_line_that_is_flushed_again_waits_where_the_machine_says_so) {
  const u64 of_one_line = time_of_ten_words(0, 0), of_ten_lines = time_of_ten_words(8, 0);
  EXPECT_GE(time_of_ten_words(0, 5000), 9 * 5000u);
  EXPECT_LT(time_of_ten_words(0, 5000), 9 * 5000u + of_one_line);
  EXPECT_EQ(time_of_ten_words(8, 5000), of_ten_lines) << "other lines do not wait";
}

TEST(TracedCore, as_many_bytes_become_durable_as_the_program_stores) {
  TracedBench bench;
  bench.run_threads(4, [&](TracedCore& core, unsigned thread) {
    for (u64 i = 0; i < 1000; ++i) {
      bench.store(core, thread * 1000 + i, i + 1);
      if (i % 8 == 7) bench.flush(core, thread * 1000 + i);
    }
    core.fence();
  });
  EXPECT_EQ(bench.durable.statistics().bytes, 4u * 1000 * 8);
  EXPECT_EQ(bench.durable.statistics().writes, 4u * 125) << "a line at a time";
}

TEST(TracedCore, a_non_temporal_store_fetches_nothing_and_is_durable_behind_a_fence) {
  TracedBench bench;
  bench.run_threads(1, [&](TracedCore& core, unsigned) {
    for (u64 i = 0; i < 20; ++i) {
      *bench.word(i) = i + 1;
      core.streamed(reinterpret_cast<u64>(bench.word(i)), 8);
    }
    EXPECT_EQ(bench.durable_word(19), 0u) << "half a line waits for more";
    core.fence();
    for (u64 i = 0; i < 20; ++i) EXPECT_EQ(bench.durable_word(i), i + 1);
  });
  EXPECT_EQ(bench.durable.statistics().bytes, 160u);
  EXPECT_EQ(bench.nvm->statistics().read_bytes, 0u);
  EXPECT_EQ(bench.cores->statistics().lines_streamed, 3u);
}

TEST(TracedCore, a_line_leaves_the_others_when_one_stores_to_it) {
  TracedBench bench;
  bench.run_threads(2, [&](TracedCore& core, unsigned thread) {
    for (u64 i = 0; i < 100; ++i) {
      bench.store(core, thread, i + 1);
      core.spin();
    }
  });
  EXPECT_GT(bench.cores->statistics().own_invalidations, 50u);
  TracedBench apart;
  apart.run_threads(2, [&](TracedCore& core, unsigned thread) {
    for (u64 i = 0; i < 100; ++i) {
      apart.store(core, thread * 8, i + 1);
      core.spin();
    }
  });
  EXPECT_EQ(apart.cores->statistics().own_invalidations, 0u);
}

TEST(TracedCore, a_thread_that_polls_sees_what_another_stores_and_time_passes_meanwhile) {
  TracedBench bench;
  u64 polls = 0;
  bench.run_threads(2, [&](TracedCore& core, unsigned thread) {
    if (thread == 0) {
      core.instructions(112'000);  // 10 us
      return bench.store(core, 0, 1);
    }
    for (; *bench.word(0) == 0; ++polls) bench.load(core, 0), core.instructions(10);
  });
  EXPECT_GT(polls, 1000u);
  EXPECT_LT(polls, 100'000u);
}

u64 loads(const HostConfig& config, u64 count, u64 stride) {
  TracedBench bench(config);
  return bench.run_threads(1, [&](TracedCore& core, unsigned) {
    for (u64 i = 0; i < count; ++i) bench.load(core, i * stride / 8);
  });
}

TEST(TracedCore, loads_within_the_window_wait_together) {
  HostConfig one{.window = 1}, many{.window = 224};
  const u64 single = loads(many, 1, 8 * kib), alone = loads(one, 12, 8 * kib), together = loads(many, 12, 8 * kib);
  EXPECT_GT(alone, 10 * single);
  EXPECT_LT(together, 2 * single);
  EXPECT_GT(loads(many, 24, 8 * kib), together + single / 2) << "12 lines are under way, and no more";
}

TEST(TracedCore, the_prefetcher_fetches_lines_that_are_used_in_order) {
  HostConfig without{.window = 8, .prefetch_ahead = 0}, with{.window = 8};
  EXPECT_GT(loads(without, 4096, 8), 3 * loads(with, 4096, 8));
}

TEST(TracedCore, instructions_take_time_by_the_issue_width) {
  const auto time = [](u32 width) {
    TracedBench bench(HostConfig{.issue_width = width});
    return bench.run_threads(1, [](TracedCore& core, unsigned) {
      for (int i = 0; i < 1000; ++i) core.instructions(28);
    });
  };
  EXPECT_NEAR(static_cast<double>(time(1)), 10'000, 2) << "28,000 at 2.8 GHz";
  EXPECT_NEAR(static_cast<double>(time(4)), 2'500, 2);
}

TEST(TracedCore, a_clwb_takes_its_cycles_whatever_is_there_to_flush) {
  const auto time = [](u32 cycles) {
    TracedBench bench(HostConfig{.flush_cycles = cycles});
    return bench.run_threads(1, [](TracedCore& core, unsigned) {
      u64 own = 0;  // on the thread's stack: not followed
      for (int i = 0; i < 1000; ++i) core.flush(reinterpret_cast<u64>(&own));
    });
  };
  EXPECT_NEAR(static_cast<double>(time(56)), 20'000, 2) << "56,000 cycles at 2.8 GHz";
  EXPECT_NEAR(static_cast<double>(time(28)), 10'000, 2);
}

// An access begins when the instructions before it are over, though the core has run them ahead of the machine's time.
TEST(TracedCore, memory_is_asked_when_the_instructions_before_are_over) {
  const auto time = [](u64 instructions, bool flushes) {
    HostConfig config;
    config.issue_width = config.flush_cycles = 1;
    TracedBench bench(config);
    return bench.run_threads(1, [&](TracedCore& core, unsigned) {
      core.instructions(instructions);
      flushes ? bench.flush(core, 0) : bench.load(core, 0);
      core.fence();
    });
  };
  for (const bool flushes : {false, true}) {
    for (const u64 instructions : {56, 280, 28'000})
      EXPECT_NEAR(static_cast<double>(time(instructions, flushes) - time(0, flushes)), instructions / 2.8, 2)
          << flushes;
  }
}

TEST(TracedCore, a_thread_ends_when_what_it_has_begun_is_over) {
  TracedBench bench;
  const u64 fenced = bench.run_threads(1, [&](TracedCore& core, unsigned) {
    bench.store(core, 0, 1);
    bench.flush(core, 0);
    core.fence();
  });
  TracedBench other;
  const u64 open = other.run_threads(1, [&](TracedCore& core, unsigned) {
    other.store(core, 0, 1);
    other.flush(core, 0);
  });
  EXPECT_EQ(other.durable_word(0), 1u) << "the flush was not waited for";
  EXPECT_LE(open, fenced);
  EXPECT_GT(open, fenced / 2);
}

// A line that two cores have read stays in the caches of both: reading it again asks nobody.
TEST(TracedCore, a_line_that_is_shared_is_read_from_the_cores_own_caches) {
  const auto time = [](u64 rounds) {
    TracedBench bench(HostConfig{.cores = 2, .prefetch_ahead = 0});
    return bench.run_threads(2, [&](TracedCore& core, unsigned) {
      for (u64 i = 0; i < rounds; ++i) bench.load(core, 0), bench.load(core, 512);
    });
  };
  EXPECT_LT(time(1000) - time(1), 1000u) << "2,000 loads of an instruction each";
}

/// Stores and flushes of 256 KiB by so many threads.
u64 persist(u32 threads, HostStatistics* statistics = nullptr) {
  HostConfig config{.cores = 64, .flush_cycles = 60};
  TracedBench bench(config);
  const u64 each = 32 * kib / threads;
  const u64 time = bench.run_threads(threads, [&](TracedCore& core, unsigned thread) {
    for (u64 i = thread * each; i < (thread + 1) * each; ++i) {
      bench.store(core, i, i + 1);
      if (i % 8 == 7) bench.flush(core, i);
    }
    core.fence();
  });
  if (statistics) *statistics = bench.cores->statistics();
  return time;
}

TEST(TracedCore, more_threads_are_faster_until_the_medium_is_the_bottleneck) {
  const u64 one = persist(1), two = persist(2), sixteen = persist(16), all = persist(64);
  EXPECT_GT(one, two + two / 3);
  EXPECT_GT(two, sixteen);
  EXPECT_LT(sixteen, all + all / 4);
  EXPECT_LT(all, sixteen + sixteen / 2);
}

TEST(TracedCore, a_run_repeats) {
  HostStatistics first, second;
  EXPECT_EQ(persist(7, &first), persist(7, &second));
  HostStatistics::fields(first, [&](const char* name, u64 value, auto&&...) {
    HostStatistics::fields(second, [&](const char* other, u64 again, auto&&...) {
      if (!std::strcmp(name, other)) EXPECT_EQ(value, again) << name;
    });
  });
}

// Four threads store to words of their own in lines that they share, with caches of 16 lines. At any time a word in the
// file is one that its thread has stored, not older than its last fenced flush.
TEST(TracedCore, random_programs_lose_nothing_that_was_fenced) {
  for (u32 seed = 0; seed < 8; ++seed) {
    TracedBench bench(HostConfig{.own_cache = core::Bytes{1024}, .own_ways = 2});
    constexpr u64 words = 512;
    std::vector<u64> fenced(words), stored(words);
    bench.run_threads(4, [&](TracedCore& core, unsigned thread) {
      std::mt19937 random(seed * 4 + thread);
      for (u64 step = 1; step < 1500; ++step) {
        const u64 word = random() % (words / 4) * 4 + thread;
        switch (random() % 6) {
          case 0:
          case 1:
            bench.store(core, word, stored[word] = step);
            break;
          case 2:
            bench.load(core, random() % words);
            break;
          case 3:
            bench.flush(core, word);
            break;
          case 4:
            core.fence();
            break;
          case 5:
            *bench.word(word) = stored[word] = step;
            core.streamed(reinterpret_cast<u64>(bench.word(word)), 8);
            break;
        }
        if (random() % 16 != 0) continue;
        bench.flush(core, word);
        core.fence();
        fenced[word] = stored[word];
        for (u64 i = thread; i < words; i += 4) {
          EXPECT_GE(bench.durable_word(i), fenced[i]) << "seed " << seed << ", word " << i << ", step " << step;
          EXPECT_LE(bench.durable_word(i), stored[i]) << "seed " << seed << ", word " << i << ", step " << step;
        }
      }
      for (u64 i = thread; i < words; i += 4) bench.flush(core, i);
      core.fence();
    });
    for (u64 i = 0; i < words; ++i) EXPECT_EQ(bench.durable_word(i), stored[i]) << "seed " << seed << ", word " << i;
  }
}

TEST(Sharers, agree_with_a_map) {
  Sharers sharers(256);
  std::map<u64, u64> want;
  std::mt19937_64 random(5);
  for (int step = 0; step < 100'000; ++step) {
    const u64 key = random() % 200 * 64;
    const u32 core = static_cast<u32>(random() % 64);
    if (want[key] >> core & 1) {
      sharers.remove(key, core);
      want[key] &= ~(u64{1} << core);
    } else {
      sharers.add(key, core);
      want[key] |= u64{1} << core;
    }
    ASSERT_EQ(sharers.of(key), want[key]) << step;
  }
  for (const auto& [key, cores] : want) EXPECT_EQ(sharers.of(key), cores);
}

}  // namespace
}  // namespace ew::host
