// What a private cache counts while persists wait for a place in the window.
#include <gtest/gtest.h>

#include <cstring>

#include "persist_bench.hpp"
#include "persistency/sbrp_config.hpp"

namespace ew::persistency {
using memory::BenchAgent;

namespace {

/// One lane that stores words of a pool.
class Storer final : public BenchAgent {
 public:
  ByteMask perform(u32, u32, u8* bytes) override {
    const u32 value = 7;
    std::memcpy(bytes, &value, 4);
    ByteMask mask;
    mask.bits[0] = 0xf;
    return mask;
  }
  void complete(u32, u32, ServedBy) override {}
  void wake() override {}
  void resume(u64) override {}
  void released(u32) override {}
};

TEST(Window, is_full_from_the_store_that_waits_to_the_acknowledgement_before_it) {
  PersistBenchConfig config;
  config.persistency.sections.of<SbrpConfig>() = {.window = 1, .policy = "window"};
  config.agents = 1;
  Storer storer;
  PersistBench bench(config);
  bench.nvm->spread = 1;
  bench.add(storer);
  bench.build();
  u64 lines = 0;
  const auto store_two_and_rest = [&] {
    for (u32 i = 0; i < 2; ++i) {
      LineAccess access{.line = bench.pool + lines++ * 128, .words = 1, .kind = AccessKind::store};
      access.place = bench.map().place(access.line);
      Stall why = Stall::none;
      while (bench.caches[0]->access(access, why) == Accepted::stalled) {
        bench.wheel.advance(bench.wheel.now() + 1);
        bench.wheel.run_due();
      }
    }
    const Cycle begin = bench.wheel.now();
    while (bench.wheel.next() != core::never) {
      bench.wheel.advance(bench.wheel.next());
      bench.wheel.run_due();
    }
    return bench.wheel.now() - begin;
  };
  u64 counted = 0;
  for (u32 time = 0; time < 3; ++time) {
    bench.wheel.advance(bench.wheel.now() + 5000);
    const Cycle taken = store_two_and_rest();
    const u64 full = bench.caches[0]->statistics().persist.window_full_cycles - counted;
    EXPECT_GT(full, 20u) << "as long as a persist takes";
    EXPECT_LT(full, taken);
    counted += full;
  }
}

}  // namespace
}  // namespace ew::persistency
