// Non-volatile memory, near and far, against its figures and against what a crash may leave.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "device_bench.hpp"

namespace ew::media {
namespace {

using namespace core::literals;

constexpr core::Kilohertz sm_clock = 1365_MHz;
constexpr u32 sector = 32, line = 128, access = 256;

/// The GPM paper's microbenchmark as the device sees it: warps that each persist a stretch of their own, 256 bytes at a
/// time (8 bytes a thread), and go on in no order: more streams than any buffer has granules.
struct Streams {
  static constexpr u32 count = 2304, steps = 12;  // 72 SMs of 32 warps
  static constexpr u64 stretch = 64 * 1024;

  /// In rounds; in each round every warp once, in another order.
  template <class Visitor>
  static void each(Visitor&& visit) {
    std::mt19937 random(3);
    std::vector<u32> order(count);
    for (u32 i = 0; i < count; ++i) order[i] = i;
    for (u32 step = 0; step < steps; ++step) {
      std::shuffle(order.begin(), order.end(), random);
      for (const u32 warp : order) visit(warp * stretch + u64{step} * access);
    }
  }
};

double gigabytes_per_second(DeviceBench& bench, u64 bytes) {
  bench.run();
  bench.expect_all_done_once();
  return static_cast<double>(bytes) / bench.seconds() / 1e9;
}

/// An access of 256 bytes as the GPU sends it: a request for each line that it touches.
void ask_access(DeviceBench& bench, u64 address) {
  for (u64 at = address; at < address + access;) {
    const u64 end = std::min(address + access, at / line * line + line);
    bench.ask(at, static_cast<u32>(end - at), true);
    at = end;
  }
}

MediaConfig optane() {
  MediaConfig config;
  config.nvm.ddio = false;  // gpm_persist_begin
  return config;
}

// GPM, section 6.1, "Using a microbenchmark": 12.5, 3.13 and 0.72 GB/s.
TEST(Nvm, SequentialAlignedWritesHaveThePublishedBandwidth) {
  DeviceBench bench("host-nvm", optane(), sm_clock);
  Streams::each([&](u64 address) { ask_access(bench, address); });
  EXPECT_NEAR(gigabytes_per_second(bench, u64{Streams::count} * Streams::steps * access), 12.5, 12.5 * 0.05);
  EXPECT_EQ(bench.device().statistics().granules_merged, 0u);
}

TEST(Nvm, SequentialUnalignedWritesHaveThePublishedBandwidth) {
  for (const u64 offset : {32u, 64u, 128u, 224u}) {
    DeviceBench bench("host-nvm", optane(), sm_clock);
    Streams::each([&](u64 address) { ask_access(bench, address + offset); });
    EXPECT_NEAR(gigabytes_per_second(bench, u64{Streams::count} * Streams::steps * access), 3.13, 3.13 * 0.05)
        << offset;
  }
}

TEST(Nvm, RandomWritesHaveThePublishedBandwidth) {
  DeviceBench bench("host-nvm", optane(), sm_clock);
  std::mt19937_64 random(1);
  constexpr u32 requests = 60'000;
  for (u32 i = 0; i < requests; ++i) bench.ask(random() % (u64{1} << 30) / sector * sector, sector, true);
  EXPECT_NEAR(gigabytes_per_second(bench, u64{requests} * sector), 0.72, 0.72 * 0.05);
}

}  // namespace
}  // namespace ew::media
