// Words of a pool under the denovo protocols: what has left as a persist stays owned (AgentPolicy::owns_what_left).
// What an SM reads is never older than its last acquire allows, whoever owned it.
#include <gtest/gtest.h>

#include "pool_bench.hpp"

namespace ew::persistency {
namespace {

struct Case {
  std::string_view model, protocol;
  friend void PrintTo(const Case& one, std::ostream* out) { *out << one.model << " on " << one.protocol; }
};
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Model& model : models())
    for (const coherence::Model& protocol : coherence::models())
      if (model.make && protocol.pools && protocol.pools->owns_what_left && !model.traits.write_through)
        all.push_back({model.name, protocol.name});
  return all;
}

class OwnedPersists : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Cases, OwnedPersists, testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = std::string(info.param.model) + "_" + std::string(info.param.protocol);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(OwnedPersists, a_word_stays_owned_when_it_is_durable) {
  Pool s(GetParam().model, GetParam().protocol);
  s.store(0, s.word(3), 7);
  s.persist(0);
  EXPECT_EQ(s.durable(s.word(3)), 7u);
  EXPECT_TRUE(s.owned(0, s.word(3)));
  s.acquire(0);
  const auto again = s.access(0, AccessKind::load, s.word(3));
  EXPECT_TRUE(again && s.performed(0, *again)) << "an acquire does not drop it: a hit";
}

TEST_P(OwnedPersists, others_read_what_has_left_and_the_owner_hears_nothing) {
  Pool s(GetParam().model, GetParam().protocol);
  s.store(0, s.word(3), 7);
  s.persist(0);
  EXPECT_EQ(s.load(1, s.word(3)), 7u);
  EXPECT_TRUE(s.owned(0, s.word(3)));
  EXPECT_EQ(s.forwards(), 0u);
}

TEST_P(OwnedPersists, another_writer_takes_the_word_before_its_write_is_over) {
  for (const AccessKind kind : {AccessKind::store, AccessKind::atomic}) {
    Pool s(GetParam().model, GetParam().protocol);
    s.store(0, s.word(3), 7);
    s.store(0, s.word(4), 8);
    s.persist(0);
    s.value(1, kind, s.word(3), 20, kind == AccessKind::atomic);
    s.persist(1);
    EXPECT_FALSE(s.owned(0, s.word(3)));
    EXPECT_TRUE(s.owned(0, s.word(4))) << "no other word";
    s.acquire(0);
    const u32 expected = kind == AccessKind::store ? 20 : 27;
    EXPECT_EQ(s.load(0, s.word(3)), expected);
    EXPECT_EQ(s.durable(s.word(3)), expected);
  }
}

TEST_P(OwnedPersists, what_has_not_left_is_nobodys_business) {
  if (find_model(GetParam().model)->traits.buffered) GTEST_SKIP() << "persists leave as soon as there is room";
  Pool s(GetParam().model, GetParam().protocol);
  s.store(0, s.word(3), 7);
  s.persist(0);
  s.store(0, s.word(3), 9);  // owned, and changed again
  EXPECT_EQ(s.load(1, s.word(3)), 7u);
  s.store(1, s.word(3), 11);
  s.persist(1);
  EXPECT_EQ(s.durable(s.word(3)), 11u);
  EXPECT_EQ(s.load(0, s.word(3)), 9u) << "its own store, which is still to come";
  s.persist(0);
  EXPECT_EQ(s.durable(s.word(3)), 9u) << "the last that left";
  s.acquire(1);
  EXPECT_EQ(s.load(1, s.word(3)), 9u);
}

TEST_P(OwnedPersists, an_atomic_of_the_owner_goes_home_past_its_copy) {
  Pool s(GetParam().model, GetParam().protocol);
  s.store(0, s.word(3), 7);
  s.persist(0);
  EXPECT_EQ(s.value(0, AccessKind::atomic, s.word(3), 5, true), 7u);
  s.persist(0);
  EXPECT_EQ(s.load(0, s.word(3)), 12u);
  EXPECT_EQ(s.durable(s.word(3)), 12u);
}

/// Each SM counts words of its own up, in lines that all share; caches and homes have less room than that. A reader
/// sees no value from before the last persist that was over when it acquired, and none twice in the wrong order.
TEST_P(OwnedPersists, random_writers_and_readers) {
  constexpr u32 sms = 3, words = 480;  // of 15 lines
  for (u32 seed = 1; seed <= 6; ++seed) {
    Pool s(GetParam().model, GetParam().protocol, sms, seed);
    std::mt19937 random(seed);
    std::vector<u32> written(words), persisted(words);
    std::vector<std::vector<u32>> least(sms, std::vector<u32>(words));
    for (u32 round = 0; round < 3000; ++round) {
      const u32 sm = random() % sms;
      const u32 word = random() % 4 ? random() % 40 : random() % words;
      switch (random() % 8) {
        case 0:
          s.persist(sm);
          for (u32 i = sm; i < words; i += sms) persisted[i] = written[i];
          break;
        case 1:
          s.acquire(sm);
          for (u32 i = 0; i < words; ++i) least[sm][i] = std::max(least[sm][i], persisted[i]);
          break;
        case 2:
        case 3:
        case 4: {
          const u32 mine = word - word % sms + sm;
          if (mine >= words) break;
          if (random() % 8 == 0) {
            EXPECT_EQ(s.value(sm, AccessKind::atomic, s.word(mine), 1, true), written[mine]);
            persisted[mine] = ++written[mine];  // at the home
          } else {
            s.store(sm, s.word(mine), ++written[mine]);
          }
          break;
        }
        default: {
          const bool strong = random() % 4 == 0;
          const u32 value = s.value(sm, AccessKind::load, s.word(word), 0, strong);
          const u32 known = word % sms == sm ? written[word] : strong ? persisted[word] : least[sm][word];
          EXPECT_GE(value, known) << "SM " << sm << " reads word " << word << ", seed " << seed << ", round " << round;
          EXPECT_LE(value, written[word]);
          least[sm][word] = std::max(least[sm][word], value);
        }
      }
      if (testing::Test::HasFailure()) return;
    }
    for (u32 sm = 0; sm < sms; ++sm) s.persist(sm);
    for (u32 word = 0; word < words; ++word) EXPECT_EQ(s.durable(s.word(word)), written[word]) << "word " << word;
  }
}

}  // namespace
}  // namespace ew::persistency
