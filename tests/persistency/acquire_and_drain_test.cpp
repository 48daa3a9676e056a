// What every persistency model must do at two moments that the random warps of contract_test.cpp do not look at: an
// acquire, behind which no copy of a persistent line may be stale, and a kernel's end.
#include "pool_bench.hpp"
#include "setups.hpp"

namespace ew::persistency {
namespace {

PersistBenchConfig config_of(const Setup& setup) {
  PersistBenchConfig config;
  config.model = setup.model->name;
  config.protocol = setup.protocol;
  apply(setup, config.persistency);
  return config;
}

class EachModel : public testing::TestWithParam<Setup> {
 protected:
  const persistency::Setup& given() const { return GetParam(); }
  /// Before the store of a release, and behind the load of an acquire, as an SM asks: where the operations of regions
  /// take the place of their fences, nothing else is asked.
  void release(Pool& s, u32 sm, PersistOrder kind, Scope scope) const {
    s.order(sm, kind, scope);
    if (!alone(kind)) s.bench.caches[sm]->release(scope, 0);
    s.rest();
  }
  void acquire(Pool& s, u32 sm, PersistOrder kind, Scope scope) const {
    s.order(sm, kind, scope);
    if (!alone(kind)) s.bench.caches[sm]->acquire(scope);
  }

 private:
  bool alone(PersistOrder kind) const {
    const bool region = kind == PersistOrder::p_release || kind == PersistOrder::p_acquire;
    return region && given().model->traits.regions;
  }
};

INSTANTIATE_TEST_SUITE_P(Persistency, EachModel, testing::ValuesIn(setups()),
                         [](const auto& info) { return info.param.name(); });

TEST_P(EachModel, what_was_released_is_read_behind_the_acquire_though_an_older_copy_lay_in_the_l1) {
  constexpr u32 data = 3, flag = 40;  // words of two lines
  for (const bool conventional : {false, true})
    for (const bool flag_in_pool : {false, true})
      for (const Scope scope : {Scope::gpu, Scope::sys}) {
        const PersistOrder before = conventional ? PersistOrder::release : PersistOrder::p_release;
        const PersistOrder behind = conventional ? PersistOrder::acquire : PersistOrder::p_acquire;
        Pool s(config_of(given()));
        const u64 at = flag_in_pool ? s.word(flag) : s.bench.data + 4 * u64{flag};
        ASSERT_EQ(s.load(1, s.word(data)), 0u) << "the older copy";
        for (u32 turn = 1; turn <= 3; ++turn) {
          s.store(0, s.word(data), turn);
          release(s, 0, before, scope);
          s.value(0, AccessKind::store, at, turn, true);
          s.bench.caches[0]->flag(before, at / 128, 1);
          s.rest();
          ASSERT_EQ(s.value(1, AccessKind::load, at, 0, true), turn);
          s.bench.caches[1]->flag(behind, at / 128, 1);
          acquire(s, 1, behind, scope);
          ASSERT_EQ(s.load(1, s.word(data)), turn)
              << "an SM acquired at device scope and reads what it held before: the model must give up the copies of "
                 "persistent lines (PersistMachinery::invalidate) where PersistOrder::p_acquire is over; "
              << (conventional ? "conventional" : "pRel and pAcq") << ", flag in "
              << (flag_in_pool ? "the pool" : "DRAM");
        }
      }
}

TEST_P(EachModel, at_a_kernels_end_everything_that_was_stored_is_durable) {
  Pool s(config_of(given()));
  constexpr u32 words = 6;
  for (u32 round = 1; round <= 3; ++round) {
    for (u32 i = 0; i < words; ++i) {
      // Not s.store(): it rests, so that what leaves by itself would be durable before the end.
      std::optional<u32> number;
      for (u32 t = 0; t < 10'000 && !(number = s.access(0, AccessKind::store, s.word(32 * i + i), 10 * round + i)); ++t)
        s.step();
      ASSERT_TRUE(number);
    }
    const u32 releases = s.hands[0].releases;
    if (!s.bench.caches[0]->end_kernel(7))
      for (u32 t = 0; t < 100'000 && s.hands[0].releases == releases; ++t) s.step();
    ASSERT_FALSE(s.bench.caches[0]->persist_machinery().in_flight())
        << "the kernel has ended and persists are on their way: Persistency::drain() was over before them";
    for (u32 i = 0; i < words; ++i)
      ASSERT_EQ(s.durable(s.word(32 * i + i)), 10 * round + i)
          << "the kernel has ended; word " << i << " of round " << round;
  }
}

}  // namespace
}  // namespace ew::persistency
