// The link to the host against its figures.
#include <gtest/gtest.h>

#include <random>

#include "memory/host_link.hpp"

namespace ew::memory {
namespace {

using namespace core::literals;

constexpr core::Kilohertz sm_clock{1'365'000};
constexpr LinkDirection up = LinkDirection::to_host, down = LinkDirection::to_device;

struct Bench {
  explicit Bench(const HostLinkConfig& config = {}) : link(config, wheel, sm_clock) {}
  void arrived(u64 number, u64) { arrivals.emplace_back(number, wheel.now()); }
  core::Cycle send(LinkDirection direction, u64 bytes) {
    return link.send<&Bench::arrived>(direction, bytes, *this, sent++);
  }
  void run() {
    wheel.run_due();
    while (wheel.next() != core::never) {
      wheel.advance(wheel.next());
      wheel.run_due();
    }
  }
  double seconds() const { return static_cast<double>(wheel.now()) / 1.365e9; }

  core::TimeWheel wheel;
  HostLink link;
  u64 sent = 0;
  std::vector<std::pair<u64, core::Cycle>> arrivals;
};

double cycles(double nanoseconds) {
  return nanoseconds * 1.365;
}

TEST(HostLink, ALonePacketTakesItsBytesAndTheLatency) {
  for (const u64 bytes : {0u, 32u, 128u, 256u}) {
    Bench bench;
    const core::Cycle said = bench.send(up, bytes);
    bench.run();
    const double expected = cycles(300 + (24.0 + double(bytes)) / 15.753846);
    EXPECT_NEAR(double(bench.arrivals.at(0).second), expected, 1.0) << bytes;
    EXPECT_GE(double(bench.arrivals.at(0).second), expected - 0.001);
    EXPECT_EQ(bench.arrivals[0].second, said);
    EXPECT_EQ(bench.link.idle_latency(bytes), said);
  }
}

TEST(HostLink, TellsHowLongPacketsWaitedForTheWire) {
  Bench bench;
  for (u32 i = 0; i < 3; ++i) bench.send(down, 256);  // the second behind the first, the third behind both
  bench.run();
  const auto& counts = bench.link.statistics().direction[static_cast<u32>(down)];
  EXPECT_NEAR(double(bench.link.waited_cycles(down)), cycles(3 * 280 / 15.753846), 1.0);
  EXPECT_NEAR(double(counts.busy_cycles), cycles(3 * 280 / 15.753846), 1.0);
  bench.send(down, 600);  // its packets do not wait for each other
  bench.run();
  EXPECT_NEAR(double(bench.link.waited_cycles(down)), cycles(3 * 280 / 15.753846), 1.0);
}

TEST(HostLink, LongDataIsCutIntoPackets) {
  Bench bench;
  bench.send(down, 1000);  // 256 + 256 + 256 + 232
  bench.run();
  EXPECT_NEAR(double(bench.wheel.now()), cycles(300 + (1000 + 4 * 24) / 15.753846), 1.0);
  const auto& counts = bench.link.statistics().direction[static_cast<u32>(down)];
  EXPECT_EQ(counts.packets, 4u);
  EXPECT_EQ(counts.data_bytes, 1000u);
  EXPECT_EQ(counts.wire_bytes, 1096u);
  EXPECT_EQ(bench.link.statistics().direction[static_cast<u32>(up)].packets, 0u);
}

/// bandwidth x payload / (payload + overhead), within 1 %.
TEST(HostLink, AStreamHasTheBandwidthLessTheOverhead) {
  for (const u64 bytes : {32u, 128u, 256u, 4096u}) {
    HostLinkConfig config;
    config.credits = 1000;
    Bench bench(config);
    const u64 total = 16 << 20;
    for (u64 at = 0; at < total; at += bytes) bench.send(down, bytes);
    bench.run();
    const double packet = double(std::min<u64>(bytes, 256));
    const double expected = 15.753846e9 * packet / (packet + 24);
    EXPECT_NEAR(double(total) / bench.seconds(), expected, expected * 0.01) << bytes;
  }
}

TEST(HostLink, DirectionsDoNotDisturbEachOther) {
  Bench one, both;
  for (u32 i = 0; i < 10'000; ++i) {
    one.send(up, 256);
    both.send(up, 256);
    both.send(down, 256);
  }
  one.run();
  both.run();
  EXPECT_EQ(one.wheel.now(), both.wheel.now());
}

/// With few credits a packet waits for the one so many before it to arrive and its credit to come back:
/// credits x payload a round trip.
TEST(HostLink, CreditsBoundWhatIsInFlight) {
  for (const u32 credits : {1u, 4u, 16u}) {
    HostLinkConfig config;
    config.credits = credits;
    Bench bench(config);
    const u32 packets = 4000;
    for (u32 i = 0; i < packets; ++i) bench.send(up, 256);
    bench.run();
    const double round_trip = 600 + 280 / 15.753846;
    const double expected = cycles(round_trip * packets / credits);
    EXPECT_NEAR(double(bench.wheel.now()), expected, expected * 0.01);
    // At no moment more than the credits say: a packet leaves its wire time and latency before it arrives.
    for (u32 i = credits; i < packets; ++i)
      ASSERT_GE(double(bench.arrivals[i].second - bench.arrivals[i - credits].second), cycles(round_trip) - 2);
  }
}

TEST(HostLink, ArrivesInOrderAndOnce) {
  Bench bench;
  std::mt19937 random(4);
  for (u32 i = 0; i < 20'000; ++i) {
    bench.send(up, random() % 2000);
    if (random() % 20 == 0 && bench.wheel.next() != core::never) {
      bench.wheel.advance(bench.wheel.next());
      bench.wheel.run_due();
    }
  }
  EXPECT_FALSE(bench.link.quiescent());
  bench.run();
  EXPECT_TRUE(bench.link.quiescent());
  ASSERT_EQ(bench.arrivals.size(), 20'000u);
  for (u64 i = 0; i < 20'000; ++i) ASSERT_EQ(bench.arrivals[i].first, i);
}

/// A million packets end to the cycle where the bytes say.
TEST(HostLink, WireTimeAddsUpExactly) {
  HostLinkConfig config;
  config.bandwidth = {13'317'411'031};
  config.latency = {};
  Bench bench(config);
  u64 bytes = 0;
  std::mt19937 random(5);
  for (u32 i = 0; i < 1'000'000; ++i) {
    const u64 data = 1 + random() % 256;
    bytes += data + 24;
    bench.link.send(
        up, data, [](void*, u64, u64) {}, nullptr);
  }
  bench.run();
  const unsigned __int128 numerator = static_cast<unsigned __int128>(bytes) * 1'365'000'000;
  EXPECT_EQ(bench.wheel.now(), static_cast<u64>((numerator + 13'317'411'030) / 13'317'411'031));
}

/// Usual figures for a x16 slot of the third generation: about 14.4 GB/s of data with 256-byte packets, 13.3 with 128.
TEST(HostLink, DefaultsAreGenerationThreeBySixteen) {
  const HostLinkConfig config;
  EXPECT_NEAR(double(config.bandwidth.count), 8e9 * 16 * 128 / 130 / 8, 1e6);
}

}  // namespace
}  // namespace ew::memory
