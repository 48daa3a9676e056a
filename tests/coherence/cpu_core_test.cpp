// A core of the host beside an SM: the image is current when a load is over, and nobody has a copy when a store is.
#include "memory/cpu_core.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "bench.hpp"

namespace ew::coherence {
namespace {

/// One 4-byte access at a time.
class Sm final : public Agent {
 public:
  ByteMask perform(u32, u32, u8* bytes) override {
    ++performed;
    if (store) {
      std::memcpy(bytes + 8, &value, 4);
      return {{u64{0xf} << 8, 0}};
    }
    std::memcpy(&value, bytes + 8, 4);
    return {};
  }
  void complete(u32, u32, ServedBy) override {}
  void wake() override {}
  void released(u32) override {}

  bool store = false;
  u32 value = 0, performed = 0;
};

struct CpuCoreTest : testing::TestWithParam<const char*> {
  CpuCoreTest() : bench(BenchConfig{.protocol = GetParam()}), core(bench.wheel), map(AddressMapConfig{}, space) {
    bench.add(sm);
    bench.add(core);
    bench.build();
    core.attach(*bench.caches[1], map, 128);
  }
  ~CpuCoreTest() override { EXPECT_TRUE(bench.quiescent()) << bench.what_is_under_way(); }

  void host(u64 address, u64 bytes, bool store) {
    core.start(address, bytes, store);
    while (core.busy() && bench.step()) {
    }
    EXPECT_FALSE(core.busy());
  }
  u32 sm_access(bool store, u32 value = 0) {
    sm.store = store;
    sm.value = value;
    Stall why{};
    bench.caches[0]->access(
        {.line = bench.data, .words = 4, .kind = store ? AccessKind::store : AccessKind::load, .scope = Scope::none},
        why);
    bench.run();
    return sm.value;
  }
  u32 words = 0;
  u32& image() { return *reinterpret_cast<u32*>(bench.data + 8); }

  Bench bench;
  AddressSpace space{u64{1} << 20};
  Sm sm;
  CpuCore core;
  AddressMap map;
};

TEST_P(CpuCoreTest, ALoadFindsWhatAnOwnerWrote) {
  sm_access(true, 77);
  if (GetParam() != std::string("mesi")) bench.caches[0]->release(Scope::sys, 0);
  bench.run();
  if (GetParam() == std::string("mesi")) {
    EXPECT_EQ(image(), 0u);
  }
  host(bench.data + 8, 4, false);
  EXPECT_EQ(image(), 77u);
  EXPECT_EQ(core.statistics().loads, 1u);
  EXPECT_GE(core.statistics().cycles, 2 * bench.network.latency);
}

TEST_P(CpuCoreTest, AStoreTakesTheCopiesAwayAndChangesNoByte) {
  image() = 5;
  EXPECT_EQ(sm_access(false), 5u);
  host(bench.data + 8, 4, true);
  EXPECT_EQ(image(), 5u);
  image() = 6;  // the host's own instruction
  if (GetParam() != std::string("mesi")) bench.caches[0]->acquire(Scope::sys);
  EXPECT_EQ(sm_access(false), 6u);
}

TEST_P(CpuCoreTest, ALongAccessVisitsEveryLine) {
  bench.network.watch = [&](Node to, const Request& request, bool before) {
    if (before && to >= bench.config.agents) words += static_cast<u32>(std::popcount(request.words));
  };
  host(bench.data + 100, 128 + 64, false);  // 28 bytes, a line, and 36 bytes
  EXPECT_EQ(words, 7u + 32 + 9);
  bench.network.watch = {};
}

INSTANTIATE_TEST_SUITE_P(Protocols, CpuCoreTest, testing::Values("gpu", "none-l1", "mesi"),
                         [](const auto& info) { return std::string(info.param).substr(0, 4); });

}  // namespace
}  // namespace ew::coherence
