// A DRAM channel against its parameters: every standard of the table, under a clock that has nothing to do with its
// own.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "core/clock_ratio.hpp"
#include "core/diagnostics.hpp"
#include "device_bench.hpp"
#include "media/dram_address.hpp"
#include "media/dram_standards.hpp"

namespace ew::media {

static void PrintTo(const DramStandard& row, std::ostream* out) {
  *out << row.name;
}

namespace {

using namespace core::literals;

constexpr core::Kilohertz sm_clock{1'365'000};

DramConfig standard(std::string_view name, bool refresh = true) {
  DramConfig config;
  config.standard = name;
  config.refresh = refresh;
  return resolved(config);
}
MediaConfig media(const DramConfig& dram) {
  return {.dram = dram};
}

/// Addresses of one channel, by bank, row and place in the row, as place_in() deals them out.
class Layout {
 public:
  explicit Layout(const DramConfig& config) : c_(config), in_group_(c_.banks / c_.bank_groups) {}
  u64 address(u32 bank, u64 row, u64 offset = 0) const {
    u64 stripe = row * in_group_;
    while (digits(stripe, in_group_) != bank / c_.bank_groups) ++stripe;
    const u64 bytes = c_.bank_block.count;
    u64 block = (stripe * c_.row.count / bytes + offset / bytes) * c_.bank_groups;
    while (digits(block, c_.bank_groups) != bank % c_.bank_groups) ++block;
    return block * bytes + offset % bytes;
  }

 private:
  static u64 digits(u64 number, u64 base) {
    u64 sum = 0;
    for (; number; number /= base) sum += number % base;
    return sum % base;
  }

  const DramConfig c_;
  const u32 in_group_;
};

double cycles_of(const DramConfig& c, double ticks) {
  return ticks * static_cast<double>(sm_clock.count) / static_cast<double>(c.clock.count);
}
double latency_cycles(const DramConfig& c) {
  return static_cast<double>(c.latency.count) * static_cast<double>(sm_clock.count) * 1e-9;
}
/// Within 1 %, or what meeting the edges of both clocks may cost.
void expect_cycles(double expected, core::Cycle took) {
  EXPECT_GE(static_cast<double>(took), expected - 0.001);
  EXPECT_LE(static_cast<double>(took), std::max(expected * 1.01, expected + 3));
}

class EveryStandard : public testing::TestWithParam<DramStandard> {
 protected:
  const DramConfig c = standard(GetParam().name, false), refreshing = standard(GetParam().name);
  const u32 burst_ticks = static_cast<u32>(c.burst.count) / c.bytes_per_clock;
  const u32 burst = static_cast<u32>(c.burst.count);
  const Layout at{c};
  /// Activate to activate of one bank with one read in between.
  const u32 bank_cycle = std::max(c.ras, c.rcd + c.rtp) + c.rp;
  /// Activate to activate in the long run.
  const double activation = std::max(double(c.rrd), c.faw / 4.0);
};

INSTANTIATE_TEST_SUITE_P(Dram, EveryStandard, testing::ValuesIn(dram_standards),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_P(EveryStandard, GivesEveryTimingThatTheFileLeavesOut) {
  const DramStandard& row = GetParam();
  const DramConfig all = refreshing;
  for (const auto& [name, wanted, got] :
       {std::tuple("rcd", row.rcd, all.rcd), std::tuple("rp", row.rp, all.rp), std::tuple("ras", row.ras, all.ras),
        std::tuple("cl", row.cl, all.cl), std::tuple("wl", row.wl, all.wl), std::tuple("ccd", row.ccd, all.ccd),
        std::tuple("ccd_long", row.ccd_long, all.ccd_long), std::tuple("rrd", row.rrd, all.rrd),
        std::tuple("faw", row.faw, all.faw), std::tuple("wr", row.wr, all.wr), std::tuple("rtp", row.rtp, all.rtp),
        std::tuple("wtr", row.wtr, all.wtr), std::tuple("refi", row.refi, all.refi),
        std::tuple("rfc", row.rfc, all.rfc)})
    EXPECT_EQ(got, wanted) << name;
}

TEST_P(EveryStandard, LatencyOfALoneReadIsItsCommands) {
  DeviceBench bench("dram", media(c), sm_clock);
  const double column = c.cl + burst_ticks;
  expect_cycles(cycles_of(c, c.rcd + column) + latency_cycles(c), bench.lone(at.address(3, 0), burst));
  bench.idle(1000);
  expect_cycles(cycles_of(c, column) + latency_cycles(c), bench.lone(at.address(3, 0, burst), burst));  // row hit
  bench.idle(1000);
  expect_cycles(cycles_of(c, c.rp + c.rcd + column) + latency_cycles(c), bench.lone(at.address(3, 1), burst));
  const auto& counts = bench.device().statistics();
  EXPECT_EQ(counts.row_misses, 1u);
  EXPECT_EQ(counts.row_hits, 1u);
  EXPECT_EQ(counts.row_conflicts, 1u);
}

/// With rows closed behind every request, all lone reads take the same time, and rows that others wait for stay open.
TEST_P(EveryStandard, ClosedRowsMakeLoneReadsAlike) {
  DramConfig closing = c;
  closing.close_rows = true;
  DeviceBench bench("dram", media(closing), sm_clock);
  const double expected = cycles_of(c, c.rcd + c.cl + burst_ticks) + latency_cycles(c);
  for (const u64 address : {at.address(3, 0), at.address(3, 0, burst), at.address(3, 1), at.address(3, 0)}) {
    expect_cycles(expected, bench.lone(address, burst));
    bench.idle(1000);
  }
  EXPECT_EQ(bench.device().statistics().row_misses, 4u);
  for (u32 i = 0; i < 8; ++i) bench.ask(at.address(5, 2, i * burst), burst);
  bench.run();
  EXPECT_EQ(bench.device().statistics().row_misses, 5u);
  EXPECT_EQ(bench.device().statistics().row_hits, 7u);
  // Reads of one bank, each after the other: the bank cycle is kept.
  const core::Cycle begun = bench.wheel.now();
  for (u32 i = 0; i < 500; ++i) bench.ask(at.address(1, i), burst);
  bench.run();
  EXPECT_NEAR(static_cast<double>(bench.wheel.now() - begun), cycles_of(c, 500.0 * bank_cycle),
              5.0 * bank_cycle + latency_cycles(c));
}

TEST_P(EveryStandard, AWriteIsDoneWhenTheChannelHasIt) {
  DeviceBench bench("dram", media(c), sm_clock);
  expect_cycles(latency_cycles(c), bench.lone(at.address(0, 0), burst, true));
  bench.expect_all_done_once();
}

/// Reads one after the other: the data bus is never idle but around refreshes. All banks precharge (tRP after the last
/// may), rest for tRFC and are activated again (tRCD): the bus loses tRFC + tRP + tRCD, and what the last and first
/// column commands are apart otherwise, of each tREFI. Bank groups and the next row's activation are hidden.
TEST_P(EveryStandard, ASequentialStreamHasTheBandwidthOfTheBus) {
  DramConfig together = refreshing;
  together.bank_refresh = false;
  for (const u32 bytes : {burst, 128u}) {
    DeviceBench bench("dram", media(together), sm_clock);
    const u64 total = 4 << 20;
    for (u64 address = 0; address < total; address += bytes) bench.ask(address, bytes);
    bench.run();
    bench.expect_all_done_once();
    const double lost =
        refreshing.refi ? double(refreshing.rfc + refreshing.rp + refreshing.rcd) / refreshing.refi : 0.0;
    const double peak = double(c.bytes_per_clock) * c.clock.count * 1000;
    const double reached = double(total) / bench.seconds();
    EXPECT_LE(reached, peak * (1 - lost) * 1.001) << bytes;
    EXPECT_GE(reached, peak * (1 - lost) * 0.99) << bytes;
    EXPECT_EQ(bench.device().statistics().busy_picoseconds / 1000,
              static_cast<u64>(double(total) / c.bytes_per_clock * 1e6 / c.clock.count))
        << "what the bus carries is what was asked, no more";
  }
}

TEST_P(EveryStandard, ASequentialStreamOfWritesHasItToo) {
  DeviceBench bench("dram", media(c), sm_clock);
  const u64 total = 2 << 20;
  for (u64 address = 0; address < total; address += 128) bench.ask(address, 128, true);
  bench.run();
  EXPECT_GE(double(total) / bench.seconds(), 0.99 * c.bytes_per_clock * c.clock.count * 1000);
  EXPECT_LE(double(total) / bench.seconds(), 1.001 * c.bytes_per_clock * c.clock.count * 1000);
}

/// Lines at a stride: bank groups and banks are used evenly, so that the bus is the bound as long as opening rows is
/// not.
TEST_P(EveryStandard, StridesUseAllBanks) {
  for (const u64 stride : {256u, 512u, 1024u, 2048u, 8192u, 12288u, 65536u, 1u << 20}) {
    DeviceBench bench("dram", media(c), sm_clock);
    const u32 lines = 8192;
    for (u64 i = 0; i < lines; ++i) bench.ask(i * stride, 128);
    bench.run();
    const double ticks = 128.0 / c.bytes_per_clock;
    // Activations: one a line where no other line of the stride is in its row.
    const double in_row = std::max(1.0, double(c.row.count) / double(stride));
    const double bound = std::max({ticks, activation / in_row, (bank_cycle + ticks) / in_row / c.banks});
    // Where the banks are hardly enough, those that are asked more often than others are waited for.
    const bool hardly = (bank_cycle + ticks) / c.banks > 0.7 * activation;
    EXPECT_LE(static_cast<double>(bench.wheel.now()), cycles_of(c, lines * bound) * (hardly ? 2.8 : 2.4)) << stride;
  }
}

/// Every read to another row of one bank: one per bank cycle.
TEST_P(EveryStandard, OneBankConflictsAtTheBankCycle) {
  DeviceBench bench("dram", media(c), sm_clock);
  const u32 reads = 2000;
  for (u32 i = 0; i < reads; ++i) bench.ask(at.address(1, i), burst);
  bench.run();
  const double expected = cycles_of(c, double(reads) * bank_cycle);
  EXPECT_NEAR(static_cast<double>(bench.wheel.now()), expected, expected * 0.01);
  EXPECT_EQ(bench.device().statistics().row_conflicts, reads - 1);
}

/// The same with writes, which the row has to take in before it closes.
TEST_P(EveryStandard, OneBankConflictsOfWritesWaitForTheirRecovery) {
  DeviceBench bench("dram", media(c), sm_clock);
  const u32 writes = 2000, each = std::max(c.ras, c.rcd + c.wl + burst_ticks + c.wr) + c.rp;
  for (u32 i = 0; i < writes; ++i) bench.ask(at.address(1, i), burst, true);
  bench.run();
  const double expected = cycles_of(c, double(writes) * each);
  EXPECT_NEAR(static_cast<double>(bench.wheel.now()), expected, expected * 0.01);
}

/// Five reads of five banks: the fifth row is opened tFAW after the first, or tRRD after the fourth. Without the window
/// it would be the latter.
TEST_P(EveryStandard, TheFifthActivationWaitsForTheWindow) {
  for (const u32 window : {0u, c.faw, 4 * c.rrd + 25}) {
    DramConfig windowed = c;
    windowed.faw = window;
    if (window == 0) windowed.faw = 1;  // 0 asks for the standard's
    DeviceBench bench("dram", media(windowed), sm_clock);
    std::vector<u32> reads;
    for (u32 i = 0; i < 6; ++i) reads.push_back(bench.ask(at.address(i, 0), burst));
    bench.run();
    const double one = c.rcd + c.cl + burst_ticks;
    const u32 fifth = std::max(4 * c.rrd, windowed.faw);
    expect_cycles(cycles_of(c, 3.0 * c.rrd + one) + latency_cycles(c), bench.asked[reads[3]].done);
    expect_cycles(cycles_of(c, fifth + one) + latency_cycles(c), bench.asked[reads[4]].done);
    expect_cycles(cycles_of(c, fifth + c.rrd + one) + latency_cycles(c), bench.asked[reads[5]].done);
    // After a rest nothing is left of the window.
    bench.idle(10'000);
    expect_cycles(cycles_of(c, one) + latency_cycles(c), bench.lone(at.address(7, 0), burst));
  }
}

/// Every read to another row, over all banks in turn: bounded by tRRD, by tFAW, by the banks, or by the bus.
TEST_P(EveryStandard, ConflictsOverAllBanksAtTheTightestBound) {
  DeviceBench bench("dram", media(c), sm_clock);
  const u32 reads = 8000;
  for (u32 i = 0; i < reads; ++i) bench.ask(at.address(i % c.banks, i / c.banks), burst);
  bench.run();
  const double each = std::max({activation, double(bank_cycle) / c.banks, double(std::max(c.ccd, burst_ticks))});
  const double expected = cycles_of(c, reads * each);
  EXPECT_NEAR(static_cast<double>(bench.wheel.now()), expected, expected * 0.01);
}

/// Random single bursts are slower than that, for the banks' queues are not even, but never faster.
TEST_P(EveryStandard, RandomReadsStayBelowTheBound) {
  DeviceBench bench("dram", media(c), sm_clock);
  std::mt19937_64 random(3);
  const u32 reads = 8000;
  for (u32 i = 0; i < reads; ++i) bench.ask(at.address(random() % c.banks, random() % 10'000), burst);
  bench.run();
  bench.expect_all_done_once();
  const double each = std::max({activation, double(bank_cycle) / c.banks, double(std::max(c.ccd, burst_ticks))});
  const double bound = cycles_of(c, reads * each);
  EXPECT_GE(static_cast<double>(bench.wheel.now()), bound * 0.99);
  EXPECT_LE(static_cast<double>(bench.wheel.now()), bound * 1.6);
}

TEST_P(EveryStandard, RowHitsOvertakeTheOlderConflict) {
  DeviceBench bench("dram", media(c), sm_clock);
  bench.lone(at.address(2, 0), burst);
  const u32 conflict = bench.ask(at.address(2, 1), burst);
  std::vector<u32> hits;
  for (u32 i = 1; i < 9; ++i) hits.push_back(bench.ask(at.address(2, 0, i * burst), burst));
  bench.run();
  for (const u32 hit : hits) EXPECT_LT(bench.asked[hit].turn, bench.asked[conflict].turn);
  for (u32 i = 1; i < hits.size(); ++i) EXPECT_LT(bench.asked[hits[i - 1]].turn, bench.asked[hits[i]].turn);
}

/// A conflict against an endless stream of hits to its bank: served once it is older than the cap, and not much later.
TEST_P(EveryStandard, TheAgeCapEndsOvertaking) {
  DramConfig capped = c;
  capped.age_cap = 500;
  DeviceBench bench("dram", media(capped), sm_clock);
  bench.lone(at.address(2, 0), burst);
  bench.idle(1000);
  for (u32 i = 0; i < 20; ++i) bench.ask(at.address(2, 0, i * burst), burst);
  const u32 conflict = bench.ask(at.address(2, 1), burst);
  for (u32 i = 0; i < 3000; ++i) bench.ask(at.address(2, 0, i * burst % c.row.count), burst);
  bench.run();
  bench.expect_all_done_once();
  const auto& victim = bench.asked[conflict];
  const double waited = static_cast<double>(victim.done - victim.accepted);
  EXPECT_GT(waited, cycles_of(c, 500)) << "hits should have gone first until then";
  EXPECT_LT(waited, cycles_of(c, 500 + 2 * bank_cycle + c.cl + 100) + latency_cycles(c));
}

/// Nobody waits for ever: overload with all kinds of requests; the worst wait stays within the cap, a queue of bank
/// cycles for each direction, and a turn.
TEST_P(EveryStandard, NobodyStarves) {
  DeviceBench bench("dram", media(refreshing), sm_clock);
  std::mt19937_64 random(9);
  for (u32 i = 0; i < 20'000; ++i)
    bench.ask(at.address(random() % 4 ? 5 : random() % c.banks, random() % 3, random() % 8 * burst), burst,
              random() % 3 == 0);
  bench.run();
  bench.expect_all_done_once();
  const double bound = cycles_of(c, c.age_cap + 2.0 * 128 * (bank_cycle + c.wl + c.wr + c.cl) + 4.0 * refreshing.rfc);
  for (const auto& one : bench.asked)
    ASSERT_LT(static_cast<double>(one.done - one.accepted), bound) << one.request.token;
}

/// Keeps reads of one row waiting, for ever: more than are answered at a time.
struct EndlessReads final : memory::DeviceClient {
  EndlessReads(DeviceBench& b, const Layout& layout, const DramConfig& dram) : bench(b), at(layout), c(dram) {}
  void start() {
    for (u32 i = 0; i < 60; ++i) served(i);
  }
  void served(u64) override {
    const u64 burst = c.burst.count;
    EXPECT_TRUE(bench.device().serve({at.address(0, 0, next++ * burst % c.row.count), u32(burst), false, 0, this}));
  }
  DeviceBench& bench;
  const Layout& at;
  const DramConfig& c;
  u64 next = 0;
};

/// How many writes wait, seen by how many more the queue takes.
u32 waiting_writes(DeviceBench& bench, const Layout& at, const DramConfig& c) {
  u32 room = 0;
  while (bench.device().serve({at.address(3, 1000 + room), u32(c.burst.count), true, 0, nullptr})) ++room;
  return c.write_queue - room;
}

/// While reads come, writes wait until there are `write_high`; then they go until `write_low` are left.
TEST_P(EveryStandard, WritesGoBetweenTheWatermarks) {
  for (const u32 writes : {c.write_high - 1, c.write_high}) {
    DramConfig patient = c;
    patient.age_cap = 1'000'000'000;
    patient.latency = {};
    DeviceBench bench("dram", media(patient), sm_clock);
    EndlessReads reads(bench, at, patient);
    reads.start();
    for (u32 i = 0; i < writes; ++i) EXPECT_TRUE(bench.device().serve({at.address(2, i), burst, true, 0, nullptr}));
    bench.idle(static_cast<core::Cycle>(cycles_of(c, 100 * bank_cycle + 100 * (c.wl + c.wr))));
    EXPECT_EQ(waiting_writes(bench, at, patient), writes == c.write_high ? c.write_low : writes);
  }
}

/// A lone write against endless reads goes when it is older than the age cap.
TEST_P(EveryStandard, AnOldWriteGoesBeforeReads) {
  for (const bool old : {false, true}) {
    DramConfig capped = c;
    capped.age_cap = 1000;
    capped.latency = {};
    DeviceBench bench("dram", media(capped), sm_clock);
    EndlessReads reads(bench, at, capped);
    reads.start();
    EXPECT_TRUE(bench.device().serve({at.address(2, 0), burst, true, 0, nullptr}));
    bench.idle(static_cast<core::Cycle>(cycles_of(c, old ? 1000 + 5 * bank_cycle : 950)));
    EXPECT_EQ(waiting_writes(bench, at, capped), old ? 0u : 1u);
  }
}

/// Writes that never end, all in conflict and all older than the cap: a read still has its turn after a batch of them.
TEST_P(EveryStandard, AReadGoesBetweenEndlessOldWrites) {
  DramConfig capped = c;
  capped.age_cap = 50;
  DeviceBench bench("dram", media(capped), sm_clock);
  struct Writer {
    DeviceBench& bench;
    const Layout& at;
    u32 burst, next = 0, left = 3000;
    void go() {
      while (left && bench.device().serve({at.address(2, next), burst, true, 0, nullptr})) ++next, --left;
      if (left)
        bench.device().notify_when_free(
            true, [](void* writer, u64, u64) { static_cast<Writer*>(writer)->go(); }, this, 0);
    }
  } writer{bench, at, burst};
  writer.go();
  bench.idle(static_cast<core::Cycle>(cycles_of(c, 5000)));
  const u32 read = bench.ask(at.address(3, 0), burst);
  bench.run();
  EXPECT_EQ(writer.left, 0u);
  const u32 write_cycle = std::max(c.ras, c.rcd + c.wl + burst_ticks + c.wr) + c.rp;
  const double batch = 50 + (c.write_high - c.write_low + 3.0) * write_cycle;
  EXPECT_LT(static_cast<double>(bench.asked[read].done - bench.asked[read].accepted),
            cycles_of(c, batch + c.wl + c.wtr + bank_cycle + c.cl) + latency_cycles(c));
}

TEST_P(EveryStandard, AReadOfWaitingBytesComesFromTheWriteAndNotBeforeIt) {
  DeviceBench bench("dram", media(c), sm_clock);
  // Reads keep the writes waiting.
  for (u32 i = 0; i < 30; ++i) bench.ask(at.address(i % c.banks, 7), burst);
  const u32 write = bench.ask(at.address(1, 3), burst, true);
  const u32 same = bench.ask(at.address(1, 3), burst), other = bench.ask(at.address(1, 4), burst);
  bench.run();
  bench.expect_all_done_once();
  EXPECT_LT(bench.asked[write].turn, bench.asked[same].turn);
  expect_cycles(latency_cycles(c), bench.asked[same].done - bench.asked[same].accepted);
  EXPECT_GT(bench.asked[other].done, bench.asked[same].done);
}

/// Eight reads, then writes, all of one row: between the last read's column command and the first write's lie
/// CL + burst + 2 - WL. A write is done when the channel has it, so the last event is the last write's command.
TEST_P(EveryStandard, TurningTheBusCostsItsTimings) {
  DramConfig wide = c;
  wide.write_queue = wide.write_high = 1024;
  wide.latency = {};
  DeviceBench bench("dram", media(wide), sm_clock);
  const u32 reads = 8, writes = 300;
  for (u32 i = 0; i < reads + writes; ++i) bench.ask(at.address(0, 0, i * burst % c.row.count), burst, i >= reads);
  bench.run();
  bench.expect_all_done_once();
  const u32 space = std::max({c.ccd_long, c.ccd, burst_ticks});
  const u32 turn = std::max(space, c.cl + burst_ticks + 2 - c.wl);
  EXPECT_NEAR(static_cast<double>(bench.wheel.now()),
              cycles_of(c, c.rcd + (reads - 1.0) * space + turn + (writes - 1.0) * space), 2.0);
}

TEST_P(EveryStandard, AReadAfterAWriteWaitsForTheTurn) {
  DeviceBench bench("dram", media(c), sm_clock);
  bench.lone(at.address(0, 0), burst);
  bench.idle(1000);
  const u32 write = bench.ask(at.address(0, 0, burst), burst, true);
  bench.offer();
  bench.idle(2);
  // The write's column command went at once; the read's comes after WL, the burst and tWTR.
  const u32 read = bench.ask(at.address(0, 0, 2 * burst), burst);
  bench.run();
  const double expected = cycles_of(c, c.wl + burst_ticks + c.wtr + c.cl + burst_ticks) + latency_cycles(c);
  EXPECT_NEAR(static_cast<double>(bench.asked[read].done - bench.asked[write].accepted), expected, 3.0);
}

TEST_P(EveryStandard, AFullQueueRefusesTellsOnceAndAccepts) {
  for (const bool write : {false, true}) {
    DeviceBench bench("dram", media(c), sm_clock);
    for (u32 i = 0; i < 500; ++i) bench.ask(at.address(i % c.banks, i), burst, write);
    bench.offer();
    EXPECT_EQ(bench.refused, 1u);
    EXPECT_EQ(bench.asked[63].accepted, 0u);
    EXPECT_EQ(bench.asked[64].accepted, core::never);
    bench.run();
    bench.expect_all_done_once();
    EXPECT_EQ(bench.notified, bench.refused);
    EXPECT_GE(bench.notified, 400u / 4);
  }
}

/// A client that waits to write is not told of room for reads, and the other way round.
TEST_P(EveryStandard, RoomIsADirections) {
  DeviceBench bench("dram", media(c), sm_clock);
  for (u32 i = 0; i < 64; ++i) bench.ask(at.address(i % c.banks, i), burst, true);
  bench.offer();
  bench.ask(at.address(0, 99), burst, true);  // refused
  bench.offer();
  EXPECT_EQ(bench.refused, 1u);
  // Reads are accepted beside it.
  memory::DeviceRequest read{at.address(1, 200), burst, false, 0, nullptr};
  for (u32 i = 0; i < 64; ++i) EXPECT_TRUE(bench.device().serve(read)) << i;
  EXPECT_FALSE(bench.device().serve(read));
  bench.run();  // `told` fails where there is no room
  bench.expect_all_done_once();
}

TEST_P(EveryStandard, NothingHappensWhileIdle) {
  DeviceBench bench("dram", media(refreshing), sm_clock);
  bench.lone(0, 32);
  EXPECT_EQ(bench.wheel.pending(), 0u);
  const u64 executed = bench.wheel.executed();
  bench.idle(100'000'000);
  EXPECT_EQ(bench.wheel.executed(), executed);
  // The rows were closed by refreshes meanwhile, as many as were due.
  bench.lone(burst, 32);
  if (refreshing.refi) {
    EXPECT_EQ(bench.device().statistics().row_hits, 0u);
    const double rounds = 100e6 / cycles_of(c, refreshing.refi) - 1;  // the first is due at tREFI
    const double due = rounds * (refreshing.rfc_bank ? refreshing.banks : 1) + 1;
    EXPECT_NEAR(double(bench.device().statistics().refreshes), due, 2);
  } else {
    EXPECT_EQ(bench.device().statistics().row_hits, 1u);
  }
}

/// Whatever stretch lies in one bank: it is in one row, the next is in another bank, and each row has all its bytes.
TEST_P(EveryStandard, AStretchLiesInOneRowAndRowsAreFilled) {
  for (u64 stretch = 128; stretch <= c.row.count; stretch *= 2) {
    DramConfig config = c;
    config.bank_block = {stretch};
    std::map<std::pair<u32, u64>, u64> bytes;
    for (u64 address = 0; address < 4 << 20; address += 128) {
      const DramPlace here = place_in(config, address), before = place_in(config, address - address % stretch);
      ASSERT_EQ(here.bank, before.bank) << address;
      ASSERT_EQ(here.row, before.row) << address;
      if (address % stretch == 0 && address) {
        EXPECT_NE(here.bank, place_in(config, address - 128).bank) << address;
      }
      bytes[{here.bank, here.row}] += 128;
    }
    EXPECT_EQ(bytes.size(), (4u << 20) / c.row.count);
    for (const auto& [place, count] : bytes) ASSERT_EQ(count, c.row.count) << "bank " << place.first;
  }
}

/// Lines of a long stretch are row hits, also where many streams take turns: two lines of each row in a row of banks.
TEST_P(EveryStandard, LongerStretchesNeedFewerRows) {
  std::array<u64, 2> opened{};
  for (const bool whole : {false, true}) {
    DramConfig config = c;
    if (whole) config.bank_block = c.row;
    DeviceBench bench("dram", media(config), sm_clock);
    std::mt19937_64 random(8);
    for (u32 i = 0; i < 4000; ++i) {
      const u64 address = random() % (1 << 20) * 1024;
      for (u32 line = 0; line < 4; ++line) bench.ask(address + line * 128, 128);
    }
    bench.run();
    opened[whole] = bench.device().statistics().row_misses + bench.device().statistics().row_conflicts;
  }
  EXPECT_GE(opened[true], 3900u);
  EXPECT_LE(opened[true], 4000u);
  EXPECT_GE(opened[false], 3.9 * 4000);
}

TEST_P(EveryStandard, ALoneReadOfAHitCostsTwoEvents) {
  DeviceBench bench("dram", media(c), sm_clock);
  bench.lone(at.address(0, 0), burst);
  bench.idle(1000);
  const u64 before = bench.wheel.executed();
  bench.lone(at.address(0, 0, burst), burst);
  EXPECT_EQ(bench.wheel.executed() - before, 2u);
}

/// The same requests, the same cycles; all served once, whatever comes.
TEST_P(EveryStandard, IsDeterministic) {
  std::vector<core::Cycle> done[2];
  for (auto& list : done) {
    DeviceBench bench("dram", media(refreshing), sm_clock);
    std::mt19937_64 random(2);
    for (u32 i = 0; i < 5000; ++i) {
      bench.ask(random() % (64 << 20) / 32 * 32, 32 << random() % 3, random() % 2);
      if (random() % 8 == 0) {
        bench.offer();
        bench.idle(random() % 300);
      }
    }
    bench.run();
    bench.expect_all_done_once();
    for (const auto& one : bench.asked) list.push_back(one.done);
  }
  EXPECT_EQ(done[0], done[1]);
}

// ---- refresh of single banks: the standards that have it ----

class SingleBankRefresh : public testing::TestWithParam<DramStandard> {
 protected:
  const DramConfig c = standard(GetParam().name);
  const Layout at{c};
  const u32 burst = static_cast<u32>(c.burst.count);
  const double alone = cycles_of(c, c.rcd + c.cl + burst / c.bytes_per_clock) + latency_cycles(c);
  /// When the refresh with this number (from 0) is due, in SM cycles. The bench is channel 0 of 1.
  double due(u32 number) const { return cycles_of(c, c.refi + double(c.refi) * number / c.banks); }
};

INSTANTIATE_TEST_SUITE_P(Dram, SingleBankRefresh, testing::ValuesIn([] {
                           std::vector<DramStandard> rows;
                           for (const DramStandard& row : dram_standards)
                             if (row.rfc_bank) rows.push_back(row);
                           return rows;
                         }()),
                         [](const auto& row) { return std::string(row.param.name); });

/// The stream goes on in the other banks: nothing of the bus is lost, though the channel refreshes as often as it must.
TEST_P(SingleBankRefresh, AStreamKeepsTheBandwidthOfTheBus) {
  DeviceBench bench("dram", media(c), sm_clock);
  const u64 total = 4 << 20;
  for (u64 address = 0; address < total; address += 128) bench.ask(address, 128);
  bench.run();
  bench.expect_all_done_once();
  const double ticks = double(total) / c.bytes_per_clock;
  EXPECT_LE(static_cast<double>(bench.wheel.now()), cycles_of(c, ticks) * 1.01);
  const double spent = static_cast<double>(bench.wheel.now()) / cycles_of(c, 1);
  EXPECT_NEAR(double(bench.device().statistics().refreshes), (spent - c.refi) / c.refi * c.banks, 2.0);
}

/// Banks come in turn. A read of the bank that is being refreshed waits for it; one of another bank does not.
TEST_P(SingleBankRefresh, OnlyTheBankWhoseTurnItIsWaits) {
  for (const u32 number : {0u, 3u, c.banks - 1, c.banks + 2}) {
    for (const bool same : {false, true}) {
      DeviceBench bench("dram", media(c), sm_clock);
      const u32 bank = number % c.banks;
      bench.idle(static_cast<core::Cycle>(due(number)) + 2);
      const double asked = static_cast<double>(bench.wheel.now());
      const core::Cycle took = bench.lone(at.address(same ? bank : (bank + 1) % c.banks, 5), burst);
      if (same)
        EXPECT_NEAR(static_cast<double>(took), due(number) + cycles_of(c, c.rfc_bank) - asked + alone, 3) << number;
      else
        expect_cycles(alone, took);
    }
  }
}

/// A bank's row stays open while other banks are refreshed, and is closed by its own refresh, idle or not.
TEST_P(SingleBankRefresh, ARowIsClosedByTheRefreshOfItsBankAlone) {
  const u32 bank = 6;
  for (const bool behind : {false, true}) {
    DeviceBench bench("dram", media(c), sm_clock);
    bench.idle(static_cast<core::Cycle>(due(0)) + 2);
    bench.lone(at.address(bank, 0), burst);
    bench.idle(static_cast<core::Cycle>(due(behind ? bank + 4 : bank - 1)) + 2 - bench.wheel.now());
    bench.lone(at.address(bank, 0, burst), burst);
    EXPECT_EQ(bench.device().statistics().row_hits, behind ? 0u : 1u);
  }
}

TEST(DramConfigs, AnUnknownStandardIsRefused) {
  DramConfig config;
  config.standard = "sdram";
  try {
    resolved(config);
    FAIL();
  } catch (const core::UserError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "memory.standard: no standard is called \"sdram\"; there are gddr5, gddr5x, gddr6, gddr6x, hbm2, hbm2e, hbm3");
  }
}

TEST(DramConfigs, ImpossibleFiguresAreRefusedByTheirField) {
  const auto refused = [](auto change) {
    DramConfig config;
    change(config);
    try {
      resolved(config);
    } catch (const core::UserError& error) {
      const std::string text = error.what();
      return text.substr(0, text.find(':'));
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused([](DramConfig&) {}), "accepted");
  EXPECT_EQ(refused([](DramConfig& c) { c.banks = 96; }), "memory.banks");
  EXPECT_EQ(refused([](DramConfig& c) { c.bank_groups = 3; }), "memory.bank_groups");
  EXPECT_EQ(refused([](DramConfig& c) { c.banks = 6; }), "memory.banks");
  EXPECT_EQ(refused([](DramConfig& c) { c.bytes_per_clock = 12; }), "memory.burst");
  EXPECT_EQ(refused([](DramConfig& c) { c.row = 1000_B; }), "memory.row");
  EXPECT_EQ(refused([](DramConfig& c) { c.burst = 4_KiB; }), "memory.burst");
  EXPECT_EQ(refused([](DramConfig& c) { c.banks = 128; }), "memory.banks");
  EXPECT_EQ(refused([](DramConfig& c) { c.banks = 2; }), "memory.bank_groups");
  EXPECT_EQ(refused([](DramConfig& c) { c.bank_block = 384_B; }), "memory.bank_block");
  EXPECT_EQ(refused([](DramConfig& c) { c.bank_block = 4_KiB; }), "memory.bank_block");
  EXPECT_EQ(refused([](DramConfig& c) { c.standard = "hbm2", c.rfc_bank = 3900; }), "memory.rfc_bank");
  EXPECT_EQ(refused([](DramConfig& c) { c.write_high = 65; }), "memory.write_high");
  EXPECT_EQ(refused([](DramConfig& c) { c.write_low = 56; }), "memory.write_low");
  EXPECT_EQ(refused([](DramConfig& c) { c.refi = 100, c.rfc = 90; }), "memory.rfc");
}

TEST(DramConfigs, AGivenFigureReplacesTheStandards) {
  DramConfig config;
  config.standard = "hbm2";
  config.rcd = 99;
  const DramConfig c = resolved(config);
  EXPECT_EQ(c.rcd, 99u);
  EXPECT_EQ(c.rp, 14u);
  EXPECT_EQ(c.clock, 1000_MHz);
}

/// What the machines' buses are made of: channels times bytes a clock times clock.
TEST(DramConfigs, StandardsHaveTheBandwidthOfTheirDataSheets) {
  const auto gigabytes = [](std::string_view name, u32 channels) {
    const DramConfig c = standard(name);
    return static_cast<double>(channels) * c.bytes_per_clock * static_cast<double>(c.clock.count) * 1e-6;
  };
  EXPECT_DOUBLE_EQ(gigabytes("gddr6x", 24), 936);  // RTX 3090
  EXPECT_DOUBLE_EQ(gigabytes("gddr6", 12), 336);   // RTX 2060, SBRP artifact
  EXPECT_DOUBLE_EQ(gigabytes("gddr5x", 11), 484);  // GTX 1080 Ti
  EXPECT_NEAR(gigabytes("hbm2e", 80), 1935, 1);    // A100-80GB PCIe: five stacks of 16 pseudo-channels
  EXPECT_DOUBLE_EQ(gigabytes("hbm2", 64), 1024);   // four stacks
}

}  // namespace
}  // namespace ew::media
