// Owners of words and a home that holds nothing: each race by itself, with the protocol of docs/your-own-protocol.md.
#include <gtest/gtest.h>

#include "../memory/scene.hpp"

namespace ew::coherence {
namespace {

constexpr u64 network = 10;  // BenchNetwork::latency

BenchConfig roomy(u32 lines = 8) {
  BenchConfig config;
  config.cache.bytes = u64{lines} * 128;
  config.cache.drain_after = 0;
  return config;
}
Scene scene(u32 agents = 4) {
  return Scene("owned-words", agents, roomy());
}
bool owned(Scene& s, u32 agent, u64 address) {
  return s.bench.caches[agent]->peek(address).owned;
}
const HomeStatistics home_of(Scene& s) {
  return s.bench.homes[0]->statistics();
}

TEST(Registry, a_line_whose_words_have_three_owners_is_answered_by_all_of_them) {
  Scene s = scene();
  const u64 x = s.line(0);
  for (u32 agent = 0; agent < 3; ++agent) s.write(agent, x + 4 * agent, 10 + agent);
  const auto load = s.load(3, x, weak, 16);
  s.bench.run();
  EXPECT_EQ(home_of(s).forwards, 3u);
  EXPECT_EQ(home_of(s).held_cycles, 0u);
  for (u32 word = 0; word < 4; ++word) EXPECT_EQ(s.bench.caches[3]->peek(x + 4 * word).value, word < 3 ? 10 + word : 0);
  EXPECT_TRUE(s.done(3, load).completed);
  for (u32 agent = 0; agent < 3; ++agent) EXPECT_TRUE(owned(s, agent, x + 4 * agent)) << "a reader takes nothing away";
}

TEST(Registry, a_forward_that_comes_before_the_words_waits_for_them) {
  Scene s = scene();
  const u64 x = s.line(0);
  s.write(0, x, 5);
  s.slow = [](Node from, Node to, const Request& r) {
    return from == 0 && to == 1 && r.kind == RequestKind::data ? 400 : 0;
  };
  const auto second = s.add(1, x, 1);
  s.bench.run(50);
  const auto third = s.add(2, x, 1);
  s.bench.run(100);
  EXPECT_FALSE(s.done(1, second).performed);
  EXPECT_NE(s.bench.what_is_under_way().find("1 requests of others wait for its own"), std::string::npos);
  s.bench.run();
  EXPECT_EQ(s.done(1, second).value, 5u);
  EXPECT_EQ(s.done(2, third).value, 6u);
  EXPECT_EQ(s.read(3, x, strong), 7u);
}

TEST(Registry, one_hand_over_costs_one_leg_between_owners) {
  Scene s = scene(8);
  const u64 x = s.line(0);
  s.write(0, x, 0);
  std::vector<Scene::Handle> adds;
  for (u32 agent = 1; agent < 8; ++agent) adds.push_back(s.add(agent, x, 1));
  s.bench.run();
  for (u32 i = 0; i < 7; ++i) {
    EXPECT_EQ(s.done(i + 1, adds[i]).value, i) << "in the order of arrival";
    if (i) {
      EXPECT_EQ(s.done(i + 1, adds[i]).when - s.done(i, adds[i - 1]).when, network);
    }
  }
  EXPECT_EQ(home_of(s).held_cycles, 0u);
}

/// The home sends a request on to an owner whose write-back is under way: the owner answers, whatever the home does
/// with the write-back.
TEST(Registry, an_owner_answers_until_its_write_back_is_taken) {
  for (const bool takes : {false, true}) {
    Scene s("owned-words", 3, roomy(2));  // two ways
    const u64 x = s.line(0);
    s.write(0, x, 7);
    s.slow = [](Node from, Node, const Request& r) {
      return from == 0 && r.kind == RequestKind::write_back && r.words == 1 ? 600 : 0;
    };
    s.store(0, s.line(1), 1), s.bench.run(60);
    s.store(0, s.line(2), 1), s.bench.run(60);
    EXPECT_FALSE(s.bench.caches[0]->peek(x).valid) << "on its way back";
    const auto other = takes ? s.add(1, x, 1) : s.load(1, x);
    s.bench.run(100);
    EXPECT_EQ(s.done(1, other).value, 7u);
    EXPECT_EQ(s.image(x), 0u) << "the write-back has not come";
    s.bench.run();
    EXPECT_EQ(s.image(x), takes ? 0u : 7u) << "what another agent owns by now is not taken";
    s.flush(1);
    EXPECT_EQ(s.image(x), takes ? 8u : 7u);
    EXPECT_EQ(s.read(2, x), takes ? 8u : 7u);
  }
}

TEST(Registry, words_that_are_written_whole_come_without_content) {
  Scene s = scene(2);
  for (u32 word = 0; word < 16; ++word) s.write(0, s.line(0) + 4 * word, word + 1);
  s.write(0, s.line(1), 0x1111'2222'3333'4444, weak, 8);
  EXPECT_EQ(s.bench.devices[0]->statistics().reads, 0u);
  EXPECT_EQ(home_of(s).sectors_fetched, 0u);
  s.write(0, s.line(2) + 2, 9, weak, 2);
  EXPECT_EQ(home_of(s).sectors_fetched, 1u) << "half a word needs the other half";
  EXPECT_EQ(s.read(1, s.line(0) + 20), 6u);
  EXPECT_EQ(s.read(1, s.line(1) + 4), 0x1111'2222u);
  EXPECT_EQ(s.read(1, s.line(2)), 0x0009'0000u);
}

TEST(Registry, owners_of_alternate_words_do_not_disturb_each_other) {
  Scene s = scene(2);
  u64 after_the_first = 0;
  for (u32 round = 0; round < 4; ++round) {
    for (u32 word = 0; word < 32; ++word) s.write(word % 2, s.line(0) + 4 * word, round * 100 + word);
    if (!round) after_the_first = home_of(s).owns;
  }
  EXPECT_EQ(after_the_first, 32u);
  EXPECT_EQ(home_of(s).owns, 32u);
}

TEST(Registry, an_acquire_leaves_owned_words) {
  Scene s = scene(2);
  const u64 mine = s.line(0), other = mine + 64;
  s.write(0, mine, 1);
  EXPECT_EQ(s.read(0, other), 0u);
  s.acquire(0);
  EXPECT_TRUE(s.bench.caches[0]->peek(mine).valid);
  EXPECT_FALSE(s.bench.caches[0]->peek(other).valid);
}

/// A line with a request under way stays at a flush. Its bytes are cleaned when the request is over, and its words stay
/// owned.
TEST(Registry, a_flush_cleans_what_must_stay) {
  Scene s = scene(2);
  const u64 x = s.line(0);
  s.write(0, x, 3);
  s.slow = [](Node from, Node to, const Request& r) {
    return from == 2 && to == 0 && r.kind == RequestKind::data ? 300 : 0;
  };
  s.store(0, x + 4, 4);
  EXPECT_FALSE(s.bench.caches[0]->end_kernel(1));
  s.bench.run(200);
  EXPECT_EQ(s.image(x), 0u);
  s.bench.run();
  EXPECT_EQ(s.hands[0].releases, std::vector<u32>{1});
  EXPECT_EQ(s.image(x), 3u);
  EXPECT_TRUE(owned(s, 0, x));
  EXPECT_EQ(s.add(1, x, 1).accepted, Accepted::pending);
  s.bench.run();
  s.flush(1);
  EXPECT_EQ(s.image(x), 4u);
}

/// While the home has not taken the bytes, a new owner must write them back itself.
TEST(Registry, bytes_that_are_being_cleaned_are_dirty_at_a_new_owner) {
  Scene s = scene(3);
  const u64 x = s.line(0);
  s.write(0, x, 3);
  s.slow = [](Node from, Node, const Request& r) { return from == 0 && r.kind == RequestKind::clean ? 900 : 0; };
  const auto pending = s.load(0, x + 64);  // keeps the line at the flush
  EXPECT_FALSE(s.bench.caches[0]->end_kernel(1));
  const auto taken = s.add(1, x, 1);
  s.bench.run(300);
  EXPECT_TRUE(s.done(0, pending).performed);
  EXPECT_EQ(s.done(1, taken).value, 3u);
  s.flush(1);
  EXPECT_EQ(s.image(x), 4u);
  s.bench.run();
  EXPECT_EQ(s.image(x), 4u) << "the old bytes came, and were not taken";
}

/// Each agent has one of the words that both want.
TEST(Registry, atomics_of_two_words_on_words_of_each_other_go_on) {
  Scene s = scene(2);
  const u64 x = s.line(0);
  s.write(0, x, 0);
  s.write(1, x + 4, 0);
  for (u32 round = 0; round < 20; ++round) {
    const auto first = s.access(0, AccessKind::atomic, x, 8, 1, strong);
    const auto second = s.access(1, AccessKind::atomic, x, 8, 1, strong);
    s.bench.run(5'000);
    ASSERT_TRUE(s.done(0, first).performed && s.done(1, second).performed) << s.bench.what_is_under_way();
  }
  EXPECT_EQ(s.read(0, x, strong), 40u);
}

TEST(Registry, keeps_a_tag_with_each_owner_and_asks_with_it) {
  LineRecord record;
  const auto decide = [&](RequestKind kind, AgentId from, WordMask words, u16 tag) {
    Request request{.words = words, .origin = from, .kind = kind};
    request.content = words;
    request.tag = tag;
    Decision decision;
    registry().at_home(request, record, decision);
    return decision;
  };
  EXPECT_EQ(decide(RequestKind::own, 3, 0b0011, 70).granted, 0b0011u);
  EXPECT_EQ(decide(RequestKind::own, 3, 0b0100, 71).granted, 0b0100u);
  const Decision read = decide(RequestKind::read, 5, 0b1111, 0);
  EXPECT_EQ(read.granted, 0b1000u);
  ASSERT_EQ(read.owners().size(), 2u);
  EXPECT_EQ(read.owners()[0].owner, 3u);
  EXPECT_EQ(read.owners()[0].tag, 70u);
  EXPECT_EQ(read.owners()[0].words, 0b0011u);
  EXPECT_EQ(read.owners()[1].tag, 71u);
  EXPECT_EQ(read.owners()[1].words, 0b0100u);
  const Decision again = decide(RequestKind::own, 3, 0b0001, 72);
  EXPECT_EQ(again.kept, 0b0001u) << "the content is there already";
  EXPECT_EQ(decide(RequestKind::write_back, 4, 0b0001, 0).granted, 0u) << "of one who owns it no more";
  EXPECT_EQ(decide(RequestKind::clean, 3, 0b0001, 0).granted, 0b0001u);
  EXPECT_EQ(record.owner[0], 3u);
  EXPECT_EQ(decide(RequestKind::write_back, 3, 0b0111, 0).granted, 0b0111u);
  EXPECT_EQ(record.owner[0], no_agent);
}

}  // namespace
}  // namespace ew::coherence
