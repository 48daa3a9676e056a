// What an epoch barrier costs, on a private cache that the test leads by the hand.
#include <gtest/gtest.h>

#include "mock_machinery.hpp"

namespace ew::persistency {
namespace {

using memory::PersistOrder;
using Left = std::vector<u32>;

TEST(EpochBarrier, sends_what_is_dirty_waits_until_it_is_durable_and_gives_up_copies) {
  Scene s("epoch");
  s.store(0, 1);
  s.store(1, 2);
  EXPECT_FALSE(s.order(0, PersistOrder::ofence));
  EXPECT_EQ(s.cache.left, (Left{1, 2})) << "the cache does not know whose they are";
  s.acknowledge();
  EXPECT_FALSE(s.order(0, PersistOrder::ofence));
  s.acknowledge();
  EXPECT_TRUE(s.resumed(0));
  EXPECT_TRUE(s.order(0, PersistOrder::ofence));
  EXPECT_EQ(s.cache.invalidations, 1u);
}

TEST(EpochBarrier, of_a_warp_that_has_accessed_nothing_persistent_since_its_last_one_drains_nothing) {
  for (const PersistOrder order : {PersistOrder::p_acquire, PersistOrder::barrier, PersistOrder::p_release}) {
    Scene s("epoch");
    s.store(0, 1);
    for (u32 i = 0; i < 10; ++i) EXPECT_TRUE(s.order(1, order)) << "a spin of another warp";
    EXPECT_TRUE(s.cache.left.empty());
    EXPECT_EQ(s.cache.invalidations, 10u) << "its copies may be stale all the same";
    EXPECT_FALSE(s.order(0, order));
    s.acknowledge();
    EXPECT_TRUE(s.order(0, order));
    s.store(1, 2);
    EXPECT_TRUE(s.order(0, order)) << "nothing since";
    s.cache.accessed |= 1;  // has read what warp 1 wrote, perhaps
    EXPECT_FALSE(s.order(0, order));
    EXPECT_EQ(s.cache.left, (Left{1, 2}));
  }
}

TEST(EpochBarrier, of_the_artifact_drains_whatever_there_is) {
  for (const PersistOrder order :
       {PersistOrder::p_acquire, PersistOrder::ofence, PersistOrder::fence, PersistOrder::barrier}) {
    const bool operation = order == PersistOrder::p_acquire || order == PersistOrder::ofence;
    Scene s("epoch-artifact");
    s.store(0, 1);
    EXPECT_FALSE(s.order(1, order)) << "of a warp that has persisted nothing";
    EXPECT_EQ(s.cache.left, Left{1});
    EXPECT_EQ(s.cache.volatile_flushes, operation ? 0u : 1u);
    s.acknowledge();
    EXPECT_TRUE(s.order(1, order));
    EXPECT_EQ(s.cache.invalidations, operation ? 1u : 0u);
    EXPECT_EQ(s.cache.full_invalidations, operation ? 0u : 1u);
  }
}

}  // namespace
}  // namespace ew::persistency
