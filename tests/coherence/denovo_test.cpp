// DeNovoA: what makes it worth having, each by itself. Stores are performed at once and register their words later,
// without data.
#include <gtest/gtest.h>

#include "../memory/scene.hpp"

namespace ew::coherence {
namespace {

constexpr u64 network = 10;  // BenchNetwork::latency

Scene scene(u32 agents = 4, u32 lines = 16) {
  BenchConfig config;
  config.cache.bytes = u64{lines} * 128;
  config.cache.write_buffer = 64;
  config.cache.drain_after = 0;
  config.region = Region::device;
  return Scene("denovo", agents, config);
}
HomeStatistics home_of(Scene& s) {
  return s.bench.homes[0]->statistics();
}
bool owned(Scene& s, u32 agent, u64 address) {
  return s.bench.caches[agent]->peek(address).owned;
}

TEST(DeNovo, a_store_is_performed_at_once_and_owned_at_the_release) {
  Scene s = scene();
  const u64 x = s.line(0);
  EXPECT_EQ(s.store(0, x, 7).accepted, Accepted::performed);
  s.bench.run();
  EXPECT_EQ(home_of(s).owns, 0u) << "the write buffer keeps it";
  EXPECT_EQ(s.read(0, x), 7u);
  EXPECT_EQ(s.read(1, x), 0u) << "nobody else has seen it";
  s.release(0);
  EXPECT_EQ(home_of(s).owns, 1u);
  EXPECT_TRUE(owned(s, 0, x));
  EXPECT_EQ(s.image(x), 0u) << "the bytes stay where they are";
  s.acquire(1);
  EXPECT_EQ(s.read(1, x), 7u);
}

TEST(DeNovo, streaming_writes_fetch_nothing) {
  Scene s = scene();
  for (u32 line = 0; line < 12; ++line)
    for (u32 word = 0; word < 32; ++word) s.write(0, s.line(line) + 4 * word, line * 100 + word);
  s.release(0);
  EXPECT_EQ(s.bench.devices[0]->statistics().reads, 0u);
  EXPECT_EQ(home_of(s).sectors_fetched, 0u);
  EXPECT_EQ(home_of(s).writes, 0u);
  EXPECT_EQ(home_of(s).owns, 12u) << "one request a line";
  EXPECT_EQ(s.read(1, s.line(3) + 20, strong), 305u);
}

TEST(DeNovo, writers_of_alternate_words_register_once) {
  Scene s = scene(2);
  for (u32 round = 0; round < 5; ++round) {
    for (u32 word = 0; word < 32; ++word) s.write(word % 2, s.line(0) + 4 * word, round * 100 + word);
    s.release(0), s.release(1);
    EXPECT_EQ(home_of(s).owns, 2u) << "round " << round;
    s.acquire(0), s.acquire(1);
  }
  EXPECT_EQ(home_of(s).forwards, 0u);
}

TEST(DeNovo, a_contended_atomic_holds_no_home_and_is_handed_over_in_one_leg) {
  Scene s = scene(15);
  const u64 x = s.line(0);
  s.write(0, x, 0);
  s.release(0);
  std::vector<Scene::Handle> adds;
  for (u32 agent = 1; agent < 15; ++agent) adds.push_back(s.add(agent, x, 1));
  s.bench.run();
  for (u32 i = 0; i < 14; ++i) {
    EXPECT_EQ(s.done(i + 1, adds[i]).value, i);
    if (i) {
      EXPECT_EQ(s.done(i + 1, adds[i]).when - s.done(i, adds[i - 1]).when, network);
    }
  }
  EXPECT_EQ(home_of(s).held_cycles, 0u);
}

/// Thesis, section 2.4: those who wait in the owner's MSHR come before requests that the home has sent on.
TEST(DeNovo, an_agents_own_atomics_come_before_requests_of_others) {
  Scene s = scene(3);
  const u64 x = s.line(0);
  s.write(2, x, 0);
  s.release(2);
  const auto first = s.add(0, x, 1);
  s.bench.run(2);
  const auto other = s.add(1, x, 1);
  s.bench.run(15);  // the home has sent it on
  const auto second = s.add(0, x, 1);
  s.bench.run();
  EXPECT_EQ(s.done(0, first).value, 0u);
  EXPECT_EQ(s.done(0, second).value, 1u);
  EXPECT_EQ(s.done(1, other).value, 2u);
}

TEST(DeNovo, a_word_is_read_and_written_while_it_is_being_registered) {
  Scene s = scene(2);
  const u64 x = s.line(0);
  s.slow = [](Node from, Node to, const Request& r) {
    return from == 2 && to == 0 && r.kind == RequestKind::data ? 500 : 0;
  };
  s.store(0, x, 1);
  EXPECT_FALSE(s.bench.caches[0]->release(Scope::gpu, 1));
  s.bench.run(100);
  const auto load = s.load(0, x);
  EXPECT_EQ(load.accepted, Accepted::performed);
  EXPECT_EQ(s.done(0, load).value, 1u);
  EXPECT_EQ(s.store(0, x, 2).accepted, Accepted::performed);
  s.bench.run();
  EXPECT_EQ(home_of(s).owns, 1u) << "the second store needs none of its own";
  EXPECT_EQ(s.hands[0].releases, std::vector<u32>{1});
  EXPECT_EQ(s.read(1, x, strong), 2u);
}

/// The home puts both requests in an order; the second writer has the last word, and its line forgets the first's.
TEST(DeNovo, two_writers_of_a_word_lose_nothing_but_the_first_value) {
  for (const bool late : {false, true}) {
    Scene s = scene(3);
    const u64 x = s.line(0);
    s.slow = [&](Node from, Node, const Request& r) {
      return late && from == 0 && r.kind == RequestKind::own ? 300 : 0;
    };
    s.store(0, x, 10), s.store(0, x + 4, 11);
    s.store(1, x, 20), s.store(1, x + 8, 21);
    s.bench.caches[0]->release(Scope::gpu, 1);
    s.bench.caches[1]->release(Scope::gpu, 2);
    s.bench.run();
    EXPECT_EQ(s.read(2, x, strong), late ? 10u : 20u);
    EXPECT_EQ(s.read(2, x + 4, strong), 11u);
    EXPECT_EQ(s.read(2, x + 8, strong), 21u);
  }
}

TEST(DeNovo, part_of_a_word_is_owned_first_with_its_content) {
  Scene s = scene(2);
  const u64 x = s.line(0);
  s.write(0, x, 0x1111'1111);
  s.release(0);
  EXPECT_EQ(s.store(1, x + 2, 0x2222, weak, 2).accepted, Accepted::pending);
  s.bench.run();
  EXPECT_TRUE(owned(s, 1, x));
  EXPECT_EQ(s.read(0, x, strong), 0x2222'1111u);
}

TEST(DeNovo, a_line_that_is_evicted_before_its_words_are_registered_is_written_through) {
  Scene s = scene(2, 2);
  s.write(0, s.line(0), 5), s.write(0, s.line(1), 6), s.write(0, s.line(2), 7), s.write(0, s.line(3), 8);
  EXPECT_EQ(home_of(s).writes, 2u);
  s.release(0);
  for (u32 line = 0; line < 4; ++line) EXPECT_EQ(s.read(1, s.line(line), strong), 5 + line);
}

/// A load that joined a registration outlives it. The next registrations find MSHRs all the same.
TEST(DeNovo, registrations_never_wait_for_loads_that_joined_others) {
  BenchConfig config;
  config.cache.bytes = 16 * 128;
  config.cache.write_buffer = 2;
  config.cache.drain_after = 0;
  config.region = Region::device;
  Scene s("denovo", 2, config);
  for (u32 line = 0; line < 12; ++line) s.write(1, s.line(line) + 64, line), s.release(1);
  s.slow = [](Node from, Node to, const Request&) { return from == 1 && to == 0 ? 2000 : 0; };
  std::vector<Scene::Handle> loads;
  for (u32 line = 0; line < 12; ++line) {
    EXPECT_EQ(s.store(0, s.line(line), line).accepted, Accepted::performed);
    s.bench.caches[0]->release(Scope::gpu, line);
    loads.push_back(s.load(0, s.line(line) + 64));
    s.bench.run(60);
    EXPECT_EQ(s.hands[0].releases.size(), line + 1);
  }
  s.bench.run();
  for (u32 line = 0; line < 12; ++line) EXPECT_EQ(s.done(0, loads[line]).value, line);
}

// Each failed attempt at a lock is an acquire: the lock's read-only data were fetched anew for each critical section.
TEST(DeNovo, what_is_read_only_outlives_an_acquire_that_passes_while_it_is_on_its_way) {
  constexpr Options read_only{.read_only = true, .scope = Scope::none};
  for (const char* protocol : {"denovo-ro", "denovo"}) {
    Scene s(protocol, 2);
    const u64 x = s.line(1), y = x + 4;
    s.bench.caches[0]->begin_kernel();
    const auto look = s.load(0, x, read_only), other = s.load(0, y);
    s.acquire(0);
    s.bench.run();
    EXPECT_TRUE(s.done(0, look).performed && s.done(0, other).performed);
    const bool keeps = s.bench.model.agent.keeps_read_only;
    EXPECT_EQ(s.bench.caches[0]->peek(x).valid, keeps) << protocol;
    EXPECT_FALSE(s.bench.caches[0]->peek(y).valid) << "ordinary, and may be old";
    const auto late = s.load(0, x + 8, read_only);
    s.bench.caches[0]->begin_kernel();
    s.value(0, late);
    EXPECT_FALSE(s.bench.caches[0]->peek(x + 8).valid) << "of the kernel before";
  }
}

TEST(DeNovo, a_second_kernel_over_the_same_array_sends_no_registration) {
  Scene s = scene(2);
  for (u32 kernel = 0; kernel < 3; ++kernel) {
    for (u32 word = 0; word < 64; ++word) {
      s.bench.caches[0]->acquire(Scope::sys);  // as at its begin
      s.write(0, s.line(0) + 4 * word, kernel + word);
    }
    EXPECT_EQ(s.read(0, s.line(4)), 0u);
    s.flush(0);
    EXPECT_EQ(home_of(s).owns, 2u) << "kernel " << kernel;
    EXPECT_FALSE(s.bench.caches[0]->peek(s.line(4)).valid) << "a copy that may be stale";
  }
  EXPECT_EQ(s.bench.caches[0]->statistics().lines_recalled, 0u);
  EXPECT_EQ(s.read(1, s.line(1)), 2u + 32);
}

}  // namespace
}  // namespace ew::coherence
