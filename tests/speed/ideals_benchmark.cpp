// How fast order ideals are enumerated (items_per_second: ideals), bare; the target is 50 M/s.
#include <benchmark/benchmark.h>

#include "check/ideals.hpp"

namespace {

using namespace ew;
using namespace ew::check;

template <class Bits>
SmallOrder<Bits> chains(u32 count, u32 length) {
  SmallOrder<Bits> order(count * length);
  for (u32 e = 0; e < count * length; ++e)
    if (e % length) order.add(e - 1, e);
  order.close();
  return order;
}

template <class Bits>
SmallOrder<Bits> random_order(u32 size, u32 percent) {
  SmallOrder<Bits> order(size);
  std::mt19937_64 random(11);
  for (u32 a = 0; a < size; ++a)
    for (u32 b = a + 1; b < size; ++b)
      if (random() % 100 < percent) order.add(a, b);
  order.close();
  return order;
}

template <class Bits>
void enumerate(benchmark::State& state, const SmallOrder<Bits>& order) {
  u64 ideals = 0;
  for (auto _ : state) {
    Bits mixed = 0;
    order.each_ideal([&](Bits ideal) {
      mixed ^= ideal;
      ++ideals;
      return true;
    });
    benchmark::DoNotOptimize(mixed);
  }
  state.SetItemsProcessed(static_cast<i64>(ideals));
}

struct Count final : IdealWalk {
  void enter(u32) override {}
  void leave(u32) override {}
  bool visit() override {
    ++ideals;
    return true;
  }
  u64 ideals = 0;
};

void walk(benchmark::State& state) {
  std::vector<SparseOrder::Edge> edges;
  for (u32 e = 0; e < 24; ++e)
    if (e % 3) edges.push_back({e - 1, e});
  const SparseOrder order(24, edges);
  const IdealRange range = whole(order);
  Count count;
  for (auto _ : state) each_ideal(order, range, count);
  state.SetItemsProcessed(static_cast<i64>(count.ideals));
}

}  // namespace

int main(int argc, char** argv) {
  const auto add = [](const char* name, auto order) {
    benchmark::RegisterBenchmark(name, [order](benchmark::State& state) {
      enumerate(state, order);
    })->Unit(benchmark::kMillisecond);
  };
  add("antichain_24", SmallOrder<u64>(24));
  add("chains_8x3", chains<u64>(8, 3));
  add("chains_12x2_of_128", chains<u128>(12, 2));
  add("random_40_10%", random_order<u64>(40, 10));
  add("random_60_20%_of_128", random_order<u128>(60, 20));
  benchmark::RegisterBenchmark("walk_8x3", walk)->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
