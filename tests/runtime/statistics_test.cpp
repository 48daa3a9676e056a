// Invariants of figures, derived figures, and what programs are told of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "runtime/bars.hpp"
#include "runtime/derived_figures.hpp"
#include "runtime/invariants.hpp"
#include "runtime/properties.hpp"

namespace ew::runtime {
namespace {

FigureValues figures(std::initializer_list<std::pair<std::string_view, u64>> some) {
  FigureValues values(figure_names().size());
  for (const auto& [name, value] : some) {
    const auto found = std::ranges::find(figure_names(), name, &core::Statistic::name);
    EXPECT_NE(found, figure_names().end()) << name;
    values[static_cast<std::size_t>(found - figure_names().begin())] = value;
  }
  return values;
}

TEST(Invariants, HoldOfNothing) {
  EXPECT_EQ(broken_invariant(MachineConfig{}, figures({}), true), "");
  EXPECT_EQ(broken_sum(figures({}), {}, {}, {}), "");
}

/// A hit rate of 101 %: atomics were counted among the hits of reads.
TEST(Invariants, MoreHitsThanReadsAreRefused) {
  const std::string broken =
      broken_invariant(MachineConfig{}, figures({{"l2.reads", 100}, {"l2.read_hits", 101}}), false);
  EXPECT_NE(broken.find("l2.read_hits"), std::string::npos);
  EXPECT_NE(broken.find("left side 101, right side 100"), std::string::npos) << broken;
}

/// Four launches side by side counted each other's instructions.
TEST(Invariants, LaunchesThatAddUpToMoreThanTheMachineAreRefused) {
  const FigureValues whole = figures({{"issued.integer", 81608}}), kernels = figures({{"issued.integer", 188664}});
  EXPECT_EQ(broken_sum(whole, kernels, {}, {}),
            "issued.integer of all launches, of copies and of nobody is 188664 together, of the machine 81608");
  EXPECT_EQ(broken_sum(whole, figures({{"issued.integer", 81600}}), {}, figures({{"issued.integer", 8}})), "");
}

TEST(Invariants, OfALaunchItsInstructionsAreTheExecutors) {
  KernelRow row{.name = "k", .warp_instructions = 9, .values = figures({{"issued.single", 10}, {"slots.issued", 10}})};
  row.values = figures({{"issued.single", 10}, {"slots.issued", 10}, {"cycles", 10}});
  EXPECT_NE(LaunchInvariants(MachineConfig{}).broken(row).find("kernel.warp_instructions"), std::string::npos);
  row.warp_instructions = 10;
  EXPECT_EQ(LaunchInvariants(MachineConfig{}).broken(row), "");
}

/// Copies of one engine were drawn from the moment in which they were queued, one over the other.
TEST(Bars, ThatOverlapAreFound) {
  Bars bars;
  bars.add(1, 0, 5, 10, "k");
  bars.add(1, 0, 10, 10, "follows at once, and takes no time");
  bars.add(1, 7, 2, 4, "another track");
  bars.add(2, 0, 0, 9, "another group");
  bars.add(1, 0, 10, 30, "follows");
  EXPECT_EQ(bars.mistake(), "");
  Bars both = bars;
  both.add(1, 0, 29, 40, "copy");
  EXPECT_NE(both.mistake().find("copy lasts from 29 ns to 40 ns"), std::string::npos) << both.mistake();
  EXPECT_NE(both.mistake().find("track 0 of group 1 to 30 ns"), std::string::npos) << both.mistake();
  both.add(1, 0, 50, 45, "ends before it begins");
  EXPECT_NE(both.mistake().find("copy lasts"), std::string::npos) << "the first is told";
  bars.add(2, 0, 12, 11, "ends before it begins");
  EXPECT_NE(bars.mistake().find("ends before"), std::string::npos);
}

TEST(DerivedFigures, AreTheirFormulas) {
  KernelRow row{.warp_instructions = 40, .thread_instructions = 640, .resident_warps = 16};
  row.values = figures(
      {{"cycles", 10}, {"issued.integer", 40}, {"l1.loads", 8}, {"l1.load_hits", 6}, {"sectors", 12}, {"requests", 3}});
  row.latencies.buckets = {{3, static_cast<u8>(simt::latency_bucket(200)), 99},
                           {3, static_cast<u8>(simt::latency_bucket(1000)), 1}};
  MachineConfig config;
  config.sm.count = 2;
  config.sm.warps = 32;
  const auto list = derive(NamedFigures(machine_constants(config), row), true);
  const auto value = [&](std::string_view name) {
    for (const auto& [figure, value] : list)
      if (figure->name == name) return value;
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(value("ipc"), 2);
  EXPECT_DOUBLE_EQ(value("lanes.instruction"), 16);
  EXPECT_DOUBLE_EQ(value("occupancy.theoretical"), 50);
  EXPECT_DOUBLE_EQ(value("l1.hit_rate"), 75);
  EXPECT_DOUBLE_EQ(value("coalescing.sectors"), 4);
  EXPECT_DOUBLE_EQ(value("latency.home.p50"), 192);
  EXPECT_DOUBLE_EQ(value("latency.home.p99"), 192);
  EXPECT_DOUBLE_EQ(value("l2.hit_rate"), -1) << "nothing was read: no value";
}

TEST(DerivedFigures, NamesOfNsightComputeStandInTheDocument) {
  std::ifstream file(core::home_directory() / "docs" / "statistics.md");
  std::stringstream text;
  text << file.rdbuf();
  const auto line = [&](std::string_view name, std::string_view nsight) {
    const std::string wanted = "| `" + std::string(name) + "` | " + std::string(nsight) + " |\n";
    EXPECT_NE(text.str().find(wanted), std::string::npos) << wanted;
  };
  for (const DerivedFigure& one : derived_figures())
    if (!one.nsight.empty()) line(one.name, one.nsight);
  for (const NsightName& one : nsight_names()) line(one.figure, one.nsight);
}

std::string mistake(std::string_view machine, std::initializer_list<const char*> settings) {
  MachineConfig config = load_machine(machine);
  try {
    for (const char* setting : settings) apply_setting(setting, config);
    check(config);
  } catch (const core::UserError& error) {
    return error.what();
  }
  return "";
}

TEST(WhatIsTold, IsWhatIsSimulated) {
  for (const std::string& name : core::machine_names()) {
    const MachineConfig config = load_machine(name);
    EXPECT_EQ(mistake(name, {}), "") << name;
    const cudaDeviceProp told = properties_of(config);
    EXPECT_EQ(static_cast<u64>(told.l2CacheSize), u64{config.address_map.slices} * config.l2.bytes) << name;
    const MachineConfig machine = effective(config);
    const double bandwidth = 2.0 * told.memoryClockRate * told.memoryBusWidth / 8;
    const double simulated = static_cast<double>(config.address_map.channels) * machine.memory.bytes_per_clock *
                             static_cast<double>(machine.memory.clock.count);
    EXPECT_NEAR(bandwidth, simulated, simulated / 1000) << name;
  }
  MachineConfig config = load_machine("titan-rtx");
  apply_setting("l2.bytes=1536KiB", config);
  EXPECT_EQ(properties_of(config).l2CacheSize, 72 << 20) << "10 MiB were told once";
}

TEST(WhatIsTold, AContradictionIsRefused) {
  EXPECT_NE(mistake("titan-rtx", {"device.l2=10MiB"}).find("device.l2 should be 0 (as simulated) or 6291456"),
            std::string::npos);
  const std::string text = mistake("titan-rtx", {"device.memory_clock=10501", "device.memory_bus_bits=384"});
  EXPECT_NE(text.find("tell programs of 1008 GB/s, but 672 GB/s are simulated"), std::string::npos) << text;
}

/// A clock alone was told with a bus that made up for it: 256 bits, where 384 are simulated.
TEST(WhatIsTold, OneFieldIsNotBentToFitAnother) {
  const std::string clock = mistake("titan-rtx", {"device.memory_clock=10501"});
  EXPECT_NE(clock.find("device.memory_clock and device.memory_bus_bits tell programs of 1008 GB/s"), std::string::npos)
      << clock;
  const std::string bus = mistake("titan-rtx", {"device.memory_bus_bits=256"});
  EXPECT_NE(bus.find("device.memory_bus_bits should be 0 (as simulated) or 384 bits"), std::string::npos) << bus;
  EXPECT_NE(mistake("titan-rtx", {"device.memory_clock=0.001"}), "");
  EXPECT_NE(mistake("titan-rtx", {"device.memory_clock=100000"}), "");
  EXPECT_EQ(mistake("titan-rtx", {"device.memory_clock=7000"}), "");
  EXPECT_EQ(mistake("titan-rtx", {"device.memory_bus_bits=384"}), "");
  // What is simulated may change: what is told goes along.
  for (const char* setting : {"memory.clock=1000", "memory.bytes_per_clock=8", "address_map.channels=12"})
    EXPECT_EQ(mistake("titan-rtx", {setting}), "") << setting;
  EXPECT_NE(mistake("titan-rtx", {"memory.clock=1000", "device.memory_clock=7000"}), "");
}

/// The GTX 1080 Ti's 32 was told, and 64 was simulated.
TEST(WhatIsTold, TheRatioOfDoubleToSinglePrecisionIsThatOfTheUnits) {
  const std::pair<const char*, int> ratios[] = {{"titan-rtx", 32}, {"gtx-1080ti", 32}, {"a100-80gb", 2}, {"h100", 2}};
  for (const auto& [machine, ratio] : ratios)
    EXPECT_EQ(properties_of(load_machine(machine)).singleToDoublePrecisionPerfRatio, ratio) << machine;
  EXPECT_NE(mistake("titan-rtx", {"sm.double_ratio=2"}).find("sm.double_ratio should be 0 (as simulated) or 32"),
            std::string::npos);
  EXPECT_EQ(mistake("titan-rtx", {"sm_timing.double_interval=4"}), "");
}

TEST(EffectiveMachine, HasTheStandardsFigures) {
  const std::string text = to_toml(effective(load_machine("titan-rtx")));
  for (const char* line : {"\nrcd = 20\n", "\nclock = 3500\n", "\nbanks = 16\n", "\nmemory_bus_bits = 384\n",
                           "\nmemory_clock = 7000\n", "\nl2 = \"6 MiB\"\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(Sizes, ThatCannotBeHeldAreRefused) {
  EXPECT_NE(mistake("titan-rtx", {"l2.bytes=256MiB"}).find("l2.bytes times address_map.slices"), std::string::npos);
  EXPECT_NE(mistake("titan-rtx", {"host_memory.llc=1TB"}).find("host_memory.llc"), std::string::npos);
}

/// A machine that never answered: reported as a deadlock of the program.
TEST(Sizes, ARequestFitsBetweenTwoRefreshes) {
  EXPECT_NE(mistake("a100-80gb", {"memory.rcd=6000"}).find("memory.rcd should leave time"), std::string::npos);
  EXPECT_EQ(mistake("a100-80gb", {"memory.rcd=2000"}), "");
}

}  // namespace
}  // namespace ew::runtime
