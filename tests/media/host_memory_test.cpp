// Host memory behind its link, against its figures.
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "device_bench.hpp"

namespace ew::media {
namespace {

using namespace core::literals;

constexpr core::Kilohertz sm_clock = 1000_MHz;  // a cycle is a nanosecond

MediaConfig media(bool ddio = false) {
  MediaConfig config;
  config.host_memory.ddio = ddio;
  return config;
}
double wire(double bytes) {
  return (24 + bytes) / 15.753846;
}
void expect_near(double expected, core::Cycle took) {
  EXPECT_GE(double(took), expected - 0.001);
  EXPECT_LE(double(took), std::max(expected * 1.01, expected + 4));
}

TEST(HostMemory, AReadGoesThereToDramAndBack) {
  DeviceBench bench("host-memory", media(), sm_clock);
  // A packet without data there; two lines of DRAM; the bytes back.
  expect_near(wire(0) + 300 + 90 + 128 / 100.0 + wire(128) + 300, bench.lone(0, 128));
  EXPECT_EQ(bench.wheel.executed(), 3u);
}

TEST(HostMemory, AWriteCarriesItsBytesAndAnAcknowledgement) {
  DeviceBench bench("host-memory", media(), sm_clock);
  expect_near(wire(128) + 300 + 90 + 128 / 100.0 + wire(0) + 300, bench.lone(0, 128, true));
}

TEST(HostMemory, AWriteThatNobodyWaitsForSendsNothingBack) {
  DeviceBench bench("host-memory", media(), sm_clock);
  EXPECT_TRUE(bench.device().serve({0, 128, true, 0, nullptr}));
  EXPECT_EQ(bench.device().in_flight(), 1u);
  bench.run();
  EXPECT_EQ(bench.device().in_flight(), 0u);
  EXPECT_EQ(bench.link.statistics().direction[1].packets, 0u);
}

TEST(HostMemory, WithDdioAWriteAndALaterReadStayInTheCache) {
  DeviceBench bench("host-memory", media(true), sm_clock);
  expect_near(wire(128) + 300 + 20 + wire(0) + 300, bench.lone(4096, 128, true));
  expect_near(wire(0) + 300 + 20 + wire(128) + 300, bench.lone(4096, 128));
  expect_near(wire(128) + 300 + 20 + wire(0) + 300, bench.lone(4096, 128, true));
  const auto& counts = bench.device().statistics();
  EXPECT_EQ(counts.busy_picoseconds, 0u) << "no DRAM traffic";
  EXPECT_EQ(counts.cache_hits, 4u);
  EXPECT_EQ(counts.cache_misses, 2u);
  // A read of what was never written misses and is not kept.
  for (u32 i = 0; i < 2; ++i) expect_near(wire(0) + 300 + 90 + 128 / 100.0 + wire(128) + 300, bench.lone(1 << 20, 128));
}

TEST(HostMemory, InsideAPersistRegionWritesGoToDram) {
  DeviceBench bench("host-memory", media(true), sm_clock);
  bench.device().persist_region(true);
  expect_near(wire(128) + 300 + 90 + 128 / 100.0 + wire(0) + 300, bench.lone(4096, 128, true));
  bench.device().persist_region(false);
  expect_near(wire(128) + 300 + 20 + wire(0) + 300, bench.lone(4096, 128, true));
}

/// The cache has 16 ways and the device may use two: what it wrote two lines of a set ago is gone.
TEST(HostMemory, DdioWritesAreLimitedToTheirWays) {
  MediaConfig config = media(true);
  config.host_memory.llc = 1_MiB;  // 1,024 sets
  const u64 set_stride = 64 * 1024;
  for (const u32 ways : {1u, 2u, 5u}) {
    config.host_memory.ddio_ways = ways;
    DeviceBench bench("host-memory", config, sm_clock);
    for (u64 i = 0; i < ways; ++i) bench.lone(i * set_stride, 64, true);
    EXPECT_EQ(bench.device().statistics().busy_picoseconds, 0u);
    bench.lone(0, 64);  // used: the others are older
    bench.lone(ways * set_stride, 64, true);
    EXPECT_EQ(bench.device().statistics().busy_picoseconds, 640u) << "one dirty line went to DRAM";
    const u64 hits = bench.device().statistics().cache_hits;
    bench.lone(0, 64);
    EXPECT_EQ(bench.device().statistics().cache_hits, hits + (ways > 1)) << "least recently used goes first";
    bench.lone((ways > 1 ? 1 : 0) * set_stride, 64);
    EXPECT_EQ(bench.device().statistics().cache_hits, hits + (ways > 1));
  }
}

/// Reads: the link back is the bottleneck; writes: the link there. Formula: HostLink's, by 128-byte packets.
TEST(HostMemory, AStreamHasTheLinksBandwidth) {
  for (const bool write : {false, true}) {
    DeviceBench bench("host-memory", media(), sm_clock);
    const u64 total = 8 << 20;
    for (u64 at = 0; at < total; at += 128) bench.ask(at, 128, write);
    bench.run();
    bench.expect_all_done_once();
    const double expected = 15.753846e9 * 128 / (128 + 24);
    EXPECT_NEAR(double(total) / bench.seconds(), expected, expected * 0.01) << write;
  }
}

/// DRAM slower than the link: its bandwidth, whole cache lines.
TEST(HostMemory, SlowDramIsTheBottleneck) {
  MediaConfig config = media();
  config.host_memory.bandwidth = 3_GBps;
  for (const u32 bytes : {32u, 128u}) {
    DeviceBench bench("host-memory", config, sm_clock);
    const u32 requests = 20'000;
    for (u32 i = 0; i < requests; ++i) bench.ask(i * 128, bytes);
    bench.run();
    const double expected = 3e9 * bytes / std::max(bytes, 64u);
    EXPECT_NEAR(double(requests) * bytes / bench.seconds(), expected, expected * 0.01);
  }
}

/// What a core of the host asks, one access after the other. A cycle is a nanosecond.
class HostCore {
 public:
  explicit HostCore(core::Bytes llc) : bench_("host-memory", with(llc), sm_clock) {}

  core::Cycle take(memory::HostAccess host, u64 address) {
    const bool reads = host == memory::HostAccess::load;
    bench_.ask(address, 64, !reads);
    bench_.asked.back().request.host = host;
    bench_.run();
    EXPECT_EQ(bench_.asked.back().times, 1u);
    EXPECT_EQ(bench_.link.statistics().direction[0].packets, 0u) << "it is at the host already";
    return bench_.asked.back().done - bench_.asked.back().accepted;
  }
  /// Lines of 64 bytes that the DRAM has moved since the last question.
  u64 moved() {
    const u64 now = bench_.device().statistics().busy_picoseconds / 640;
    return now - std::exchange(moved_, now);
  }
  const memory::DeviceStatistics& counts() { return bench_.device().statistics(); }

 private:
  static MediaConfig with(core::Bytes llc) {
    MediaConfig config = media(true);
    config.host_memory.llc = llc;
    return config;
  }

  DeviceBench bench_;
  u64 moved_ = 0;
};

constexpr core::Cycle from_cache = 20, from_dram = 91;  // 90 and 64 bytes of 100 GB/s

TEST(HostMemory, ACoresLoadsAndStoresBringTheirLineIntoTheCache) {
  using enum memory::HostAccess;
  for (const memory::HostAccess first : {load, store}) {
    HostCore core(1_MiB);
    EXPECT_EQ(core.take(first, 0), from_dram);
    EXPECT_EQ(core.moved(), 1u) << "a store fetches, too";
    EXPECT_EQ(core.take(load, 0), from_cache);
    EXPECT_EQ(core.take(store, 0), from_cache);
    EXPECT_EQ(core.moved(), 0u);
    EXPECT_EQ(core.take(flush, 0), from_cache);
    EXPECT_EQ(core.moved(), 1u) << "it was dirty";
    EXPECT_EQ(core.take(flush, 0), from_cache);
    EXPECT_EQ(core.moved(), 0u) << "it is clean";
    EXPECT_EQ(core.take(load, 0), from_cache) << "a flush leaves the line there";
    EXPECT_EQ(core.counts().cache_hits, 3u);
    EXPECT_EQ(core.counts().cache_misses, 1u);
  }
}

TEST(HostMemory, ACoresWriteBackFetchesNothingAndItsStreamGoesPastTheCache) {
  using enum memory::HostAccess;
  HostCore core(1_MiB);
  EXPECT_EQ(core.take(write_back, 0), from_cache);
  EXPECT_EQ(core.moved(), 0u);
  EXPECT_EQ(core.take(load, 0), from_cache) << "it is in the cache";
  EXPECT_EQ(core.take(stream, 0), from_cache);
  EXPECT_EQ(core.moved(), 1u);
  EXPECT_EQ(core.take(flush, 0), from_cache);
  EXPECT_EQ(core.moved(), 0u) << "what was dirty has been written over";
  EXPECT_EQ(core.take(load, 0), from_dram) << "the line is gone";
}

TEST(HostMemory, WithoutALastLevelCacheACoreIsServedByDram) {
  using enum memory::HostAccess;
  HostCore core(0_KiB);
  for (u32 round = 1; round <= 2; ++round) {
    for (const memory::HostAccess host : {load, store}) {
      EXPECT_EQ(core.take(host, 0), from_dram);
      EXPECT_EQ(core.moved(), 1u);
    }
    for (const memory::HostAccess host : {write_back, stream}) {
      EXPECT_EQ(core.take(host, 0), from_cache) << "posted: as far as the memory controller";
      EXPECT_EQ(core.moved(), 1u);
    }
    core.take(flush, 0);
    EXPECT_EQ(core.moved(), 0u) << "there is nothing to flush";
    EXPECT_EQ(core.counts().cache_hits, 0u);
    EXPECT_EQ(core.counts().cache_misses, 2u * round);
  }
}

TEST(HostMemory, AFullQueueRefusesTellsAndAccepts) {
  MediaConfig config = media();
  config.host_memory.queue = 8;
  DeviceBench bench("host-memory", config, sm_clock);
  for (u32 i = 0; i < 200; ++i) bench.ask(i * 128, 128, i % 3 == 0);
  bench.offer();
  EXPECT_EQ(bench.device().in_flight(), 8u);
  EXPECT_EQ(bench.refused, 1u);
  bench.run();
  bench.expect_all_done_once();
  EXPECT_EQ(bench.notified, bench.refused);
}

TEST(HostMemory, AnswersKeepTheOrderOfEachAddress) {
  for (const bool ddio : {false, true}) {
    DeviceBench bench("host-memory", media(ddio), sm_clock);
    std::mt19937 random(8);
    for (u32 i = 0; i < 10'000; ++i) bench.ask(random() % 64 * 64, 64, random() % 2);
    bench.run();
    bench.expect_all_done_once();
    std::array<u32, 64> last_write;
    last_write.fill(~0u);
    for (u32 i = 0; i < bench.asked.size(); ++i) {
      const auto& one = bench.asked[i];
      u32& earlier = last_write[one.request.address / 64];
      if (earlier != ~0u) {
        ASSERT_LT(bench.asked[earlier].turn, one.turn) << "a write and a later request";
      }
      if (one.request.write) earlier = i;
    }
  }
}

TEST(HostMemory, IsDeterministic) {
  std::vector<core::Cycle> done[2];
  for (auto& list : done) {
    DeviceBench bench("host-memory", media(true), sm_clock);
    std::mt19937 random(2);
    for (u32 i = 0; i < 5000; ++i) bench.ask(random() % (64 << 20) / 32 * 32, 32 << random() % 3, random() % 2);
    bench.run();
    for (const auto& one : bench.asked) list.push_back(one.done);
  }
  EXPECT_EQ(done[0], done[1]);
}

}  // namespace
}  // namespace ew::media
