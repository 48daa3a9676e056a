// Words of a pool under the denovo protocols: what has left as a persist stays owned (AgentPolicy::owns_what_left).
// What an SM reads is never older than its last acquire allows, whoever owned it.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "persist_bench.hpp"

namespace ew::persistency {
using memory::BenchAgent;

namespace {

/// Led by the hand: every access is of one word.
class Hand final : public BenchAgent {
 public:
  struct Done {
    AccessKind kind;
    u32 offset, value;
    bool performed = false;
  };
  ByteMask perform(u32 access, u32, u8* bytes) override {
    Done& done = all[access];
    done.performed = true;
    u32 before;
    std::memcpy(&before, bytes + done.offset, 4);
    ByteMask mask;
    if (done.kind == AccessKind::load) {
      done.value = before;
      return mask;
    }
    const u32 after = done.kind == AccessKind::store ? done.value : before + done.value;
    std::memcpy(bytes + done.offset, &after, 4);
    done.value = done.kind == AccessKind::store ? done.value : before;
    mask.bits[done.offset / 64] |= u64{15} << (done.offset % 64);
    return mask;
  }
  void complete(u32, u32, ServedBy) override {}
  void wake() override {}
  void released(u32) override { ++releases; }

  std::deque<Done> all;
  u32 releases = 0;
};

class Pool {
 public:
  Pool(std::string_view model, std::string_view protocol, u32 agents = 2, u32 seed = 1)
      : bench([&] {
          PersistBenchConfig config;
          config.model = model, config.protocol = protocol, config.agents = agents, config.seed = seed;
          return config;
        }()),
        hands(agents) {
    for (Hand& hand : hands) bench.add(hand);
    bench.build();
  }
  ~Pool() {
    rest();
    EXPECT_TRUE(bench.quiescent()) << bench.what_is_under_way();
  }

  u64 word(u32 number) const { return bench.pool + 4 * u64{number}; }
  /// The access's number; nothing if it was stalled.
  std::optional<u32> access(u32 sm, AccessKind kind, u64 address, u32 value = 0, bool strong = false) {
    Hand& hand = hands[sm];
    const u32 line = bench.config.cache.line, offset = static_cast<u32>(address % line);
    hand.all.push_back({kind, offset, value});
    LineAccess a{.line = address - offset, .access = static_cast<u32>(hand.all.size() - 1), .kind = kind};
    a.words = WordMask{1} << offset / 4;
    a.place = bench.map().place(a.line);
    a.whole_words = kind == AccessKind::store;
    a.strong = strong;
    a.scope = strong ? Scope::gpu : Scope::none;
    a.warp = 1;
    Stall why = Stall::none;
    if (bench.caches[sm]->access(a, why) != Accepted::stalled) return a.access;
    hand.all.pop_back();
    return {};
  }
  bool performed(u32 sm, u32 number) const { return hands[sm].all[number].performed; }
  void step() {
    bench.wheel.run_due();
    bench.wheel.advance(bench.wheel.now() + 1);
  }
  void rest() {
    for (u32 i = 0; i < 100'000 && (!bench.quiescent() || i < 50); ++i) step();
  }
  u32 value(u32 sm, AccessKind kind, u64 address, u32 operand = 0, bool strong = false) {
    std::optional<u32> number;
    for (u32 i = 0; i < 10'000 && !(number = access(sm, kind, address, operand, strong)); ++i) step();
    EXPECT_TRUE(number) << "never accepted";
    rest();
    EXPECT_TRUE(performed(sm, *number));
    return hands[sm].all[*number].value;
  }
  u32 load(u32 sm, u64 address) { return value(sm, AccessKind::load, address); }
  void store(u32 sm, u64 address, u32 what) { value(sm, AccessKind::store, address, what); }
  void acquire(u32 sm) { bench.caches[sm]->acquire(Scope::gpu); }
  /// What the SM has stored is durable.
  void persist(u32 sm) {
    for (u32 i = 0; i < 10'000; ++i) {
      if (bench.caches[sm]->order(PersistOrder::dfence, Scope::gpu, 2)) break;
      step();
    }
    bench.caches[sm]->release(Scope::gpu, 0);
    rest();
  }
  bool owned(u32 sm, u64 address) const { return bench.caches[sm]->peek(address).owned; }
  u32 durable(u64 address) const {
    u32 value = 0;
    for (const BenchNvm::Write& write : bench.nvm->log) {
      const u64 offset = address - write.line;
      if (address >= write.line && offset < bench.config.cache.line &&
          write.bytes.valid.bits[offset / 64] >> offset % 64 & 1)
        std::memcpy(&value, write.bytes.bytes.data() + offset, 4);
    }
    return value;
  }
  u64 forwards() const {
    u64 sum = 0;
    for (const auto& home : bench.homes) sum += home->statistics().forwards;
    return sum;
  }

  PersistBench bench;
  std::deque<Hand> hands;
};

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
