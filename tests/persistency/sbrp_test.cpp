// The sentences of the SBRP paper's section 6, one test each, on a private cache that the test leads by the hand. Lines
// have the letters of the paper: X, Y, Z.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "mock_machinery.hpp"
#include "persistency/persist_buffer.hpp"

namespace ew::persistency {
namespace {

using memory::PersistHold;
using memory::PersistOrder;
using Left = std::vector<u32>;
constexpr u32 X = 0, Y = 1, Z = 2;

/// Nothing leaves unless something asks for it: the order of asking is seen.
SbrpConfig lazy() {
  return {.policy = "lazy"};
}
SbrpConfig window(u32 n) {
  return {.window = n, .policy = "window"};
}

// 6.1, persist operation

TEST(SbrpPersist, coalesces_with_its_line_when_no_order_stands_between) {
  Scene s("sbrp", lazy());
  EXPECT_EQ(s.store(0, X), PersistHold::none);
  EXPECT_FALSE(s.joined);
  EXPECT_EQ(s.store(0, X), PersistHold::none);
  EXPECT_TRUE(s.joined);
  EXPECT_EQ(s.store(5, X), PersistHold::none) << "of another warp";
  EXPECT_TRUE(s.joined);
  EXPECT_TRUE(s.cache.left.empty());
}

TEST(SbrpPersist, waits_until_the_older_persist_of_its_line_is_durable_when_order_stands_between) {
  // (1) pX = a, (2) pY = b, (3) oFence, (4) pX = c
  Scene s("sbrp", window(1));
  s.cache.send_through();  // the window is full: nothing has left when (4) comes
  EXPECT_EQ(s.store(0, X), PersistHold::none);
  EXPECT_EQ(s.store(0, Y), PersistHold::none);
  EXPECT_TRUE(s.order(0, PersistOrder::ofence)) << "oFence waits for nothing";
  EXPECT_EQ(s.store(0, X), PersistHold::order);
  s.acknowledge();  // what went through
  EXPECT_EQ(s.cache.left, Left{X});
  EXPECT_FALSE(s.resumed(0)) << "sent, but not durable";
  s.acknowledge();
  EXPECT_TRUE(s.resumed(0));
  EXPECT_EQ(s.store(0, X), PersistHold::none);
  s.cache.acknowledge_all(*s.model);
  EXPECT_EQ(s.cache.left, (Left{X, Y, X}));
}

TEST(SbrpPersist, of_a_warp_that_issued_no_order_joins_across_the_order_of_others) {
  Scene s("sbrp", lazy());
  s.cache.send_through();
  s.store(0, X);
  s.order(1, PersistOrder::ofence);
  EXPECT_EQ(s.store(0, X), PersistHold::none);
}

// Intra-thread order

TEST(SbrpOrder, ofences_merge_when_nothing_stands_between_them) {
  Scene s("sbrp", window(1));
  s.cache.send_through();
  s.store(0, X);
  s.store(1, X);
  EXPECT_TRUE(s.order(0, PersistOrder::ofence));
  EXPECT_TRUE(s.order(1, PersistOrder::ofence));
  EXPECT_EQ(s.cache.entries, (std::array<u32, 3>{0, 1, 1})) << "one entered, one merged";
  s.store(2, Y);
  EXPECT_TRUE(s.order(2, PersistOrder::ofence));
  EXPECT_EQ(s.cache.entries, (std::array<u32, 3>{0, 2, 1})) << "a persist stands between";
}

TEST(SbrpOrder, an_ofence_of_what_is_ordered_already_leaves_no_entry) {
  Scene s("sbrp", window(1));
  s.cache.send_through();
  s.store(0, X);
  EXPECT_TRUE(s.order(0, PersistOrder::p_release));
  EXPECT_TRUE(s.order(0, PersistOrder::ofence));
  EXPECT_EQ(s.cache.entries, (std::array<u32, 3>{1, 1, 0})) << "nothing behind the pRel";
  EXPECT_TRUE(s.order(1, PersistOrder::ofence));
  EXPECT_EQ(s.cache.entries, (std::array<u32, 3>{2, 1, 0})) << "nothing of warp 1 at all";
  s.store(0, Y);
  EXPECT_TRUE(s.order(0, PersistOrder::ofence));
  EXPECT_EQ(s.cache.entries, (std::array<u32, 3>{2, 2, 0}));
}

TEST(SbrpOrder, an_ofence_takes_effect_behind_a_persist_of_another_warp_that_waits) {
  Scene s("sbrp");
  s.store(0, X);
  s.order(0, PersistOrder::ofence);
  s.store(0, Y);  // waits for X
  s.store(1, Z);
  s.order(1, PersistOrder::ofence);
  s.store(1, 5);  // waits for Z
  EXPECT_EQ(s.cache.left, (Left{X, Z}));
  s.acknowledge();
  EXPECT_EQ(s.cache.left, (Left{X, Z, Y})) << "X is durable, Z is not";
  s.acknowledge();
  EXPECT_EQ(s.cache.left, (Left{X, Z, Y, 5}));
}

TEST(SbrpOrder, a_persist_behind_an_ofence_waits_until_what_is_before_is_durable) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.order(0, PersistOrder::ofence);
  s.store(0, Y);
  EXPECT_EQ(s.cache.left, Left{X});
  s.acknowledge();
  EXPECT_EQ(s.cache.left, (Left{X, Y}));
}

TEST(SbrpOrder, the_fsm_holds_no_warp_that_issued_no_ofence) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.order(0, PersistOrder::ofence);
  s.store(1, Y);
  EXPECT_EQ(s.cache.left, (Left{X, Y}));
}

TEST(SbrpOrder, an_ofence_does_not_order_what_other_warps_wrote_before_it) {
  // "Thread T0 writes to pX, after which thread T32 executes an oFence and writes to pY": concurrent.
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.order(1, PersistOrder::ofence);
  s.store(1, Y);
  EXPECT_EQ(s.cache.left, (Left{X, Y}));
}

TEST(SbrpOrder, a_fence_of_block_scope_orders_what_its_warp_may_have_read_from_others) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.order(1, PersistOrder::fence, Scope::cta);
  s.store(1, Y);
  EXPECT_EQ(s.cache.left, Left{X});
}

// Order inside a block

TEST(SbrpBlock, release_and_acquire_order_the_acquirer_behind_the_releaser) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  EXPECT_TRUE(s.order(0, PersistOrder::p_release)) << "block scope waits for nothing";
  EXPECT_TRUE(s.order(1, PersistOrder::p_acquire));
  s.store(1, Y);
  s.store(2, Z);  // of a stranger
  EXPECT_EQ(s.cache.left, (Left{X, Z}));
  s.acknowledge();
  EXPECT_EQ(s.cache.left, (Left{X, Z, Y}));
}

TEST(SbrpBlock, the_iterations_of_a_spin_leave_one_entry) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.order(0, PersistOrder::p_release);
  s.store(2, Y);
  s.cache.entries = {};
  for (u32 i = 0; i < 100; ++i) EXPECT_TRUE(s.order(1, PersistOrder::p_acquire));
  EXPECT_EQ(s.cache.entries[1] + s.cache.entries[2], 1u);
}

TEST(SbrpBlock, an_acquire_counts_again_once_something_was_released_even_if_the_flag_has_its_old_value) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.order(0, PersistOrder::p_release);
  s.order(1, PersistOrder::p_acquire);
  s.acknowledge();
  s.store(0, Y);
  s.order(0, PersistOrder::p_release);
  s.order(1, PersistOrder::p_acquire);
  s.store(1, Z);
  EXPECT_EQ(s.cache.left, (Left{X, Y})) << "Z waits for Y";
}

/// A fence may be the first half of a release that the flag's own store completes.
TEST(SbrpBlock, an_acquire_counts_again_once_another_warp_has_issued_a_fence) {
  for (const PersistOrder order : {PersistOrder::fence, PersistOrder::barrier_over, PersistOrder::ofence}) {
    Scene s("sbrp", window(6));
    s.store(0, X);
    s.order(0, PersistOrder::fence);
    s.order(1, PersistOrder::acquire);
    s.acknowledge();
    s.store(0, Y);
    s.order(0, order);
    s.order(1, PersistOrder::acquire);
    s.store(1, Z);
    EXPECT_EQ(s.cache.left, order == PersistOrder::ofence ? (Left{X, Y, Z}) : (Left{X, Y}))
        << "an oFence releases nothing, behind the others Z waits for Y";
  }
}

TEST(SbrpBlock, a_barrier_is_one_entry_of_all_warps) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  EXPECT_TRUE(s.model->on_order(PersistOrder::barrier_over, Scope::cta, 0b111));
  EXPECT_EQ(s.cache.entries, (std::array<u32, 3>{0, 1, 0}));
  s.store(1, Y);
  EXPECT_EQ(s.cache.left, Left{X}) << "by any warp before, by any warp behind";
}

// Matching pAcq to pRel by their flags

TEST(SbrpMatching, an_acquirer_waits_for_what_its_flags_release_covers_and_not_for_strangers) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.release(0, 7);
  s.store(2, Z);  // of a stranger, in flight as well
  EXPECT_TRUE(s.acquire(1, 7));
  s.store(1, Y);
  EXPECT_EQ(s.cache.left, (Left{X, Z}));
  s.acknowledge();  // X
  EXPECT_EQ(s.cache.left, (Left{X, Z, Y}));
}

TEST(SbrpMatching, a_flag_that_nobody_has_released_orders_nothing) {
  Scene s("sbrp", window(1));
  s.cache.send_through();  // nothing leaves by itself
  s.store(0, X);
  s.release(0, 7);
  s.cache.entries = {};
  for (u32 i = 0; i < 100; ++i) EXPECT_TRUE(s.acquire(1, 8)) << "a spin that fails";
  EXPECT_EQ(s.cache.entries, (std::array<u32, 3>{100, 0, 0}));
  s.store(1, Y);
  EXPECT_EQ(s.evict(3, Y), PersistHold::none);
}

TEST(SbrpMatching, an_acquire_enters_once_behind_a_release_that_is_in_the_buffer) {
  Scene s("sbrp", window(1));
  s.cache.send_through();
  s.store(0, X);
  s.release(0, 7);
  s.cache.entries = {};
  for (u32 i = 0; i < 100; ++i) EXPECT_TRUE(s.acquire(1, 7));
  EXPECT_EQ(s.cache.entries, (std::array<u32, 3>{99, 1, 0}));
  s.store(1, Y);
  s.store(2, Z);
  EXPECT_EQ(s.evict(3, Z), PersistHold::none);
  EXPECT_EQ(s.evict(3, Y), PersistHold::eviction) << "behind X";
  s.cache.acknowledge_all(*s.model);
  EXPECT_EQ(s.cache.left, (Left{Z, X, Y}));
}

TEST(SbrpMatching, a_release_carries_on_what_its_warp_acquired) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.release(0, 7);
  s.acquire(1, 7);
  s.release(1, 8);
  s.acquire(2, 8);
  s.store(2, Y);
  EXPECT_EQ(s.cache.left, Left{X});
  s.acknowledge();
  EXPECT_EQ(s.cache.left, (Left{X, Y}));
}

TEST(SbrpMatching, an_acquire_of_device_scope_is_matched_to_a_release_of_block_scope) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.release(0, 7);
  s.acquire(1, 7, Scope::gpu);
  s.store(1, Y);
  EXPECT_EQ(s.cache.left, Left{X});
}

TEST(SbrpMatching, the_releases_of_a_flag_by_several_warps_all_count) {
  Scene s("sbrp", window(1));
  s.cache.send_through();
  s.store(0, X);
  s.release(0, 7);
  s.store(1, Y);
  s.order(2, PersistOrder::ofence);
  s.release(2, 7);  // has nothing to order, and came last
  s.acquire(3, 7);
  s.store(3, Z);
  EXPECT_EQ(s.evict(4, Z), PersistHold::eviction);
  s.acknowledge();  // what went through
  s.acknowledge();  // X
  s.cache.acknowledge_all(*s.model);
  EXPECT_EQ(s.cache.left, (Left{X, Y, Z}));
}

/// Nobody noticed when a pAcq joined the pAcq of another flag beside it: it then waited for the other flag's persists.
TEST(SbrpMatching, acquires_of_two_flags_beside_each_other_are_two_entries) {
  constexpr u32 W = 3;
  for (const bool the_other_way : {false, true}) {
    Scene s("sbrp", window(1));
    s.cache.send_through();  // nothing leaves by itself
    s.store(0, X);
    s.release(0, 7);
    s.store(1, Y);
    s.release(1, 8);
    s.cache.entries = {};
    s.acquire(the_other_way ? 3 : 2, the_other_way ? 8 : 7);
    s.acquire(the_other_way ? 2 : 3, the_other_way ? 7 : 8);
    EXPECT_EQ(s.cache.entries, (std::array<u32, 3>{0, 2, 0})) << "none needless, none merged";
    s.store(2, Z);
    s.store(3, W);
    s.acknowledge();  // what went through
    EXPECT_EQ(s.cache.left, Left{X});
    s.acknowledge();  // X
    EXPECT_EQ(s.cache.left, (Left{X, Y}));
    EXPECT_EQ(s.evict(4, W), PersistHold::eviction) << "behind Y, which the other flag's release covers";
    EXPECT_EQ(s.cache.left, (Left{X, Y, Z})) << "Z is behind X alone, which is durable";
    s.acknowledge();  // Y
    s.cache.acknowledge_all(*s.model);
    EXPECT_EQ(s.cache.left.back(), W);
  }
}

TEST(SbrpMatching, acquires_of_one_flag_beside_each_other_are_one_entry_of_both_warps) {
  Scene s("sbrp", window(1));
  s.cache.send_through();
  s.store(0, X);
  s.release(0, 7);
  s.cache.entries = {};
  s.acquire(2, 7);
  s.acquire(3, 7);
  EXPECT_EQ(s.cache.entries, (std::array<u32, 3>{0, 1, 1}));
  s.store(2, Y);
  s.store(3, Z);
  EXPECT_EQ(s.evict(4, Y), PersistHold::eviction);
  EXPECT_EQ(s.evict(5, Z), PersistHold::eviction);
}

/// The buffer alone: only order operations of one type and one flag meet, beside each other or past others.
TEST(SbrpBuffer, order_operations_meet_only_with_their_type_and_their_flag) {
  for (const bool past_others : {false, true}) {
    PersistBuffer buffer(8, 4, past_others);
    EXPECT_FALSE(buffer.put_order(EntryType::acquire, 1, 7));
    EXPECT_FALSE(buffer.can_merge(EntryType::acquire, 2, 8));
    EXPECT_FALSE(buffer.put_order(EntryType::acquire, 2, 8));
    EXPECT_FALSE(buffer.can_merge(EntryType::release, 4, 8));
    EXPECT_TRUE(buffer.can_merge(EntryType::acquire, 4, 8));
    EXPECT_EQ(buffer.can_merge(EntryType::acquire, 4, 7), past_others) << "an older entry";
    EXPECT_FALSE(buffer.can_merge(EntryType::acquire, 2, 7)) << "past an entry of its own warp";
    EXPECT_TRUE(buffer.put_order(EntryType::acquire, 4, 8));
    ASSERT_EQ(buffer.tail() - buffer.head(), 2u);
    EXPECT_EQ(buffer[buffer.head()].way, 7u);
    EXPECT_EQ(buffer[buffer.head()].warps, 1u);
    EXPECT_EQ(buffer[buffer.head() + 1].way, 8u);
    EXPECT_EQ(buffer[buffer.head() + 1].warps, 6u);
  }
}

TEST(SbrpMatching, acquires_all_orders_behind_strangers) {
  SbrpConfig config = window(6);
  config.acquires = "all";
  Scene s("sbrp", config);
  s.store(0, X);
  s.release(0, 7);
  s.store(2, Z);
  s.acquire(1, 7);
  s.store(1, Y);
  s.acknowledge();
  EXPECT_EQ(s.cache.left, (Left{X, Z}));
}

// Order across blocks

TEST(SbrpDevice, a_release_waits_until_what_is_before_it_is_durable_and_others_do_not) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.store(1, Y);
  EXPECT_FALSE(s.order(0, PersistOrder::p_release, Scope::gpu));
  EXPECT_EQ(s.store(2, Z), PersistHold::none) << "a stranger goes on";
  s.acknowledge();
  EXPECT_FALSE(s.resumed(0));
  s.acknowledge();
  EXPECT_TRUE(s.resumed(0));
  EXPECT_TRUE(s.order(0, PersistOrder::p_release, Scope::gpu)) << "asked again, it is over";
  EXPECT_EQ(s.cache.left, (Left{X, Y, Z}));
}

TEST(SbrpDevice, an_acquire_gives_up_copies_of_persistent_lines_and_a_block_acquire_does_not) {
  Scene s("sbrp");
  s.order(0, PersistOrder::p_acquire, Scope::cta);
  EXPECT_EQ(s.cache.invalidations, 0u);
  s.order(0, PersistOrder::p_acquire, Scope::gpu);
  EXPECT_EQ(s.cache.invalidations, 1u);
}

TEST(SbrpDevice, an_acquire_that_waits_is_over_when_what_is_before_it_is_durable) {
  for (const bool waits : {false, true}) {
    SbrpConfig config = window(6);
    config.acquires = waits ? "waiting" : "all";
    Scene s("sbrp", config);
    EXPECT_TRUE(s.order(1, PersistOrder::p_acquire, Scope::gpu)) << "nothing is before it";
    s.store(0, X);  // of a stranger
    EXPECT_TRUE(s.order(1, PersistOrder::p_acquire, Scope::cta));
    for (int turn = 0; turn < 2; ++turn) {  // of a spin
      s.cache.invalidations = 0;
      EXPECT_EQ(s.order(1, PersistOrder::p_acquire, Scope::gpu), !waits);
      EXPECT_EQ(s.cache.invalidations, waits ? 0u : 1u);
      s.acknowledge();
      EXPECT_EQ(s.resumed(1), waits);
      if (waits) {
        EXPECT_TRUE(s.order(1, PersistOrder::p_acquire, Scope::gpu)) << "asked again, it is over";
      }
      EXPECT_EQ(s.cache.invalidations, 1u);
      s.store(0, Y);
    }
  }
}

TEST(SbrpDevice, every_conventional_release_above_block_scope_waits) {
  for (const PersistOrder order : {PersistOrder::fence, PersistOrder::release}) {
    Scene s("sbrp");
    s.store(0, X);
    EXPECT_FALSE(s.order(0, order, Scope::gpu));
    EXPECT_FALSE(s.order(0, order, Scope::gpu)) << "asking again changes nothing";
    s.acknowledge();
    EXPECT_TRUE(s.resumed(0));
    EXPECT_TRUE(s.order(0, order, Scope::gpu));
    EXPECT_TRUE(s.order(0, order, Scope::gpu)) << "nothing is left to wait for";
  }
}

// Durability

TEST(SbrpDurability, a_dfence_is_over_when_what_is_before_it_is_durable) {
  Scene s("sbrp", lazy());
  s.store(0, X);
  s.order(0, PersistOrder::ofence);
  s.store(0, Y);
  EXPECT_FALSE(s.order(0, PersistOrder::dfence));
  EXPECT_EQ(s.cache.left, Left{X});
  s.acknowledge();
  EXPECT_EQ(s.cache.left, (Left{X, Y}));
  EXPECT_FALSE(s.resumed(0));
  s.acknowledge();
  EXPECT_TRUE(s.resumed(0));
  EXPECT_TRUE(s.order(0, PersistOrder::dfence));
  EXPECT_EQ(s.cache.invalidations, 1u) << "section 7.2: dFence gives up cached PM data";
}

TEST(SbrpDurability, a_hold_for_another_reason_does_not_count_as_a_dfence) {
  Scene s("sbrp", window(1));
  s.cache.send_through();
  s.store(0, X);
  s.order(0, PersistOrder::ofence);
  EXPECT_EQ(s.store(0, X), PersistHold::order);
  s.acknowledge();
  s.acknowledge();
  EXPECT_TRUE(s.resumed(0));
  EXPECT_EQ(s.store(0, X), PersistHold::none);
  EXPECT_FALSE(s.order(0, PersistOrder::dfence));
}

TEST(SbrpDurability, persists_of_others_behind_it_cannot_keep_a_dfence_from_ending) {
  Scene s("sbrp", window(2));
  s.store(0, X);
  EXPECT_FALSE(s.order(0, PersistOrder::dfence));
  for (u32 i = 0; i < 20 && !(s.cache.resumed & 1); ++i) {  // a stream that never pauses
    s.store(1, 3 + i % 8);
    s.acknowledge();
  }
  EXPECT_TRUE(s.resumed(0));
}

// Eviction

TEST(SbrpEviction, a_line_that_nothing_orders_leaves_at_once) {
  Scene s("sbrp", lazy());
  s.store(0, X);
  s.store(1, Y);
  EXPECT_EQ(s.evict(2, Y), PersistHold::none);
  EXPECT_EQ(s.cache.left, Left{Y});
  EXPECT_EQ(s.store(1, Y), PersistHold::none) << "it may come again";
  EXPECT_FALSE(s.order(1, PersistOrder::dfence));
  s.cache.acknowledge_all(*s.model);
  EXPECT_EQ(s.cache.left, (Left{Y, X, Y}));
}

TEST(SbrpEviction, a_line_behind_an_order_of_its_warps_holds_the_evictor_until_acknowledgements_are_in) {
  Scene s("sbrp", window(1));
  s.cache.send_through();
  s.store(0, X);
  s.order(0, PersistOrder::ofence);
  s.store(0, Y);
  EXPECT_EQ(s.evict(3, Y), PersistHold::eviction);
  s.acknowledge();
  s.acknowledge();
  EXPECT_EQ(s.cache.left, (Left{X, Y}));
  EXPECT_FALSE(s.resumed(3));
  s.acknowledge();
  EXPECT_TRUE(s.resumed(3));
}

TEST(SbrpEviction, a_line_whose_warps_the_fsm_names_waits) {
  Scene s("sbrp", window(1));
  s.store(0, X);  // in flight
  s.order(0, PersistOrder::ofence);
  s.store(0, Y);
  EXPECT_EQ(s.evict(1, Y), PersistHold::eviction);
}

// Atomics and stores that go home at once

TEST(SbrpThrough, an_atomic_behind_an_order_of_its_warp_waits_and_counts_in_actr) {
  Scene s("sbrp", window(6));
  s.store(0, X);
  s.order(0, PersistOrder::ofence);
  EXPECT_EQ(s.through(0, Z), PersistHold::order);
  EXPECT_EQ(s.through(1, Z), PersistHold::none) << "a stranger's does not";
  s.acknowledge();
  EXPECT_TRUE(s.resumed(0)) << "the stranger's came later";
  EXPECT_EQ(s.through(0, Z), PersistHold::none);
  EXPECT_FALSE(s.order(0, PersistOrder::dfence)) << "its own atomic is in flight";
}

TEST(SbrpThrough, what_waits_of_its_line_goes_first) {
  Scene s("sbrp", lazy());
  s.store(0, X);
  EXPECT_EQ(s.through(1, X), PersistHold::none);
  EXPECT_EQ(s.cache.left, Left{X});
}

// 6.2, when persists leave

TEST(SbrpWindow, holds_exactly_n) {
  for (const u32 n : {1u, 6u}) {
    Scene s("sbrp", window(n));
    for (u32 way = 0; way < 8; ++way) s.store(0, way);
    EXPECT_EQ(s.cache.in_flight(), n);
    EXPECT_TRUE(s.cache.window_is_full);
    s.acknowledge();
    EXPECT_EQ(s.cache.in_flight(), n);
  }
}

TEST(SbrpWindow, is_for_persists_that_nobody_waits_for) {
  Scene s("sbrp", window(2));
  for (u32 way = 0; way < 8; ++way) s.store(0, way);
  EXPECT_FALSE(s.order(0, PersistOrder::dfence));
  EXPECT_EQ(s.cache.in_flight(), 8u) << "section 6.1: once the bitmask is set, we flush the persists";
  for (u32 way = 8; way < 12; ++way) s.store(1, way);
  EXPECT_EQ(s.cache.in_flight(), 8u);
}

TEST(SbrpPolicy, capped_keeps_what_is_waited_for_to_the_window_too) {
  Scene s("sbrp", {.window = 2, .policy = "capped"});
  for (u32 way = 0; way < 8; ++way) s.store(0, way);
  EXPECT_FALSE(s.order(0, PersistOrder::dfence));
  for (u32 sent = 2; sent < 8; ++sent) {
    EXPECT_EQ(s.cache.in_flight(), 2u);
    s.acknowledge();
  }
  EXPECT_FALSE(s.resumed(0));
  s.acknowledge();
  s.acknowledge();
  EXPECT_TRUE(s.resumed(0));
}

TEST(SbrpPolicy, capped_lets_one_more_out_for_a_store_without_room) {
  Scene s("sbrp", {.buffer = 250, .window = 2, .policy = "capped"}, 16);  // four entries
  for (u32 way = 0; way < 6; ++way) s.store(0, way);
  EXPECT_EQ(s.cache.in_flight(), 2u);
  EXPECT_EQ(s.store(0, 6), PersistHold::none);
  EXPECT_EQ(s.cache.in_flight(), 3u);
}

TEST(SbrpLeaving, from_the_head_alone_a_persist_that_waits_holds_all_behind_it_until_nothing_is_in_flight) {
  for (const bool head : {false, true}) {
    Scene s("sbrp", {.window = 8, .leaving = head ? "head" : "passing"});
    s.store(0, X);
    s.store(1, Y);
    s.order(0, PersistOrder::ofence);
    s.store(0, Z);
    s.store(2, 5);
    EXPECT_EQ(s.cache.left, head ? (Left{X, Y}) : (Left{X, Y, 5})) << "Z waits for X";
    s.acknowledge();
    EXPECT_EQ(s.cache.in_flight(), head ? 1u : 2u) << "ACTR is not zero";
    s.acknowledge();
    EXPECT_EQ(s.cache.left.size(), 4u);
  }
}

TEST(SbrpPolicy, eager_sends_as_soon_as_order_allows) {
  Scene s("sbrp", {.window = 2, .policy = "eager"});
  for (u32 way = 0; way < 8; ++way) s.store(0, way);
  EXPECT_EQ(s.cache.in_flight(), 8u);
  s.order(0, PersistOrder::ofence);
  s.store(0, 8);
  EXPECT_EQ(s.cache.in_flight(), 8u);
}

TEST(SbrpPolicy, lazy_sends_at_order_operations_and_when_the_buffer_is_full) {
  Scene s("sbrp", {.buffer = 250, .policy = "lazy"}, 16);  // four entries
  for (u32 way = 0; way < 4; ++way) s.store(0, way);
  EXPECT_EQ(s.cache.in_flight(), 0u);
  EXPECT_EQ(s.store(0, 4), PersistHold::none) << "one leaves to make room";
  EXPECT_EQ(s.cache.left, Left{0});
  s.order(0, PersistOrder::ofence);
  EXPECT_EQ(s.cache.in_flight(), 5u);
}

TEST(SbrpBuffer, is_a_share_of_the_lines) {
  EXPECT_EQ(buffer_entries({.buffer = 500}, 512), 256u);
  EXPECT_EQ(buffer_entries({.buffer = 125}, 512), 64u);
  EXPECT_EQ(buffer_entries({.buffer = 1}, 16), 1u);
}

TEST(SbrpBuffer, a_full_one_sends_its_oldest_and_holds_whoever_comes_when_that_may_not_leave) {
  Scene s("sbrp", {.buffer = 125, .window = 1}, 16);  // two entries
  s.store(0, 8);                                      // in flight
  s.order(0, PersistOrder::fence);
  s.store(0, X);  // waits for it
  s.store(0, Y);
  EXPECT_EQ(s.store(1, Z), PersistHold::buffer);
  EXPECT_FALSE(s.order(2, PersistOrder::p_release));
  s.acknowledge();
  EXPECT_EQ(s.cache.left, (Left{8, X}));
  EXPECT_TRUE(s.resumed(1));
  EXPECT_TRUE(s.resumed(2));
  EXPECT_TRUE(s.order(2, PersistOrder::p_release));
  EXPECT_EQ(s.store(1, Z), PersistHold::none) << "the oldest leaves for it";
  EXPECT_EQ(s.cache.left, (Left{8, X, Y}));
}

TEST(SbrpBuffer, what_nothing_orders_leaves_past_a_persist_that_waits) {
  Scene s("sbrp");
  s.store(0, X);
  s.order(0, PersistOrder::ofence);
  s.store(0, Y);
  s.store(1, Z);
  EXPECT_EQ(s.cache.left, (Left{X, Z}));
  s.order(1, PersistOrder::ofence);
  s.store(1, 5);
  EXPECT_EQ(s.cache.left, (Left{X, Z})) << "ordered behind Z";
}

TEST(SbrpBuffer, merging_past_others_as_the_artifact_does_loses_order) {
  for (const bool past : {false, true}) {
    SbrpConfig config = window(1);
    if (past) config.merge = "past-others";
    Scene s("sbrp", config);
    s.cache.send_through();  // the window is full
    s.store(0, X);
    s.order(0, PersistOrder::p_release);
    s.order(2, PersistOrder::p_acquire);
    s.store(1, Y);
    s.order(1, PersistOrder::p_release);
    s.order(2, PersistOrder::p_acquire);  // of what warp 1 released
    EXPECT_EQ(s.cache.entries, (past ? std::array<u32, 3>{0, 3, 1} : std::array<u32, 3>{0, 4, 0}));
  }
}

TEST(SbrpDrain, sends_everything_in_order) {
  Scene s("sbrp", lazy());
  s.store(0, X);
  s.order(0, PersistOrder::ofence);
  s.store(0, Y);
  EXPECT_FALSE(s.model->drain());
  s.acknowledge();
  EXPECT_EQ(s.cache.drains, 0u);
  s.acknowledge();
  EXPECT_EQ(s.cache.drains, 1u);
  EXPECT_EQ(s.cache.left, (Left{X, Y}));
  EXPECT_TRUE(s.model->drain());
}

/// The words of the [sbrp] section: policy, leaving, acquires.
using SectionWords = std::tuple<std::string, std::string, std::string>;
class SbrpProperty : public testing::TestWithParam<SectionWords> {};
INSTANTIATE_TEST_SUITE_P(Words, SbrpProperty,
                         testing::Combine(testing::Values("window", "capped", "eager", "lazy"),
                                          testing::Values("passing", "head"),
                                          testing::Values("matched", "all", "waiting")),
                         [](const auto& info) { return fmt::format("{}", fmt::join(info.param, "_")); });

/// Whatever warps do, and in whatever order lines are acknowledged: everyone goes on in the end.
TEST_P(SbrpProperty, no_warp_waits_for_ever) {
  const auto& [policy, leaving, acquires] = GetParam();
  for (u32 seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const SbrpConfig config{.buffer = static_cast<u32>(1000 * (1 + random() % 16) / 16),
                            .window = 1 + static_cast<u32>(random() % 4),
                            .policy = policy,
                            .leaving = leaving,
                            .acquires = acquires};
    Scene s("sbrp", config, 16);
    constexpr u32 warps = 4;
    u64 held = 0;
    struct Pending {
      bool is_store = false;
      u32 way = 0;
      PersistOrder order = PersistOrder::none;
      Scope scope = Scope::cta;
    };
    std::array<Pending, warps> pending;
    const auto attempt = [&](u32 warp) {
      const Pending& p = pending[warp];
      const bool went = p.is_store ? s.store(warp, p.way) == PersistHold::none : s.order(warp, p.order, p.scope);
      held = went ? held & ~(u64{1} << warp) : held | u64{1} << warp;
      if (went && !p.is_store && p.order == PersistOrder::p_release) s.model->on_flag(p.order, random() % 3, warp);
    };
    for (u32 step = 0; step < 400; ++step) {
      const u32 warp = random() % warps;
      if (!(held >> warp & 1)) {
        constexpr PersistOrder orders[] = {PersistOrder::ofence,    PersistOrder::dfence,      PersistOrder::p_release,
                                           PersistOrder::p_acquire, PersistOrder::fence,       PersistOrder::release,
                                           PersistOrder::acquire,   PersistOrder::barrier_over};
        pending[warp] = {random() % 3 != 0, static_cast<u32>(random() % 16), orders[random() % 8],
                         random() % 3 ? Scope::cta : Scope::gpu};
        if (pending[warp].order == PersistOrder::p_acquire && random() % 4)
          s.model->on_flag(PersistOrder::p_acquire, random() % 3, warp);
        attempt(warp);
      }
      if (s.cache.in_flight() && random() % 2) s.acknowledge();
      for (u32 w = 0; w < warps; ++w)
        if (s.resumed(w) && held >> w & 1) attempt(w);
    }
    for (u32 round = 0; held && round < 1000; ++round) {
      ASSERT_TRUE(s.cache.in_flight()) << "seed " << seed << ": held " << held << "\n" << s.model->what_is_under_way();
      s.acknowledge();
      for (u32 w = 0; w < warps; ++w)
        if (s.resumed(w) && held >> w & 1) attempt(w);
    }
    ASSERT_EQ(held, 0u) << "seed " << seed;
    if (!s.model->drain()) s.cache.acknowledge_all(*s.model);
    ASSERT_EQ(s.cache.in_flight(), 0u);
    ASSERT_TRUE(s.model->drain());
  }
}

}  // namespace
}  // namespace ew::persistency
