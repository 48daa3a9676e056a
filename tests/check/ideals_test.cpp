// Order ideals: against every subset of small random orders, and the guarantees of the pair cover and of random ideals.
#include "check/ideals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace ew::check {
namespace {

struct RandomOrder {
  u32 size;
  std::vector<SparseOrder::Edge> edges;

  RandomOrder(std::mt19937_64& random, u32 most) : size(1 + static_cast<u32>(random() % most)) {
    const u64 density = 1 + random() % 8;
    for (u32 a = 0; a < size; ++a)
      for (u32 b = a + 1; b < size; ++b)
        if (random() % 10 < density) edges.push_back({a, b});
  }
  template <class Bits>
  SmallOrder<Bits> small() const {
    SmallOrder<Bits> order(size);
    for (const auto& [from, to] : edges) order.add(from, to);
    order.close();
    return order;
  }
  SparseOrder sparse() const { return SparseOrder(size, edges); }
  bool is_ideal(u64 set) const {
    return std::ranges::all_of(edges, [&](const auto& e) { return ((set >> e.from) & 1) || !((set >> e.to) & 1); });
  }
  /// By definition.
  std::set<u64> ideals(u64 lower, u64 upper) const {
    std::set<u64> result;
    for (u64 set = 0; set < u64{1} << size; ++set)
      if (is_ideal(set) && (set & lower) == lower && (set & ~upper) == 0) result.insert(set);
    return result;
  }
};

Members members(u64 set, u32 size) {
  Members result(size);
  for (u32 e = 0; e < size; ++e) result[e] = (set >> e) & 1;
  return result;
}
u64 bits(const Members& set) {
  u64 result = 0;
  for (u32 e = 0; e < set.size(); ++e) result |= u64{set[e]} << e;
  return result;
}

struct Collect final : IdealWalk {
  void enter(u32 e) override {
    EXPECT_FALSE((ideal >> e) & 1);
    ideal |= u64{1} << e;
  }
  void leave(u32 e) override {
    EXPECT_TRUE((ideal >> e) & 1);
    ideal &= ~(u64{1} << e);
  }
  bool visit() override {
    EXPECT_TRUE(seen.insert(ideal).second) << "twice";
    return seen.size() < limit;
  }
  u64 ideal = 0, limit = ~u64{0};
  std::set<u64> seen;
};

/// Calls check(order, lower, upper, ideals between them).
template <class Check>
void for_random_ranges(u64 count, u32 most, Check&& check) {
  std::mt19937_64 random(7);
  for (u64 i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const RandomOrder order(random, most);
    const auto all = order.ideals(0, ~u64{0});
    const std::vector<u64> list(all.begin(), all.end());
    u64 lower = list[random() % list.size()], upper = list[random() % list.size()];
    if (i % 3 == 0) lower = 0, upper = list.back();
    if ((lower & ~upper) != 0) std::swap(lower &= upper, lower);  // ideals are closed under intersection
    check(order, lower, upper, order.ideals(lower, upper), random);
  }
}

TEST(Ideals, AreExactlyTheDownSets) {
  for_random_ranges(300, 10, [](const RandomOrder& order, u64 lower, u64 upper, const std::set<u64>& expected, auto&) {
    std::set<u64> seen;
    order.small<u64>().each_ideal_between(lower, upper, [&](u64 ideal) {
      EXPECT_TRUE(seen.insert(ideal).second);
      return true;
    });
    EXPECT_EQ(seen, expected);
    seen.clear();
    order.small<u128>().each_ideal_between(lower, upper, [&](u128 ideal) {
      EXPECT_TRUE(seen.insert(static_cast<u64>(ideal)).second);
      return true;
    });
    EXPECT_EQ(seen, expected);
    Collect walk;
    walk.ideal = lower;
    EXPECT_TRUE(each_ideal(order.sparse(), {members(lower, order.size), members(upper, order.size)}, walk));
    EXPECT_EQ(walk.seen, expected);
    EXPECT_EQ(walk.ideal, lower);
  });
}

TEST(Ideals, StopWhenAsked) {
  SmallOrder<u64> antichain(40);
  EXPECT_EQ(antichain.count(1000), 1000u);
  Collect walk;
  walk.limit = 17;
  const SparseOrder sparse(40, {});
  EXPECT_FALSE(each_ideal(sparse, whole(sparse), walk));
  EXPECT_EQ(walk.seen.size(), 17u);
}

TEST(Ideals, OfManyElements) {
  SmallOrder<u128> chain(128);
  for (u32 e = 0; e + 1 < 128; ++e) chain.add(e, e + 1);
  chain.close();
  EXPECT_EQ(chain.count(), 129u);
  EXPECT_TRUE(chain.precedes(0, 127));
  EXPECT_EQ(chain.before(127), chain.all() & ~(u128{1} << 127));
  SmallOrder<u128> pairs(24);  // 12 chains of 2
  for (u32 e = 0; e < 24; e += 2) pairs.add(e, e + 1);
  pairs.close();
  EXPECT_EQ(pairs.count(), 531441u);
  std::vector<SparseOrder::Edge> edges;
  for (u32 e = 0; e + 1 < 100'000; ++e) edges.push_back({e, e + 1});
  const SparseOrder long_chain(100'000, edges);
  const IdealCount count = count_ideals(long_chain, whole(long_chain), 1'000'000);
  EXPECT_TRUE(count.exact);
  EXPECT_EQ(count.number, 100'001u);
}

TEST(Ideals, AreCountedByComponents) {
  for_random_ranges(300, 10, [](const RandomOrder& order, u64 lower, u64 upper, const std::set<u64>& expected, auto&) {
    const IdealRange range{members(lower, order.size), members(upper, order.size)};
    const IdealCount exact = count_ideals(order.sparse(), range, 1 << 12);
    EXPECT_TRUE(exact.exact);
    EXPECT_EQ(exact.number, expected.size());
    const IdealCount bound = count_ideals(order.sparse(), range, 2);
    EXPECT_GE(bound.number, expected.size());
  });
  std::vector<SparseOrder::Edge> edges;  // 1000 chains of 4: (4 + 1)^1000
  for (u32 c = 0; c < 1000; ++c)
    for (u32 e = 0; e < 3; ++e) edges.push_back({4 * c + e, 4 * c + e + 1});
  const SparseOrder chains(4000, edges);
  const IdealCount count = count_ideals(chains, whole(chains), 100);
  EXPECT_TRUE(count.exact);
  EXPECT_NEAR(count.log2, 2321.93, 0.01);
  EXPECT_EQ(count.number, ~u64{0});
}

u64 apply(const CoverState& state, u64 lower, u64 upper) {
  u64 elements = 0;
  for (const u32 e : state.elements) elements |= u64{1} << e;
  return state.without ? upper & ~elements : lower | elements;
}

TEST(PairCover, HoldsEveryPossibleConditionWithOnePresentOrOneAbsent) {
  for_random_ranges(
      200, 9, [](const RandomOrder& order, u64 lower, u64 upper, const std::set<u64>& ideals, auto& random) {
        const SparseOrder sparse = order.sparse();
        const IdealRange range{members(lower, order.size), members(upper, order.size)};
        PairCover cover(sparse, range);
        std::set<u64> states;
        for (u64 i = 0; i < cover.states(); ++i) {
          const u64 state = apply(cover.state(i), lower, upper);
          EXPECT_TRUE(ideals.contains(state));
          states.insert(state);
        }
        for (int i = 0; i < 200; ++i) {
          u64 one = u64{1} << (random() % order.size), others = random() & ((u64{1} << order.size) - 1) & ~one;
          const bool present = random() & 1;
          const auto holds = [&](u64 set) {
            const u64 in = present ? one : others, out = present ? others : one;
            return (set & in) == in && (set & out) == 0;
          };
          EXPECT_EQ(std::ranges::any_of(ideals, holds), std::ranges::any_of(states, holds));
        }
      });
}

TEST(RandomIdealsTest, AreIdealsOfTheRange) {
  for_random_ranges(200, 10,
                    [](const RandomOrder& order, u64 lower, u64 upper, const std::set<u64>& ideals, auto& random) {
                      const SparseOrder sparse = order.sparse();
                      const IdealRange range{members(lower, order.size), members(upper, order.size)};
                      RandomIdeals source(sparse, range, random());
                      Members ideal;
                      for (int i = 0; i < 20; ++i) {
                        EXPECT_TRUE(source.uniform(ideal));
                        EXPECT_TRUE(ideals.contains(bits(ideal)));
                        source.prefix(ideal);
                        EXPECT_TRUE(ideals.contains(bits(ideal)));
                      }
                    });
}

void expect_uniform(const SparseOrder& order, std::size_t ideals) {
  const IdealRange range = whole(order);
  RandomIdeals source(order, range, 5);
  std::map<Members, u32> seen;
  Members ideal;
  const u32 draws = static_cast<u32>(ideals) * 400;
  for (u32 i = 0; i < draws; ++i) {
    ASSERT_TRUE(source.uniform(ideal));
    ++seen[ideal];
  }
  EXPECT_EQ(seen.size(), ideals);
  double chi_squared = 0;
  for (const auto& [state, count] : seen) chi_squared += (count - 400.0) * (count - 400.0) / 400.0;
  EXPECT_LT(chi_squared, 2.0 * static_cast<double>(ideals) + 20);
}

TEST(RandomIdealsTest, AreAllAsLikely) {
  expect_uniform(SparseOrder(6, {{0, 1}, {1, 2}, {3, 4}}), 24);                          // chains: 4 * 3 * 2
  expect_uniform(SparseOrder(7, {{0, 2}, {1, 2}, {2, 3}, {2, 4}, {0, 5}, {5, 6}}), 20);  // neither
}

TEST(RandomIdealsTest, RepeatWithTheirSeed) {
  const SparseOrder order(7, {{0, 2}, {1, 2}, {2, 3}, {2, 4}, {0, 5}, {5, 6}});
  const IdealRange range = whole(order);
  RandomIdeals a(order, range, 3), b(order, range, 3);
  Members x, y;
  for (int i = 0; i < 50; ++i) {
    i % 2 ? a.prefix(x) : (void)a.uniform(x);
    i % 2 ? b.prefix(y) : (void)b.uniform(y);
    EXPECT_EQ(x, y);
  }
}

}  // namespace
}  // namespace ew::check
