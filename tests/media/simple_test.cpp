// Memory of model `simple`: exactly one latency and one bandwidth.
#include <gtest/gtest.h>

#include "core/configuration.hpp"
#include "device_bench.hpp"

namespace ew::media {
namespace {

constexpr core::Kilohertz sm_clock{1'000'000};  // a cycle is a nanosecond

/// As a machine file says it.
MediaConfig with(std::initializer_list<std::string_view> settings) {
  MediaConfig config;
  std::vector<core::Field> fields;
  core::collect_sections(media_kinds(), config.sections, fields);
  for (const std::string_view setting : settings) core::apply_setting(setting, fields);
  return config;
}

TEST(SimpleMemory, WithoutALimitEveryRequestTakesTheLatency) {
  DeviceBench b("simple", with({"simple.latency=70"}), sm_clock);
  for (u32 i = 0; i < 100; ++i) b.ask(i * 4096, 128, i % 3 == 0);
  b.run();
  for (const auto& one : b.asked) EXPECT_EQ(one.done - one.accepted, 70u);
  EXPECT_EQ(b.device().statistics().queued_cycles, 0u);
  EXPECT_EQ(b.device().statistics().busy_picoseconds, 0u);
}

TEST(SimpleMemory, BytesTakeTheBusInTheOrderOfArrival) {
  DeviceBench b("simple", with({"simple.latency=70", "simple.bandwidth=64"}), sm_clock);  // 64 bytes a cycle
  for (u32 i = 0; i < 100; ++i) b.ask(i * 4096, i % 2 ? 128 : 32, i % 3 == 0);
  b.run();
  u64 bytes = 0, waited = 0;
  for (const auto& one : b.asked) {
    waited += (bytes + 63) / 64;  // the first cycle that is not too early
    bytes += one.request.bytes;
    EXPECT_EQ(one.done, (bytes + 63) / 64 + 70);
  }
  EXPECT_EQ(b.device().statistics().queued_cycles, waited);
  EXPECT_EQ(b.device().statistics().busy_picoseconds, bytes * 1000 / 64);
}

TEST(SimpleMemory, ALatencyOfNothingIsOneCycle) {
  DeviceBench b("simple", with({"simple.latency=0"}), sm_clock);
  EXPECT_EQ(b.lone(0, 32), 1u);
}

TEST(SimpleMemory, ChannelsShareTheBandwidth) {
  const MediaConfig config = with({"simple.bandwidth=64"});
  EXPECT_EQ(find_media_kind("simple")->peak(config, 8), 64'000'000'000u);
  core::TimeWheel wheel;
  const auto one = make_medium("simple", config, {.wheel = wheel, .clock = sm_clock, .channels = 4});
  for (u32 i = 0; i < 4; ++i) EXPECT_TRUE(one->serve({i * 128u, 128, false, i, nullptr}));
  EXPECT_EQ(one->statistics().busy_picoseconds, 4 * 128 * 1000 / 16u) << "16 bytes a cycle";
}

}  // namespace
}  // namespace ew::media
