// A copy engine beside SMs, under every protocol: it reads what an owner wrote, and nobody keeps an old copy of what it
// has written.
#include <gtest/gtest.h>

#include "memory/dma_engine.hpp"
#include "scene.hpp"

namespace ew::memory {
namespace {

/// Two SMs, and an engine with one port at a node of its own.
class CopyScene : public Scene {
 public:
  explicit CopyScene(std::string_view protocol)
      : Scene(std::string(protocol), 3),
        pages(bench.map()),
        engine(
            {.outstanding = 4, .ports = 1},
            {.port = {.wheel = bench.wheel,
                      .payloads = bench.payloads,
                      .network = bench.network,
                      .map = bench.map(),
                      .id = 2,
                      .agents = bench.config.agents,
                      .line = bench.config.cache.line,
                      .persists = false},
             .host = *bench.devices[0],
             .pages = pages},
            [](u64) {}, [this](u64) { ++over; }) {}

  void copy(u64 to, u64 from, u64 bytes) {
    engine.start(1, {.to = {.address = to}, .from = {.address = from}, .width = bytes});
    bench.run();
  }

  HostPages pages;
  DmaEngine engine;
  u32 over = 0;
};

class CopyEngine : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Protocols, CopyEngine, ::testing::ValuesIn(protocol_names()), test_name);

TEST_P(CopyEngine, reads_what_an_owner_wrote) {
  CopyScene s(GetParam());
  for (u32 word = 0; word < 64; ++word) s.write(word % 2, s.line(0) + 4 * word, 100 + word);
  s.release(0), s.release(1);
  s.copy(s.line(4) + 8, s.line(0), 256);  // cut differently at the two sides
  EXPECT_EQ(s.over, 1u);
  EXPECT_TRUE(s.engine.idle());
  for (u32 word = 0; word < 64; ++word) {
    EXPECT_EQ(s.image(s.line(4) + 8 + 4 * word), 100 + word);
    EXPECT_EQ(s.read(word % 2, s.line(0) + 4 * word), 100 + word) << "the owners have lost nothing";
  }
  EXPECT_EQ(s.engine.statistics().bytes_to_homes, 256u);
}

TEST_P(CopyEngine, writes_over_what_others_own) {
  CopyScene s(GetParam());
  for (u32 word = 0; word < 32; ++word) s.write(0, s.line(0) + 4 * word, 100 + word);
  for (u32 word = 0; word < 32; ++word) s.write(word % 2, s.line(1) + 4 * word, 7);
  s.release(0), s.release(1);
  s.copy(s.line(1) + 6, s.line(0) + 6, 52);  // part of a line, and parts of its words
  for (const u32 sm : {0u, 1u}) {
    s.bench.caches[sm]->acquire(Scope::gpu);
    for (u32 word = 0; word < 32; ++word) {
      u32 want = 7;
      for (u32 byte = 0; byte < 4; ++byte)
        if (const u32 at = 4 * word + byte; at >= 6 && at < 58) {
          want &= ~(0xffu << 8 * byte);
          want |= ((100 + word) & (0xffu << 8 * byte));
        }
      EXPECT_EQ(s.read(sm, s.line(1) + 4 * word), want) << "SM " << sm << ", word " << word;
    }
  }
}

}  // namespace
}  // namespace ew::memory
