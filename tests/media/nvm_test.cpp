// Non-volatile memory, near and far, against its figures and against what a crash may leave.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "device_bench.hpp"
#include "media/dram_address.hpp"
#include "media/dram_standards.hpp"

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

// --- What is durable when

/// A pool of which the device receives bytes; its durable image is plain memory.
class NvmCrash : public testing::Test {
 protected:
  static constexpr u64 pool = 0x3000'0000'0000, pool_bytes = 1 << 20;

  void make(std::string_view kind, const MediaConfig& config) {
    bench = std::make_unique<DeviceBench>(kind, config, sm_clock);
    image.assign(pool_bytes, 0);
    bench->durable.attach(pool, pool_bytes, image.data());
  }
  /// Four bytes of the pool; the client's, unless `posted`. `host`: of a core of the host.
  u32 store(u64 offset, u32 value, bool posted = false, memory::HostAccess host = memory::HostAccess::none) {
    const u64 line = offset / line_bytes * line_bytes, at = offset - line;
    memory::DeviceRequest request{offset / sector * sector, sector,     true, 0, nullptr,
                                  bench->payloads.take(),   pool + line};
    request.host = host;
    memory::Payload& payload = bench->payloads[request.payload];
    std::memcpy(payload.bytes.data() + at, &value, 4);
    payload.valid.bits[at / 64] = u64{0xf} << (at % 64);
    if (!posted) {
      request.token = bench->asked.size();
      request.client = bench.get();
      bench->asked.push_back({request});
    }
    EXPECT_TRUE(bench->device().serve(request));
    return static_cast<u32>(request.token);
  }
  u32 durable(u64 offset) const {
    u32 value = 0;
    std::memcpy(&value, image.data() + offset, 4);
    return value;
  }
  void finish() {
    bench->run_until(bench->wheel.now());
    while (bench->wheel.next() != core::never) bench->run_until(bench->wheel.next());
    EXPECT_EQ(bench->payloads.in_use(), 0u) << "every payload was given back";
  }

  static constexpr u64 line_bytes = 128;
  std::unique_ptr<DeviceBench> bench;
  std::vector<u8> image;
};

TEST_F(NvmCrash, NearAndFarWithoutDdioAByteIsDurableWhenItsWriteIsServedAndNotBeforeTheQueueHasIt) {
  for (const std::string_view kind : {"nvm", "host-nvm"}) {
    make(kind, optane());
    const u32 token = store(4096, 7);
    const core::Cycle arrives = kind == "nvm" ? 84 : 84 + 409;  // 62 ns; and the link's 300
    bench->run_until(arrives - 10);
    EXPECT_EQ(durable(4096), 0u) << kind;
    while (durable(4096) == 0) bench->run_until(bench->wheel.next());
    EXPECT_LE(bench->wheel.now(), bench->asked[token].done) << kind;
    EXPECT_NEAR(double(bench->wheel.now()), double(arrives), 10) << kind;
    finish();
    EXPECT_EQ(bench->asked[token].times, 1u);
    EXPECT_EQ(bench->durable.statistics().bytes, 4u);
    EXPECT_EQ(durable(4100), 0u) << "no other byte";
  }
}

TEST_F(NvmCrash, WithDdioAServedWriteIsNotDurableUntilTheCacheEvictsIt) {
  MediaConfig config;
  config.host_memory.llc = 1_MiB;  // 1,024 sets, of which writes have two ways
  make("host-nvm", config);
  const u32 token = store(0, 7);
  finish();
  EXPECT_EQ(bench->asked[token].times, 1u);
  EXPECT_EQ(durable(0), 0u) << "a fence is over and nothing is promised";
  store(64 * 1024, 8);
  store(2 * 64 * 1024, 9);  // the set's third line
  finish();
  EXPECT_EQ(durable(0), 7u);
  EXPECT_EQ(durable(64 * 1024), 0u);
}

TEST_F(NvmCrash, WithEadrAByteIsDurableInTheCacheAndCountsOnce) {
  MediaConfig config;
  config.host_memory.llc = 1_MiB;
  config.nvm.eadr = true;
  make("host-nvm", config);
  const u32 token = store(0, 7);
  finish();
  EXPECT_EQ(durable(0), 7u);
  EXPECT_NEAR(double(bench->asked[token].done), 853, 4)
      << "the link twice (300 ns, and 80 bytes at 15.75 GB/s) and the cache's 20 ns, not the medium's";
  store(64 * 1024, 8);
  store(2 * 64 * 1024, 9);
  finish();
  EXPECT_EQ(bench->durable.statistics().writes, 3u) << "the eviction makes nothing durable that is not";
}

TEST_F(NvmCrash, WithEadrAPersistRegionStillWritesIntoTheCache) {
  MediaConfig config;
  config.nvm.eadr = true;
  make("host-nvm", config);
  bench->device().persist_region(true);
  const u32 token = store(0, 7);
  finish();
  EXPECT_EQ(durable(0), 7u);
  EXPECT_NEAR(double(bench->asked[token].done), 853, 4) << "the cache's time";
}

/// GPM's bug class: what was written outside stays where it is; what is written inside is durable, and pushes its line.
TEST_F(NvmCrash, APersistRegionSwitchesDdioOff) {
  make("host-nvm", {});
  store(0, 1);
  store(4096, 2);
  finish();
  bench->device().persist_region(true);
  store(4100, 3);
  finish();
  EXPECT_EQ(durable(0), 0u);
  EXPECT_EQ(durable(4096), 2u) << "of the line that went through the cache's";
  EXPECT_EQ(durable(4100), 3u);
  bench->device().persist_region(false);
  store(8192, 4);
  finish();
  EXPECT_EQ(durable(8192), 0u);
}

TEST_F(NvmCrash, BytesOfOneWordBecomeDurableInTheOrderOfTheirWrites) {
  for (const std::string_view kind : {"nvm", "host-nvm"}) {
    make(kind, optane());
    std::mt19937 random(4);
    std::vector<u32> last(64);
    for (u32 i = 1; i <= 400; ++i) {
      const u32 word = random() % 64;
      store(word * 1024, last[word] = i, true);
      if (i % 50 == 0) bench->idle(random() % 300);
      for (u32 w = 0; w < 64; ++w) ASSERT_LE(durable(w * 1024), last[w]);
    }
    finish();
    for (u32 w = 0; w < 64; ++w) EXPECT_EQ(durable(w * 1024), last[w]) << kind;
  }
}

/// The host has made these bytes durable itself: an older value that is still on its way must not come after it.
TEST_F(NvmCrash, WithoutALastLevelCacheACoresStoreEndsOnce) {
  using memory::HostAccess;
  MediaConfig config;
  config.host_memory.llc = 0_KiB;
  for (const HostAccess host : {HostAccess::store, HostAccess::write_back, HostAccess::stream, HostAccess::flush}) {
    make("host-nvm", config);
    const u32 token = store(0, 7, false, host);
    bench->idle(10'000);
    EXPECT_EQ(bench->asked[token].times, 1u) << static_cast<u32>(host);
    EXPECT_EQ(bench->device().in_flight(), 0u) << static_cast<u32>(host);
    EXPECT_EQ(durable(0), 7u) << static_cast<u32>(host);
  }
}

TEST_F(NvmCrash, WhatIsDroppedNeverComes) {
  MediaConfig config;
  config.host_memory.llc = 1_MiB;
  make("host-nvm", config);
  store(0, 1);
  store(4, 2);
  finish();
  bench->device().drop(pool, pool + 4);
  store(64 * 1024, 8);
  store(2 * 64 * 1024, 9);
  finish();
  EXPECT_EQ(durable(0), 0u);
  EXPECT_EQ(durable(4), 2u);

  for (const std::string_view kind : {"nvm", "host-nvm"})  // before the queue, and on the link
    for (const bool ddio : {false, true}) {
      config.nvm.ddio = ddio;
      make(kind, config);
      store(0, 1);
      store(256, 3);
      bench->idle(10);
      bench->device().drop(pool, pool + 64);
      finish();
      store(64 * 1024, 8);
      store(2 * 64 * 1024, 9);
      finish();
      EXPECT_EQ(durable(0), 0u) << kind << ddio;
    }
}

TEST_F(NvmCrash, GranulesWearWhenTheMediumWritesThem) {
  MediaConfig config = optane();
  config.nvm.write_queue = 4;
  make("nvm", config);
  for (u32 round = 0; round < 3; ++round)
    for (u32 granule = 0; granule < 100; ++granule) store(granule * 256 + round * 4, 5, true), finish();
  const auto& counts = bench->device().statistics();
  EXPECT_EQ(counts.granules_merged, counts.granules_written);
  EXPECT_EQ(counts.granules_written, 300u - 3u) << "three stay in the queue: it writes when more are taken";
  EXPECT_EQ(bench->durable.statistics().granules_worn, 100u);
  EXPECT_EQ(bench->durable.statistics().most_worn, 3u);
}

// One of twelve channels sees every twelfth 256 bytes of the pool, without gaps: these writes once cost the medium
// nothing, and a machine with NVM on the GPU was far too fast.
TEST_F(NvmCrash, AChannelWritesWhatItIsSentWhereverTheProgramHasIt) {
  MediaConfig config = optane();
  config.nvm.write_queue = 4;
  config.nvm.granule = core::Bytes{32};
  make("nvm", config);
  for (u32 block = 0; block < 100; ++block) {
    const u64 offset = u64{block} * 12 * 256 + 96, line = offset / line_bytes * line_bytes;
    memory::DeviceRequest request{block * 256 + 96, sector, true, 0, nullptr, bench->payloads.take(), pool + line};
    bench->payloads[request.payload].valid.bits[1] = u64{0xffff'ffff} << 32;  // bytes 96 to 127 of the line
    ASSERT_TRUE(bench->device().serve(request));
    finish();
  }
  const auto& counts = bench->device().statistics();
  EXPECT_EQ(counts.granules_written, 100u);
  EXPECT_EQ(counts.granules_merged, 0u);
  EXPECT_EQ(bench->durable.statistics().granules_worn, 100u);
}

TEST_F(NvmCrash, WritesOfOneGranuleMeetInTheQueue) {
  make("nvm", optane());
  for (u32 offset = 0; offset < 256; offset += 4) store(offset, offset + 1, true);
  finish();
  const auto& counts = bench->device().statistics();
  EXPECT_EQ(counts.granules_written, 1u);
  EXPECT_EQ(counts.granules_merged, 0u) << "every byte was there: nothing is read";
  EXPECT_EQ(counts.combined, 63u);
}

TEST_F(NvmCrash, AMachineThatDoesNotCombineWritesEachInItsTurn) {
  MediaConfig config = optane();
  config.nvm.combine = false;
  make("nvm", config);
  for (u32 offset = 0; offset < 256; offset += 4) store(offset, offset + 1, true);
  finish();
  const auto& counts = bench->device().statistics();
  EXPECT_EQ(counts.granules_written, 64u);
  EXPECT_EQ(counts.granules_merged, 64u) << "none of them is whole";
  EXPECT_EQ(counts.combined, 0u);
  for (u32 offset = 0; offset < 256; offset += 4) EXPECT_EQ(durable(offset), offset + 1);
}

// --- Times of a lone access, and what the buffers save

TEST(Nvm, ALoneReadAndWriteTakeTheirLatencies) {
  for (const bool near : {true, false}) {
    const auto bench = [&] { return DeviceBench(near ? "nvm" : "host-nvm", optane(), 1000_MHz); };
    const double link = near ? 0 : 600 + 24 / 15.75 + (24 + 128) / 15.75;
    EXPECT_NEAR(double(bench().lone(4096, 128)), link + 305 + 256 / 52.8, 4);
    EXPECT_NEAR(double(bench().lone(4096, 128, true)), link + 62, 4);
  }
}

TEST(Nvm, ReadsOfOneGranuleReadItOnce) {
  DeviceBench bench("nvm", optane(), sm_clock);
  for (u64 at = 0; at < 4096; at += 32) bench.ask(at, 32);
  bench.run();
  EXPECT_EQ(bench.device().statistics().granules_read, 16u);
  bench.ask(1 << 16, 128, true);
  bench.run();
  const core::Cycle took = bench.lone(1 << 16, 128);
  EXPECT_EQ(bench.device().statistics().granules_read, 16u) << "the write-pending queue has it";
  EXPECT_LT(took, 100u);
}

TEST(Nvm, GranulesWrittenInPartTakeLongerOnPagesThatAreNotKnown) {
  MediaConfig config = optane();
  config.nvm.write_queue = 1;
  config.nvm.random_bandwidth = core::BytesPerSecond{config.nvm.partial_bandwidth.count / 2};
  config.nvm.pages = 8;
  const auto measure = [&](u32 pages) {
    DeviceBench bench("nvm", config, sm_clock);
    for (u32 i = 0; i < 400; ++i) bench.ask(u64{i % pages} * 4096 + i / pages % 16 * 256, 32, true);
    bench.run();
    return bench.device().statistics();
  };
  const auto few = measure(8), many = measure(9);
  EXPECT_EQ(few.page_misses, 8u);
  EXPECT_EQ(many.page_misses, many.granules_written) << "in turn, each goes before it is written again";
  EXPECT_EQ(few.granules_merged, few.granules_written);
  const double each = static_cast<double>(few.busy_picoseconds) / static_cast<double>(few.granules_written + 8);
  EXPECT_NEAR(static_cast<double>(many.busy_picoseconds) / static_cast<double>(many.granules_written), 2 * each,
              each / 100);
  config.nvm.pages = 0;
  EXPECT_EQ(measure(9).page_misses, 0u);
}

/// Channels of a DRAM standard with a slower bus, as the SBRP artifact's: 16 bytes a nanosecond.
MediaConfig slowed(bool rows, u32 scheduler) {
  MediaConfig config;
  config.nvm = {.attach = "near",
                .channels = 1,
                .read_bandwidth = {16'000'000'000},
                .write_bandwidth = {16'000'000'000},
                .partial_bandwidth = {16'000'000'000},
                .latency = {0},
                .write_latency = {0},
                .granule = {32},
                .write_queue = 64,
                .combine = false,
                .scheduler = scheduler,
                .rows = rows,
                .read_buffer = 0};
  return config;
}

TEST(Nvm, WithASchedulerReadsComeInTheirTurnAndWritesGoInBatches) {
  const auto waits = [](u32 scheduler, u32 writes) {
    DeviceBench bench("nvm", slowed(false, scheduler), 1000_MHz);
    for (u32 i = 0; i < writes; ++i) bench.ask(u64{i} * 32, 32, true);
    const u32 read = bench.ask(u64{1} << 24, 32);
    bench.run();
    return bench.asked[read].done;
  };
  EXPECT_LT(waits(0, 60), 10u) << "it passes all writes that have a place";
  EXPECT_LT(waits(60, 40), 10u) << "it passes writes below write_high";
  EXPECT_NEAR(double(waits(60, 60)), (60 - 32) * 2, 8) << "from write_high to write_low writes go first";
  EXPECT_NEAR(double(waits(60, 160)), (160 - 32) * 2, 10) << "it comes behind what has no place yet";
}

TEST(Nvm, WithRowsTheBusWaitsForRowsAndTurns) {
  const auto cycles = [](bool rows, bool write, auto&& address) {
    DeviceBench bench("nvm", slowed(rows, 0), 1000_MHz);
    for (u32 i = 0; i < 400; ++i) bench.ask(address(i), 32, write);
    bench.run();
    return static_cast<double>(bench.wheel.now());
  };
  const auto stream = [](u32 i) { return u64{i} * 32; };
  const DramConfig dram = resolved(MediaConfig{}.dram);
  u64 other = 1 << 20;  // another row of the bank of address 0
  while (place_in(dram, other).bank != place_in(dram, 0).bank) other += 2048;
  const auto one_bank = [&](u32 i) { return i % 2 * other + i / 2 % 4 * 32; };
  // 2 ns a granule; gddr6's rows open 20 + 20 cycles of 3.5 GHz behind a write's end and its recovery of 28.
  EXPECT_NEAR(cycles(false, true, one_bank), 800, 10);
  EXPECT_NEAR(cycles(true, true, stream), 800, 40) << "rows are open";
  EXPECT_GT(cycles(true, true, one_bank), 1.1 * cycles(true, true, stream)) << "even though hits go first";
  DeviceBench lone("nvm", slowed(true, 0), 1000_MHz);
  EXPECT_EQ(lone.lone(0, 32), 6u + 2) << "tRCD, and the bus";
  EXPECT_EQ(lone.lone(32, 32), 2u) << "the row is open";
  EXPECT_GT(lone.lone(other, 32), 12u) << "another row of the bank: tRP, tRCD";
}

TEST(Nvm, WithRowsThoseThatCouldBeginAtTheSameTimeGoInTheirOrder) {
  DeviceBench reads("nvm", slowed(true, 0), 1000_MHz);
  for (u32 i = 0; i < 100; ++i) reads.ask(u64{i} % 32 * 32, 32);  // of one row
  reads.run();
  for (u32 i = 1; i < 100; ++i) EXPECT_LT(reads.asked[i - 1].turn, reads.asked[i].turn) << i;

  DeviceBench writes("nvm", slowed(true, 0), 1000_MHz);
  for (u32 i = 0; i < 8; ++i) writes.ask(u64{i} * 32, 32, true);
  writes.offer();
  while (writes.device().statistics().granules_written < 4) writes.idle(1);
  writes.ask(7 * 32, 32);  // the queue still has it, and answers
  writes.run();
  EXPECT_EQ(writes.device().statistics().granules_read, 0u);
}

TEST(Nvm, WithRowsNobodyIsOvertakenForEver) {
  const DramConfig dram = resolved(MediaConfig{}.dram);
  u64 other = 1 << 20;
  while (place_in(dram, other).bank != place_in(dram, 0).bank) other += 2048;
  for (const bool write : {false, true}) {
    DeviceBench bench("nvm", slowed(true, 0), 1000_MHz);
    bench.ask(0, 32, write);
    const u32 alone = bench.ask(other, 32, write);
    for (u32 i = 0; i < 4000; ++i) bench.ask(i % 32 * 32, 32, write);  // of the open row
    bench.run();
    EXPECT_LT(bench.asked[alone].turn, 500u);
    EXPECT_GT(bench.asked[4001].turn, 3500u);
  }
}

TEST(Nvm, IsBusyForAsLongAsItReadsAndWrites) {
  DeviceBench bench("nvm", slowed(false, 0), 1000_MHz);
  for (u32 i = 0; i < 10; ++i) bench.ask(u64{i} * 32, 32, true);
  for (u32 i = 20; i < 25; ++i) bench.ask(u64{i} * 32, 32);
  bench.run();
  EXPECT_EQ(bench.device().statistics().busy_picoseconds, 15u * 2000) << "2 ns a granule";
}

/// Behind the link: what the device wrote is in the host's last-level cache (DDIO), and a read has it from there.
TEST(Nvm, FarAReadOfWhatWasWrittenComesFromTheCache) {
  MediaConfig config = optane();
  config.nvm.ddio = true;
  DeviceBench bench("host-nvm", config, 1000_MHz);
  const core::Cycle medium = bench.lone(0, 128);
  EXPECT_EQ(bench.device().statistics().cache_misses, 2u);
  bench.lone(4096, 128, true);
  const u64 hits = bench.device().statistics().cache_hits;
  const core::Cycle cache = bench.lone(4096, 128);
  EXPECT_EQ(bench.device().statistics().cache_hits, hits + 2);
  EXPECT_LT(cache + 200, medium) << "the medium's latency is 305 ns, the cache's 20";
  EXPECT_EQ(bench.device().statistics().granules_read, 1u) << "of the first read";
}

/// While a write waits for room, a read and a write go in turn: neither starves.
TEST(Nvm, ReadsAndWritesGoInTurnWhileAWriteWaitsForRoom) {
  MediaConfig config = optane();
  config.nvm.write_queue = 8;
  config.nvm.read_buffer = 0;
  DeviceBench bench("nvm", config, 1000_MHz);
  for (u32 i = 0; i < 400; ++i) bench.ask(u64{i} * 256, 32, true);
  for (u32 i = 0; i < 60; ++i) bench.ask((u64{1} << 24) + u64{i} * 256, 32);
  bench.run();
  EXPECT_LT(bench.asked[459].done, 6000u) << "60 reads and 60 merges take 3 us, 400 merges 17";
  u32 written = 0;
  for (u32 i = 0; i < 400; ++i) written += bench.asked[i].done < bench.asked[459].done;
  EXPECT_GT(written, 30u) << "writes go meanwhile, too";
}

TEST(Nvm, ReadsPassWritesThatWaitForRoom) {
  MediaConfig config = optane();
  config.nvm.write_queue = 8;
  DeviceBench bench("nvm", config, 1000_MHz);
  for (u32 i = 0; i < 400; ++i) bench.ask(u64{i} * 256, 32, true);
  const u32 read = bench.ask(u64{1} << 24, 32);
  bench.run();
  EXPECT_LT(bench.asked[read].done, 1000u) << "400 merges take 17 us";
  EXPECT_GT(bench.asked[399].done, 15'000u);
}

}  // namespace
}  // namespace ew::media
