// Each race by itself: agents that do one thing after the other, and messages that a test can hold back.
#include <gtest/gtest.h>

#include <algorithm>

#include "../memory/scene.hpp"
#include "table_mistakes.hpp"

namespace ew::coherence {
namespace {

BenchConfig long_buffer() {
  BenchConfig config;
  config.cache.drain_after = 0;
  return config;
}

TEST(Gpu, a_cached_load_is_stale_until_an_acquire) {
  Scene s("gpu");
  const u64 x = s.line(0);
  EXPECT_EQ(s.read(0, x), 0u);
  s.write(1, x, 5, strong);
  EXPECT_EQ(s.image(x), 5u);
  EXPECT_EQ(s.read(0, x), 0u) << "no fence, no news";
  EXPECT_EQ(s.read(0, x, strong), 5u);
  EXPECT_EQ(s.read(0, x), 5u);
  s.write(1, x, 6, strong);
  s.bench.caches[0]->acquire(Scope::cta);
  EXPECT_EQ(s.read(0, x), 5u) << "an acquire of the block's scope leaves copies";
  s.acquire(0);
  EXPECT_EQ(s.read(0, x), 6u);
}

TEST(Mesi, a_cached_load_is_never_stale) {
  Scene s("mesi");
  const u64 x = s.line(0);
  EXPECT_EQ(s.read(0, x), 0u);
  s.write(1, x, 5);
  EXPECT_EQ(s.read(0, x), 5u);
  EXPECT_EQ(s.read(2, x), 5u);
  s.write(0, x, 6);
  EXPECT_EQ(s.read(1, x), 6u);
  EXPECT_EQ(s.read(2, x), 6u);
}

TEST(NoneL1, every_load_is_the_images) {
  Scene s("none-l1");
  const u64 x = s.line(0);
  EXPECT_EQ(s.read(0, x), 0u);
  s.write(1, x, 5);
  EXPECT_EQ(s.read(0, x), 5u);
  EXPECT_FALSE(s.bench.caches[0]->peek(x).valid);
}

TEST(NoneL1, read_only_copies_end_at_an_acquire) {
  Scene s("none-l1");
  const u64 x = s.line(0);
  const Options read_only{.read_only = true, .scope = Scope::none};
  EXPECT_EQ(s.read(0, x, read_only), 0u);
  s.write(1, x, 5);
  EXPECT_EQ(s.read(0, x, read_only), 0u) << "kept";
  s.acquire(0);
  EXPECT_EQ(s.read(0, x, read_only), 5u);
}

TEST(Gpu, message_passing_needs_both_fences) {
  for (const bool with_release : {false, true})
    for (const bool with_acquire : {false, true}) {
      Scene s("gpu", 2, long_buffer());
      const u64 data = s.line(0), flag = s.line(1);
      EXPECT_EQ(s.read(1, data), 0u);  // a copy that will be stale
      s.write(0, data, 42);
      if (with_release) s.release(0);
      s.write(0, flag, 1, strong);
      EXPECT_EQ(s.read(1, flag, strong), 1u);
      if (with_acquire) s.acquire(1);
      EXPECT_EQ(s.read(1, data), with_release && with_acquire ? 42u : 0u);
    }
}

TEST(Gpu, a_release_waits_for_the_writes_before_it_only) {
  Scene s("gpu", 1, long_buffer());
  s.slow = [&](Node from, Node, const Request& r) { return from == 0 && r.kind == RequestKind::write ? 500 : 0; };
  s.store(0, s.line(0), 1);
  EXPECT_FALSE(s.bench.caches[0]->release(Scope::gpu, 1));
  s.bench.run(300);
  s.store(0, s.line(1), 2, strong);
  EXPECT_TRUE(s.hands[0].releases.empty());
  s.bench.run(240);
  EXPECT_EQ(s.hands[0].releases, std::vector<u32>{1});
  EXPECT_EQ(s.image(s.line(1)), 0u) << "the younger store is under way still";
}

/// Consistency::drained: under HRF-Direct a release is of its warp's stores, whichever protocol keeps them back.
TEST(Races, a_release_of_one_warp_leaves_what_others_wrote) {
  for (const char* protocol : {"gpu", "gpu-hrf", "denovo", "denovo-hrf"})
    for (const bool own : {true, false}) {
      BenchConfig config = long_buffer();
      config.cache.write_buffer = 16;
      config.drains_own = own;
      Scene s(protocol, 2, config);
      const Options first{.scope = Scope::none, .warp = 1}, second{.scope = Scope::none, .warp = 2};
      s.store(0, s.line(0), 11, first);
      s.store(0, s.line(1), 22, second);
      s.store(0, s.line(2), 33, first);
      s.store(0, s.line(2) + 4, 34, second);  // a line of both
      s.bench.caches[0]->release(Scope::gpu, 1, core::nobody, 2);
      s.bench.run();
      EXPECT_EQ(s.read(1, s.line(0), strong), own ? 0u : 11u) << protocol;
      EXPECT_EQ(s.read(1, s.line(1), strong), 22u) << protocol;
      EXPECT_EQ(s.read(1, s.line(2), strong), 33u) << protocol;
      EXPECT_EQ(s.read(1, s.line(2) + 4, strong), 34u) << protocol;
      s.store(0, s.line(1), 23, first);  // a line that has left belongs to who writes it next
      s.bench.caches[0]->release(Scope::gpu, 2, core::nobody, 2);
      s.bench.run();
      if (own && std::string_view(protocol).starts_with("gpu")) {
        EXPECT_EQ(s.read(1, s.line(1), strong), 22u) << protocol;
      }
      s.bench.caches[0]->release(Scope::gpu, 3, core::nobody, 1);
      s.bench.run();
      EXPECT_EQ(s.read(1, s.line(0), strong), 11u) << protocol;
      EXPECT_EQ(s.read(1, s.line(1), strong), 23u) << protocol;
    }
}

TEST(Gpu, block_scope_stays_in_the_private_cache) {
  Scene s("gpu", 2, long_buffer());
  const u64 x = s.line(0);
  const Options block{.strong = true, .scope = Scope::cta};
  EXPECT_EQ(s.store(0, x, 9, block).accepted, Accepted::performed);
  EXPECT_TRUE(s.bench.caches[0]->release(Scope::cta, 3));
  s.bench.run();
  EXPECT_EQ(s.image(x), 0u);
  EXPECT_EQ(s.load(0, x, block).accepted, Accepted::performed);
  s.release(0);
  EXPECT_EQ(s.image(x), 9u);
}

TEST(Gpu, a_partial_word_is_merged_under_the_dirty_bytes) {
  Scene s("gpu", 2, long_buffer());
  const u64 x = s.line(0);
  s.write(1, x, 0x11223344, strong);
  s.store(0, x + 1, 0xaa, weak, 1);
  EXPECT_EQ(s.read(0, x), 0x1122aa44u);
  EXPECT_EQ(s.image(x), 0x11223344u);
  s.write(1, x, 0x55667788, strong);
  s.release(0);
  EXPECT_EQ(s.image(x), 0x5566aa88u) << "neighbours' bytes stay";
}

// The store leaves while the line's content, read before, is on its way: what comes is older than the store.
TEST(Gpu, a_fill_does_not_cover_a_store_that_left_after_its_request) {
  Scene s("gpu", 1, long_buffer());
  const u64 x = s.line(0);
  s.slow = [&](Node from, Node, const Request& r) { return from == 1 && r.kind == RequestKind::data ? 400 : 0; };
  const auto first = s.load(0, x + 8);
  s.bench.run(30);
  EXPECT_EQ(s.store(0, x, 7).accepted, Accepted::performed);
  EXPECT_FALSE(s.bench.caches[0]->release(Scope::gpu, 1));
  s.bench.run(200);
  EXPECT_EQ(s.image(x), 7u);
  EXPECT_FALSE(s.done(0, first).performed);
  s.bench.run();
  EXPECT_EQ(s.read(0, x), 7u);
}

// … but a request that leaves after the store brings what others wrote since.
TEST(Gpu, a_store_that_left_before_the_request_covers_nothing) {
  Scene s("gpu", 2, long_buffer());
  const u64 x = s.line(0);
  s.slow = [&](Node from, Node, const Request& r) { return from == 2 && r.kind == RequestKind::data ? 400 : 0; };
  s.load(0, x + 64);  // another sector of the line keeps the MSHR
  s.bench.run(10);
  s.store(0, x, 7);
  EXPECT_FALSE(s.bench.caches[0]->release(Scope::gpu, 1));
  s.bench.run(60);
  s.store(1, x, 8, strong);
  s.bench.run(100);
  EXPECT_EQ(s.image(x), 8u);
  s.acquire(0);
  EXPECT_EQ(s.read(0, x), 8u);
}

TEST(Gpu, a_threads_own_memory_outlives_an_acquire_and_ends_with_the_kernel) {
  Scene s("gpu", 2);
  constexpr Options own{.scope = Scope::none, .of_thread = true};
  const u64 x = s.line(0), y = s.line(1), late = s.line(2);
  s.read(0, x, own);
  s.read(0, y, weak);
  const auto under_way = s.load(0, late, own);
  s.acquire(0);
  EXPECT_TRUE(s.bench.caches[0]->peek(x).valid);
  EXPECT_FALSE(s.bench.caches[0]->peek(y).valid);
  s.bench.run();
  EXPECT_TRUE(s.done(0, under_way).performed);
  EXPECT_TRUE(s.bench.caches[0]->peek(late).valid) << "asked for before the acquire";
  s.bench.caches[0]->begin_kernel();
  EXPECT_FALSE(s.bench.caches[0]->peek(x).valid);
}

TEST(Gpu, an_acquire_is_not_undone_by_an_older_fill) {
  Scene s("gpu", 2);
  const u64 x = s.line(0);
  s.slow = [&](Node from, Node to, const Request& r) {
    return from == 2 && to == 0 && r.kind == RequestKind::data ? 400 : 0;
  };
  const auto older = s.load(0, x);
  s.bench.run(100);  // its value was read at the home
  s.store(1, x, 5, strong);
  s.bench.run(100);
  s.acquire(0);
  const auto younger = s.load(0, x);
  EXPECT_EQ(younger.accepted, Accepted::pending) << "asks again, beside the fetch that is stale";
  s.bench.run();
  EXPECT_EQ(s.done(0, older).value, 0u);
  EXPECT_EQ(s.done(0, younger).value, 5u);
  EXPECT_EQ(s.read(0, x), 5u);
}

TEST(Gpu, a_load_behind_an_atomic_sees_it_whatever_is_under_way) {
  for (const AccessKind kind : {AccessKind::atomic, AccessKind::reduction}) {
    Scene s("gpu", 1);
    const u64 x = s.line(0);
    s.slow = [&](Node from, Node, const Request& r) { return from == 1 && r.kind == RequestKind::data ? 400 : 0; };
    const auto older = s.load(0, x);
    s.bench.run(20);
    const auto atomic = s.add(0, x, 3, kind);
    EXPECT_EQ(atomic.accepted, Accepted::pending);
    s.bench.run(300);
    const auto younger = s.load(0, x);
    s.bench.run();
    EXPECT_EQ(s.done(0, older).value, 0u);
    EXPECT_EQ(s.done(0, younger).value, 3u);
    EXPECT_EQ(s.read(0, x), 3u);
  }
}

// An older load has one word and waits for another; the word it has is given up by an atomic and fetched anew.
TEST(Gpu, a_load_that_waits_does_not_see_a_younger_atomic_of_its_thread) {
  Scene s("gpu", 1);
  const u64 x = s.line(0);
  EXPECT_EQ(s.read(0, x + 28, weak, 4), 0u);  // the first sector
  s.slow = [&](Node from, Node, const Request& r) {
    return from == 1 && r.kind == RequestKind::data && (r.words >> 8) ? 600 : 0;
  };
  const auto older = s.load(0, x + 28, weak, 8);  // word 7 is here, word 8 is not
  s.bench.run(5);
  s.add(0, x + 28, 3);
  s.bench.run(5);
  const auto younger = s.load(0, x + 28, weak, 4);
  const auto neighbour = s.load(0, x, weak, 4);
  EXPECT_NE(neighbour.accepted, Accepted::stalled);
  s.bench.run();
  EXPECT_EQ(s.done(0, older).value, 0u);
  if (younger.accepted != Accepted::stalled) {
    EXPECT_EQ(s.done(0, younger).value, 3u);
  }
  EXPECT_EQ(s.read(0, x + 28), 3u);
}

// Two loads of one thread: the older waits with a word that is here, the younger hits on it. What comes must not make
// the older one see something newer.
TEST(Gpu, a_load_that_waits_sees_nothing_newer_than_a_hit_behind_it) {
  for (const bool with_acquire : {false, true}) {
    Scene s("gpu", 2);
    const u64 x = s.line(0) + 28;  // the last word of the first sector
    EXPECT_EQ(s.read(0, x), 0u);
    s.slow = [&](Node from, Node to, const Request& r) { return from == 2 && to == 0 && r.words >> 8 ? 600 : 0; };
    const auto older = s.load(0, x, weak, 8);
    s.bench.run(5);
    const auto younger = s.load(0, x);
    EXPECT_EQ(younger.accepted, Accepted::performed);
    s.write(1, x, 7, strong);
    if (with_acquire) s.acquire(0);
    s.load(0, x - 4);  // its sector would be fetched anew
    s.load(0, x);
    s.bench.run();
    EXPECT_EQ(s.done(0, older).value, 0u);
  }
}

TEST(Gpu, a_store_does_not_pass_an_older_load_of_its_word) {
  Scene s("gpu", 1);
  const u64 x = s.line(0);
  const auto older = s.load(0, x);
  s.bench.run(2);
  EXPECT_EQ(s.store(0, x, 9).why, Stall::line);
  EXPECT_EQ(s.store(0, x, 9, strong).why, Stall::line);
  EXPECT_EQ(s.store(0, x + 32, 1).accepted, Accepted::performed);
  s.bench.run();
  EXPECT_EQ(s.done(0, older).value, 0u);
}

TEST(Gpu, a_strong_load_follows_the_weak_store_before_it) {
  Scene s("gpu", 2, long_buffer());
  const u64 x = s.line(0);
  s.store(0, x, 9);
  s.bench.run(2);
  const auto load = s.load(0, x, strong);
  EXPECT_EQ(s.value(0, load), 9u);
  EXPECT_EQ(s.image(x), 9u);
  s.write(1, x, 10, strong);
  EXPECT_EQ(s.read(0, x, at_home), 10u);
  EXPECT_EQ(s.read(0, x), 10u) << "no older copy outlives a strong load";
}

TEST(Gpu, stores_complete_when_they_are_visible) {
  Scene s("gpu", 1);
  const u64 x = s.line(0);
  const auto store = s.store(0, x, 4, strong);
  EXPECT_EQ(store.accepted, Accepted::pending);
  EXPECT_TRUE(s.done(0, store).performed);
  s.bench.run(8);
  EXPECT_EQ(s.image(x), 0u);
  EXPECT_FALSE(s.done(0, store).completed);
  s.bench.run();
  EXPECT_EQ(s.image(x), 4u);
  EXPECT_TRUE(s.done(0, store).completed);
}

TEST(Gpu, a_written_line_leaves_by_itself) {
  BenchConfig config;
  config.cache.drain_after = 100;
  Scene s("gpu", 1, config);
  s.store(0, s.line(0), 4);
  s.bench.run(50);
  s.store(0, s.line(0) + 4, 5);
  s.bench.run(40);
  EXPECT_EQ(s.image(s.line(0)), 0u);
  s.bench.run(100);
  EXPECT_EQ(s.image(s.line(0)), 4u);
  EXPECT_EQ(s.image(s.line(0) + 4), 5u);
  EXPECT_EQ(s.bench.caches[0]->statistics().lines_written, 1u);
}

TEST(Gpu, a_streaming_line_is_evicted_first) {
  BenchConfig config;
  config.cache.bytes = 256;
  Scene s("gpu", 1, config);
  s.read(0, s.line(0));
  Stall why = Stall::none;
  s.hands[0].all.push_back({AccessKind::load, 0, 4});
  LineAccess a{.line = s.line(1), .place = s.place(1), .words = 1, .access = 1, .kind = AccessKind::load};
  a.streaming = true;
  EXPECT_EQ(s.bench.caches[0]->access(a, why), Accepted::pending);
  s.bench.run();
  s.read(0, s.line(1));
  s.read(0, s.line(2));
  EXPECT_TRUE(s.bench.caches[0]->peek(s.line(2)).valid);
}

TEST(Mesi, states_are_masks) {
  Scene s("mesi", 3);
  const u64 x = s.line(0);
  s.read(0, x);
  EXPECT_TRUE(s.bench.caches[0]->peek(x).owned) << "E: nobody else has it";
  EXPECT_EQ(s.store(0, x, 1).accepted, Accepted::performed) << "E becomes M in silence";
  s.read(1, x);
  EXPECT_FALSE(s.bench.caches[0]->peek(x).owned);
  EXPECT_TRUE(s.bench.caches[0]->peek(x).valid);
  EXPECT_EQ(s.bench.caches[0]->peek(x).dirty_bytes, 0);
  EXPECT_EQ(s.image(x), 1u) << "the owner's dirty bytes came home";
  s.write(1, x, 2);
  EXPECT_FALSE(s.bench.caches[0]->peek(x).valid);
  EXPECT_TRUE(s.bench.caches[1]->peek(x).owned);
  EXPECT_EQ(s.bench.home_of(x).directory(x).owner[0], 1);
  s.write(2, x, 3);
  EXPECT_FALSE(s.bench.caches[1]->peek(x).valid);
  EXPECT_EQ(s.read(0, x), 3u);
}

BenchConfig one_line_caches() {
  BenchConfig config;
  config.cache.bytes = 128;
  config.cache.ways = 1;
  return config;
}

// The owner evicts while the home forwards a request to it: the bytes and the answer "no more" cross.
TEST(Mesi, a_write_back_crosses_a_forward) {
  for (const bool store : {false, true}) {
    Scene s("mesi", 3, one_line_caches());
    const u64 x = s.line(0);
    s.write(0, x, 7);
    s.slow = [&](Node from, Node, const Request& r) {
      return from == 0 && r.kind == RequestKind::write_back ? 100 : 0;
    };
    s.load(0, s.line(1));  // evicts
    const auto other = store ? s.store(1, x + 4, 8) : s.load(1, x);
    s.bench.run();
    EXPECT_EQ(store ? s.read(1, x) : s.done(1, other).value, 7u);
    EXPECT_EQ(s.bench.caches[0]->statistics().forwards, 1u);
  }
}

// … and the old owner wants it again at once.
TEST(Mesi, an_evicted_line_is_wanted_again_while_it_is_forwarded) {
  Scene s("mesi", 3, one_line_caches());
  const u64 x = s.line(0);
  s.write(0, x, 7);
  s.slow = [&](Node from, Node, const Request& r) { return from == 0 && r.kind == RequestKind::write_back ? 40 : 0; };
  s.load(0, s.line(1));
  s.bench.run(1);
  s.store(1, x + 4, 8);
  s.slow = {};
  for (u32 i = 0; i < 1000; ++i) {
    const auto again = s.store(0, x + 8, 9);
    if (again.accepted != Accepted::stalled) break;
    s.bench.step();
  }
  s.bench.run();
  EXPECT_EQ(s.read(2, x), 7u);
  EXPECT_EQ(s.read(2, x + 4), 8u);
  EXPECT_EQ(s.read(2, x + 8), 9u);
}

TEST(Mesi, an_owner_that_dropped_a_clean_copy_has_it_no_more) {
  for (const bool store : {false, true}) {
    Scene s("mesi", 3, one_line_caches());
    const u64 x = s.line(0);
    s.read(0, x);
    s.read(0, s.line(1));  // E goes in silence
    EXPECT_EQ(s.bench.home_of(x).directory(x).owner[0], 0);
    if (store) {
      s.write(1, x, 3);
      EXPECT_EQ(s.read(2, x), 3u);
    } else {
      EXPECT_EQ(s.read(1, x), 0u);
    }
    EXPECT_EQ(s.bench.caches[0]->statistics().forwards, 1u);
    s.write(0, x, 4);
    EXPECT_EQ(s.read(1, x), 4u);
  }
}

// The data of a forwarded request are slow; the next request for the line must not reach the new owner before them.
TEST(Mesi, forwarded_data_are_slower_than_the_next_forward) {
  Scene s("mesi", 3);
  const u64 x = s.line(0);
  s.write(0, x, 1);
  s.slow = [&](Node from, Node to, const Request& r) {
    return from == 0 && to == 1 && r.kind == RequestKind::data ? 500 : 0;
  };
  s.store(1, x + 4, 2);
  s.bench.run(20);
  const auto third = s.load(2, x, weak, 8);
  s.bench.run();
  EXPECT_EQ(s.done(2, third).value, 0x2'0000'0001u);
}

// The new owner writes and evicts at once; what the old owner tells the home comes later.
TEST(Mesi, a_new_owners_write_back_overtakes_the_old_owners_answer) {
  Scene s("mesi", 3, one_line_caches());
  const u64 x = s.line(0);
  s.write(0, x, 1);
  s.slow = [&](Node from, Node, const Request& r) {
    return from == 0 && r.kind == RequestKind::probe_answer ? 500 : 0;
  };
  const auto store = s.store(1, x, 2);
  while (!s.done(1, store).completed) ASSERT_TRUE(s.bench.step());
  s.load(1, s.line(1));  // evicts
  s.bench.run();
  EXPECT_EQ(s.read(2, x), 2u);
}

// … and an owner that only passed the bytes on has written back what it got dirty.
TEST(Mesi, dirty_bytes_go_over_to_a_new_owner) {
  Scene s("mesi", 3);
  const u64 x = s.line(0);
  s.write(0, x, 1);
  s.write(1, x + 4, 2);
  EXPECT_EQ(s.bench.caches[1]->peek(x).dirty_bytes, 15);
  EXPECT_EQ(s.image(x), 0u);
  s.flush(1);
  EXPECT_EQ(s.image(x), 1u);
  EXPECT_EQ(s.image(x + 4), 2u);
}

// A sharer wants to write; another's request comes first and takes its copy away.
TEST(Mesi, an_invalidation_meets_an_upgrade) {
  Scene s("mesi", 3);
  const u64 x = s.line(0);
  s.read(0, x);
  s.read(1, x);
  s.slow = [&](Node from, Node, const Request& r) { return from == 1 && r.kind == RequestKind::own ? 60 : 0; };
  s.add(1, x, 10);
  s.add(0, x, 1);
  s.bench.run();
  EXPECT_EQ(s.read(2, x), 11u);
  s.flush(0), s.flush(1), s.flush(2);
  EXPECT_EQ(s.image(x), 11u);
}

// The home wants its way for another line: copies are called back, and one of them is on its way home already.
TEST(Mesi, a_recall_crosses_a_write_back) {
  for (const u32 late : {0u, 30u, 200u}) {
    BenchConfig config = one_line_caches();
    config.home.bytes = 128;
    config.home.ways = 1;
    Scene s("mesi", 3, config);
    const u64 x = s.line(0);
    s.write(0, x, 7);
    s.slow = [&](Node from, Node, const Request& r) {
      return from == 0 && r.kind == RequestKind::write_back ? late : 0;
    };
    s.load(0, s.line(1));
    const auto again = s.load(1, x);
    s.bench.run();
    EXPECT_EQ(s.done(1, again).value, 7u);
    EXPECT_GT(s.bench.homes[0]->statistics().recalls, 0u);
  }
}

TEST(Mesi, requests_for_a_line_that_is_recalled_come_after) {
  BenchConfig config;
  config.home.bytes = 128;
  config.home.ways = 1;
  Scene s("mesi", 4, config);
  const u64 x = s.line(0);
  s.write(0, x, 7);
  s.slow = [&](Node, Node to, const Request& r) { return to == 0 && r.kind == RequestKind::probe ? 300 : 0; };
  const auto other = s.load(1, s.line(1));
  s.bench.run(30);
  const auto wanted = s.load(2, x);
  s.store(3, x + 4, 1);
  s.bench.run();
  EXPECT_TRUE(s.done(1, other).performed);
  EXPECT_EQ(s.done(2, wanted).value, 7u);
  EXPECT_EQ(s.read(1, x + 4), 1u);
  EXPECT_GE(s.bench.homes[0]->statistics().recalls, 2u);
}

TEST(Mesi, a_write_past_the_caches_revokes_their_copies) {
  Scene s("mesi", 3);
  const u64 x = s.line(0);
  s.write(0, x, 7);
  s.read(1, s.line(1));
  EXPECT_EQ(s.read(2, x, at_home), 7u) << "a read past the caches sees the owner's bytes";
  EXPECT_FALSE(s.bench.caches[0]->peek(x).owned);
  s.write(2, x + 4, 8, at_home);
  s.write(2, s.line(1), 9, at_home);
  EXPECT_FALSE(s.bench.caches[0]->peek(x).valid);
  EXPECT_FALSE(s.bench.caches[1]->peek(s.line(1)).valid);
  EXPECT_EQ(s.read(0, x, weak, 8), 0x8'0000'0007u);
  EXPECT_EQ(s.read(1, s.line(1)), 9u);
}

// The writer itself was a sharer: what it keeps of the line, the home no longer knows of.
TEST(Mesi, a_write_past_its_own_copy_gives_all_of_it_up) {
  Scene s("mesi", 2);
  const u64 x = s.line(0);
  s.read(0, x);
  s.read(1, x);
  s.write(0, x + 4, 8, at_home);
  s.write(1, x, 5);
  EXPECT_EQ(s.read(0, x, weak, 8), 0x8'0000'0005u);
}

TEST(Mesi, a_load_behind_a_store_that_waits_sees_it) {
  Scene s("mesi", 2);
  const u64 x = s.line(0);
  s.read(0, x);
  s.read(1, x);
  const auto store = s.store(0, x, 5);
  EXPECT_EQ(store.accepted, Accepted::pending);
  s.bench.run(1);
  const auto behind = s.load(0, x), beside = s.load(0, x + 4);
  EXPECT_EQ(behind.accepted, Accepted::pending);
  EXPECT_EQ(beside.accepted, Accepted::performed) << "another word of the shared copy";
  EXPECT_EQ(s.value(0, behind), 5u);
}

class Everywhere : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Protocols, Everywhere, ::testing::ValuesIn(protocol_names()), test_name);

TEST_P(Everywhere, a_flush_writes_back_and_drops) {
  Scene s(std::string(GetParam()), 2);
  for (u32 i = 0; i < 6; ++i) s.store(0, s.line(i), i + 1), s.bench.run();
  s.flush(0);
  for (u32 i = 0; i < 6; ++i) {
    EXPECT_EQ(s.image(s.line(i)), i + 1);
    EXPECT_FALSE(s.bench.caches[0]->peek(s.line(i)).valid);
  }
  EXPECT_TRUE(s.bench.caches[0]->end_kernel(1)) << "nothing is left to do";
}

/// A kernel's end is a flush, and another kernel's load may be waiting for a page of the host beside it.
TEST_P(Everywhere, a_flush_waits_for_lines_that_leave_and_not_for_accesses_under_way) {
  Scene s(std::string(GetParam()), 2);
  s.write(0, s.line(1), 3);
  s.bench.devices[0]->latency = s.bench.devices[1]->latency = 10'000;
  const auto load = s.load(0, s.line(0));
  s.bench.run(2);
  if (!s.bench.caches[0]->end_kernel(5)) s.bench.run(500);
  EXPECT_EQ(s.image(s.line(1)), 3u);
  EXPECT_TRUE(s.bench.caches[0]->end_kernel(6)) << "the first is over, and nothing is left to do";
  EXPECT_FALSE(s.done(0, load).completed);
  EXPECT_EQ(s.load(0, s.line(2)).accepted, Accepted::pending) << "accepted beside it";
  s.bench.run();
  EXPECT_TRUE(s.done(0, load).completed);
  EXPECT_FALSE(s.bench.caches[0]->peek(s.line(1)).valid);
  EXPECT_EQ(s.read(0, s.line(1)), 3u);
}

TEST_P(Everywhere, host_memory_is_never_kept) {
  Scene s(std::string(GetParam()), 2);
  const Options host{.host = true, .scope = Scope::sys};
  const u64 x = s.bench.host;
  s.write(0, x, 3, host);
  EXPECT_EQ(s.image(x), 3u);
  EXPECT_EQ(s.read(1, x, host), 3u);
  EXPECT_EQ(s.value(1, s.add(1, x, 4, AccessKind::atomic, host)), 3u);
  EXPECT_EQ(s.image(x), 7u);
  EXPECT_EQ(s.read(0, x, host), 7u);
  EXPECT_FALSE(s.bench.caches[0]->peek(x).valid);
  EXPECT_EQ(s.bench.homes[0]->statistics().lines_evicted, 0u);
}

// A read that waits for the host, and a write of the same agent behind it.
TEST_P(Everywhere, host_accesses_of_one_agent_keep_their_order) {
  Scene s(std::string(GetParam()), 1);
  const Options host{.host = true, .scope = Scope::sys};
  const u64 x = s.bench.host;
  const auto before = s.load(0, x, host);
  s.bench.run(1);
  const auto store = s.store(0, x, 3, host);
  s.bench.run(1);
  const auto after = s.load(0, x, host);
  s.bench.run();
  EXPECT_EQ(s.done(0, before).value, 0u);
  EXPECT_EQ(s.done(0, after).value, 3u);
  EXPECT_TRUE(s.done(0, store).completed);
}

TEST_P(Everywhere, a_release_covers_pending_stores_and_reductions) {
  Scene s(std::string(GetParam()), 2);
  const u64 x = s.line(0), y = s.line(1);
  s.write(1, x, 1);
  s.release(1);
  s.store(0, x, 2, strong);
  s.bench.run(1);
  s.add(0, y, 5, AccessKind::reduction);
  if (!s.bench.caches[0]->release(Scope::sys, 9)) {
    while (s.hands[0].releases.empty()) ASSERT_TRUE(s.bench.step());
  }
  EXPECT_EQ(s.load(1, x, strong).accepted == Accepted::stalled, false);
  s.bench.run();
  EXPECT_EQ(s.hands[1].all.back().value, 2u);
  EXPECT_EQ(s.read(1, y, strong), 5u);
}

TEST_P(Everywhere, many_releases_at_once) {
  Scene s(std::string(GetParam()), 1);
  u32 expected = 0;
  for (u32 i = 0; i < 700; ++i) {
    const auto store = s.store(0, s.line(i % 3) + 4 * (i % 7), i, strong);
    if (!s.bench.caches[0]->release(Scope::gpu, i)) ++expected;
    if (store.accepted == Accepted::stalled || i % 3) s.bench.step();
  }
  s.bench.run();
  ASSERT_EQ(s.hands[0].releases.size(), expected);
  EXPECT_TRUE(std::is_sorted(s.hands[0].releases.begin(), s.hands[0].releases.end()));
}

TEST(Models, are_found_by_name) {
  EXPECT_EQ(models().front().name, "gpu");
  for (const Model& model : models()) {
    EXPECT_EQ(find_model(model.name), &model);
    EXPECT_EQ(model.agent.home, model.home().kind()) << model.name;
    EXPECT_FALSE(model.sentence.empty());
  }
  EXPECT_EQ(find_model("no such protocol"), nullptr);
}

TEST(Models, say_nothing_in_their_tables_that_no_cache_does) {
  for (const Model& model : models()) EXPECT_EQ(table_mistakes(model), "");
}

TEST(Models, whose_tables_say_what_no_cache_does_are_told_so) {
  Model model = gpu();
  model.agent.on(Use::store)[0].valid = true;
  EXPECT_EQ(table_mistakes(model),
            "gpu, row store, ordinary data: .otherwise = buffer but .valid is not looked at: a write needs an owned "
            "word, or goes through a write buffer: say .valid = false\n");
  model = gpu_hrf();
  model.agent.on(Use::atomic)[1].valid = false;
  EXPECT_EQ(table_mistakes(model),
            "gpu-hrf, row atomic, read-only data: .otherwise = fetch performs it on valid copies: say .valid = true\n");
  model = mesi();
  model.agent.on(Use::fresh_atomic) = both({.valid = true, .owned = true, .otherwise = Otherwise::own});
  model.agent.on(Use::atomic)[0] = {.owned = true, .otherwise = Otherwise::past};
  model.agent.on(Use::load)[0].otherwise = Otherwise::buffer;
  const std::string all = table_mistakes(model);
  EXPECT_EQ(std::ranges::count(all, '\n'), 4) << all;
}

}  // namespace
}  // namespace ew::coherence
