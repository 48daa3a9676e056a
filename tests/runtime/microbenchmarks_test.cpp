// What workloads/micro measures from inside a kernel, beside what the machine file implies.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "core/cycle_buckets.hpp"
#include "media/dram_standards.hpp"
#include "memory/networks/crossbar.hpp"
#include "memory/networks/mesh.hpp"
#include "runtime/machine_config.hpp"

namespace ew::runtime {
namespace {

/// What the program printed, by name, and the machine's statistics of each kernel, in order.
struct Measured {
  std::map<std::string, double> figures;
  nlohmann::json kernels;

  double operator[](const std::string& name) const { return figures.at(name); }
  /// Of the last kernel of a group of the program.
  double counted(const std::string& statistic, std::size_t kernel) const {
    return kernels.at(kernel).at("timing").at(statistic).get<double>();
  }
};

Measured measure(const std::string& machine, const std::string& program) {
  const std::string file = testing::TempDir() + "microbenchmarks." + std::to_string(getpid()) + ".json";
  const std::string command = EW_PROGRAM " run --machine " + machine + " --stats " + file + " -- " + program;
  Measured measured;
  std::FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 256> line;
  bool passed = false;
  while (std::fgets(line.data(), line.size(), pipe)) {
    char name[64];
    double value = 0;
    if (std::sscanf(line.data(), "%63s %lf", name, &value) == 2) measured.figures[name] = value;
    passed |= std::string(line.data()) == "PASS\n";
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  EXPECT_TRUE(passed) << command;
  measured.kernels = nlohmann::json::parse(std::ifstream(file)).at("kernels");
  std::remove(file.c_str());
  return measured;
}

/// What the machine file says, in cycles of the SMs.
struct Implied {
  explicit Implied(const MachineConfig& c)
      : config(c),
        dram(media::resolved(c.memory)),
        network(memory::make_network(c.network, parts())),
        ticks_a_cycle(static_cast<double>(dram.clock.count) / static_cast<double>(c.device.clock.count)) {}

  memory::NetworkParts parts() {
    return {
        .wheel = wheel, .clock = config.device.clock, .agents = agents_of(config), .homes = config.address_map.slices};
  }

  /// SM 0 asks each slice in turn for 8 bytes, in the slices that a stride of two lines of 64 bytes meets: `cycles` and
  /// the way there and back.
  template <class Way>
  double mean_over_slices(Way&& cycles) {
    const u32 step = config.address_map.hashed ? 1 : std::max(1u, 128 / config.address_map.interleave);
    double sum = 0;
    u32 count = 0;
    for (u32 slice = 0; slice < config.address_map.slices; slice += step, ++count) {
      const auto home = static_cast<memory::Node>(agents_of(config) + slice);
      sum += static_cast<double>(network->idle_latency(0, home, 0) + network->idle_latency(home, 0, 8)) + cycles(slice);
    }
    return sum / count;
  }
  /// Nanoseconds. The block goes to its SM, its end is told and its SM's cache flushed, and that is told: three times
  /// the window.
  double launch() const {
    const auto window = std::min<core::Cycle>(network->lookahead(), core::CycleBuckets<u32>::longest);
    return static_cast<double>(config.launch.gap.count) / 1000 +
           3 * static_cast<double>(window) * 1e6 / static_cast<double>(config.device.clock.count);
  }
  double l2_latency() {
    return mean_over_slices([&](u32) { return config.l2.latency; });
  }
  /// With the rows that the banks really had open, and the refreshes that really came.
  double memory_latency(const Measured& measured, std::size_t kernel) {
    const double reads = measured.counted("memory.reads", kernel),
                 opened = measured.counted("memory.row_misses", kernel),
                 changed = measured.counted("memory.row_conflicts", kernel);
    const double ticks = (dram.rcd * (opened + changed) + dram.rp * changed) / reads + dram.cl +
                         static_cast<double>(config.l2.sector) / dram.bytes_per_clock;
    const double picoseconds =
        static_cast<double>(dram.latency.count) + measured.counted("memory.refresh_picoseconds", kernel) / reads;
    const double device = ticks / ticks_a_cycle + picoseconds * 1e-9 * static_cast<double>(config.device.clock.count);
    return mean_over_slices([&](u32 slice) {
      const u32 channel = slice * config.address_map.channels / config.address_map.slices;
      return config.l2.latency + device +
             static_cast<double>(memory::memory_distance(config.network, parts(), slice, channel));
    });
  }
  /// Each slice's port sends a line in whole flits.
  double l2_bandwidth() const {
    const auto crossbar = config.network.sections.of<memory::CrossbarConfig>();
    const double flits = std::ceil(static_cast<double>(config.l1.line + crossbar.header) / crossbar.flit);
    const double cycles = flits * crossbar.flit / crossbar.width * static_cast<double>(config.device.clock.count) /
                          static_cast<double>(crossbar.clock.count);
    return config.address_map.slices * config.l1.line / cycles;
  }
  /// What the SMs read together in these shares, each of every slice alike, when the busiest link of a mesh never
  /// rests.
  double mesh_bandwidth(const std::vector<double>& shares) const {
    const auto mesh = config.network.sections.of<memory::MeshConfig>();
    std::map<std::pair<u32, u32>, double> busy;  // ticks of each link, for a line of each slice times the shares
    const auto carry = [&](u32 from, u32 to, u32 bytes, double share) {
      const double ticks = share * std::ceil(double(bytes + mesh.header) / mesh.flit) * mesh.flit / mesh.width;
      while (from != to) {
        const u32 column = from % mesh.columns, wanted = to % mesh.columns;
        const u32 next = column < wanted   ? from + 1
                         : column > wanted ? from - 1
                         : from < to       ? from + mesh.columns
                                           : from - mesh.columns;
        busy[{from, next}] += ticks;
        from = next;
      }
    };
    const u32 routers = mesh.columns * mesh.rows;
    for (u32 sm = 0; sm < config.sm.count; ++sm)
      for (u32 slice = 0; slice < config.address_map.slices; ++slice) {
        carry(sm % routers, slice % routers, 0, shares[sm]);
        carry(slice % routers, sm % routers, config.l1.line, shares[sm]);
      }
    double busiest = 0;
    for (const auto& [link, ticks] : busy) busiest = std::max(busiest, ticks);
    const double cycles =
        busiest * static_cast<double>(config.device.clock.count) / static_cast<double>(mesh.clock.count);
    return std::accumulate(shares.begin(), shares.end(), 0.0) * config.address_map.slices * config.l1.line / cycles;
  }
  /// Banks, or the lanes whose addresses the load/store unit takes: 16 bytes each.
  double l1_bandwidth() const {
    return std::min(config.l1.banks * config.l1.bank_bytes, 16 * config.sm_timing.load_store_lanes);
  }
  /// The data buses of all channels, less what was written back, less what refreshes, turnarounds and banks took.
  double memory_bandwidth(const Measured& measured, std::size_t kernel) const {
    const auto time = [&](const char* of) {
      return measured.counted("memory." + std::string(of) + "_picoseconds", kernel);
    };
    const double read = measured.counted("memory.read_bytes", kernel),
                 written = measured.counted("memory.written_bytes", kernel);
    const double busy = time("busy"), lost = time("refresh") + time("turnaround") + time("bank");
    return config.address_map.channels * dram.bytes_per_clock * ticks_a_cycle * read / (read + written) * busy /
           (busy + lost);
  }

  const MachineConfig& config;
  core::TimeWheel wheel;
  const media::DramConfig dram;
  std::unique_ptr<memory::Network> network;
  const double ticks_a_cycle;
};

#define WITHIN_2_PERCENT(implied, figure)                                                           \
  do {                                                                                              \
    const double is = implied;                                                                      \
    EXPECT_NEAR(figure, is, 0.02 * is) << #figure;                                                  \
    if (std::getenv("EW_SHOW_IMPLIED")) std::printf("%s %.2f implied %.2f\n", #figure, figure, is); \
  } while (0)

struct Microbenchmarks : testing::TestWithParam<const char*> {};

TEST_P(Microbenchmarks, latencies_are_the_machine_file_s) {
  const MachineConfig config = load_machine(GetParam());
  Implied implied(config);
  const Measured measured = measure(GetParam(), EW_MICROBENCHMARKS " latency");
  WITHIN_2_PERCENT(config.l1.latency, measured["latency_l1"]);
  WITHIN_2_PERCENT(config.sm_timing.shared_latency, measured["latency_shared"]);
  WITHIN_2_PERCENT(implied.l2_latency(), measured["latency_l2"]);
  constexpr std::size_t chase_of_memory = 3;  // behind those of L1 and L2, and the stream that empties the L2
  ASSERT_EQ(measured.counted("memory.reads", chase_of_memory), 1025);  // and the pointer that leads to itself
  ASSERT_LE(measured.counted("memory.writes", chase_of_memory), 16);
  WITHIN_2_PERCENT(implied.memory_latency(measured, chase_of_memory), measured["latency_memory"]);
}

TEST_P(Microbenchmarks, bandwidths_are_the_machine_file_s) {
  const MachineConfig config = load_machine(GetParam());
  const Implied implied(config);
  const Measured measured = measure(GetParam(), EW_MICROBENCHMARKS " bandwidth shares");
  constexpr std::size_t cold_stream = 4;  // behind that of L1, two of L2, and the one that empties the L2
  WITHIN_2_PERCENT(implied.memory_bandwidth(measured, cold_stream), measured["bandwidth_memory"]);
  WITHIN_2_PERCENT(implied.l1_bandwidth(), measured["bandwidth_l1"]);
  if (config.network.kind == "crossbar") {
    WITHIN_2_PERCENT(implied.l2_bandwidth(), measured["bandwidth_l2"]);
    return;
  }
  // SMs read unequally, as their ways are. In these shares the busiest link must never rest, and in all they must read
  // as much as in equal ones: else that link could be one that hardly anyone needs.
  std::vector<double> shares;
  for (u32 sm = 0; sm < config.sm.count; ++sm) shares.push_back(measured["bandwidth_l2_sm_" + std::to_string(sm)]);
  WITHIN_2_PERCENT(implied.mesh_bandwidth(shares), measured["bandwidth_l2"]);
  WITHIN_2_PERCENT(implied.mesh_bandwidth(std::vector<double>(config.sm.count, 1)), measured["bandwidth_l2"]);
}

TEST_P(Microbenchmarks, atomics_and_launches_are_the_machine_file_s) {
  const MachineConfig config = load_machine(GetParam());
  const Measured measured = measure(GetParam(), EW_MICROBENCHMARKS " atomics launch");
  WITHIN_2_PERCENT(100.0 / config.l2.atomic_interval, measured["atomics_same_address"]);
  const u32 lines = 128 / config.l1.line;  // of the 32 words that a warp adds to: each is another slice's
  WITHIN_2_PERCENT(lines * config.l2.atomics_per_cycle, measured["atomics_same_line"]);
  WITHIN_2_PERCENT(config.address_map.slices * config.l2.atomics_per_cycle, measured["atomics_spread"]);
  WITHIN_2_PERCENT(Implied(config).launch(), measured["launch"]);
}

/// Lines were interleaved over banks that each moved a part of a line: a warp's next line was often in the same bank.
TEST(Microbenchmark, a_hit_of_words_moves_as_much_as_one_of_vectors) {
  for (const auto& [machine, bytes] : {std::pair("titan-rtx", 64), std::pair("a100-80gb", 128)}) {
    const Measured measured = measure(std::string(machine) + " --set sm.count=2", EW_MICROBENCHMARKS " bandwidth");
    EXPECT_NEAR(measured["bandwidth_l1_words"], bytes, 0.05 * bytes) << machine;
    EXPECT_NEAR(measured["bandwidth_l1"], bytes, 0.05 * bytes) << machine;
  }
}

/// Cycles of a warp's load of words `stride` apart in lines of 32, that begins at word 0, 4, 8 and so on: mean of
/// eight. With one tag a line takes a cycle. Else so many lines take one, or as many words as lie at one place of their
/// lines.
double cycles_of_stride(u32 stride, u32 tags) {
  double sum = 0;
  for (u32 first = 0; first < 32; first += 4) {
    std::array<u32, 32> words{};
    for (u32 lane = 0; lane < 32; ++lane) ++words[(first + lane * stride) % 32];
    const u32 lines = (first + 31 * stride) / 32 + 1, most = *std::max_element(words.begin(), words.end());
    sum += tags == 1 ? lines : std::max((lines + tags - 1) / tags, most);
  }
  return sum / 8;
}

TEST(Microbenchmark, lines_of_a_load_share_a_cycle_as_far_as_tags_and_words_allow) {
  for (const u32 tags : {1u, 2u, 4u, 8u}) {
    const Measured measured =
        measure("h100 --set sm.count=2 --set l1.tags=" + std::to_string(tags), EW_MICROBENCHMARKS " strides");
    for (const u32 stride : {1u, 2u, 3u, 4u, 5u, 7u, 8u}) {
      const double implied = cycles_of_stride(stride, tags);
      EXPECT_NEAR(measured["l1_stride_" + std::to_string(stride)], implied, 0.05 * implied) << stride << ' ' << tags;
    }
  }
}

TEST(Microbenchmark, a_warp_s_compare_and_swap_keeps_the_load_store_unit_as_long_as_the_machine_file_says) {
  for (const u32 interval : {64u, 96u}) {
    const Measured measured =
        measure("titan-rtx --set sm.count=2 --set sm_timing.swap_interval=" + std::to_string(interval),
                EW_MICROBENCHMARKS " contention");
    WITHIN_2_PERCENT(32.0 / interval, measured["atomics_swap_sm"]);
  }
}

struct SharedMemory : testing::TestWithParam<const char*> {};
// On the last of these a further pass takes two cycles.
INSTANTIATE_TEST_SUITE_P(Machines, SharedMemory, testing::Values("sbrp-pm-far", "gtx-1080ti", "titan-rtx"));

TEST_P(SharedMemory, conflicts_cost_what_the_machine_file_says) {
  const auto sm = load_machine(GetParam()).sm_timing;
  const Measured measured = measure(GetParam(), EW_MICROBENCHMARKS " shared conflicts");
  const u32 unit = 32 / sm.load_store_lanes;  // cycles that a warp's addresses take
  const auto further = [&](u32 ways) { return (ways - 1) * sm.shared_conflict; };
  if (unit == 2) WITHIN_2_PERCENT(unit, measured["shared_stride_1"]);
  for (const u32 stride : {4u, 8u, 16u, 32u})
    WITHIN_2_PERCENT(std::max(1 + further(stride), unit), measured["shared_stride_" + std::to_string(stride)]);
  for (const u32 ways : {1u, 2u, 4u, 8u, 16u, 32u})
    WITHIN_2_PERCENT(std::max(unit, sm.shared_latency + further(ways)),
                     measured["shared_conflict_" + std::to_string(ways)]);
}

TEST_P(Microbenchmarks, chains_and_knees_are_the_machine_file_s) {
  const MachineConfig config = load_machine(GetParam());
  const auto& sm = config.sm_timing;
  Implied implied(config);
  const Measured measured = measure(GetParam(), EW_MICROBENCHMARKS " arithmetic footprints");
  WITHIN_2_PERCENT(std::max(sm.single.latency, sm.single.interval), measured["latency_float_fma"]);
  WITHIN_2_PERCENT(std::max(sm.multiply.latency, sm.multiply.interval), measured["latency_integer_mad"]);
  WITHIN_2_PERCENT(std::max(sm.wide.latency, sm.wide.interval), measured["latency_double_fma"]);
  WITHIN_2_PERCENT(std::max(sm.half.latency, sm.half.interval), measured["latency_half_fma"]);
  const double l1 = static_cast<double>(config.l1.bytes) / 1024;
  EXPECT_LE(measured["l1_knee"], l1);
  EXPECT_GE(measured["l1_knee"], 0.75 * l1);
  // A slow slice or a few misses may still be within a tenth of the small footprint's latency.
  const double l2 = static_cast<double>(config.l2.bytes) * config.address_map.slices / (1 << 20);
  EXPECT_LE(measured["l2_knee"], 1.13 * l2);
  EXPECT_GE(measured["l2_knee"], 0.5 * l2);
  EXPECT_LE(measured["latency_l2_near"], implied.l2_latency());
  EXPECT_GE(measured["latency_l2_far"], 0.99 * implied.l2_latency());
}

TEST_P(Microbenchmarks, barriers_fences_and_contended_atomics_cost_what_they_must) {
  const MachineConfig config = load_machine(GetParam());
  const Implied implied(config);
  const Measured measured = measure(GetParam(), EW_MICROBENCHMARKS " barriers fences contention");
  const auto& sm = config.sm_timing;
  for (const u32 warps : {1, 2, 4, 8, 16, 32}) {
    const u32 issues = (warps - 1) / sm.schedulers;  // the last warp's barrier comes so many cycles behind the first's
    const u32 arrivals = std::max((warps - 1) * sm.barrier_interval, issues);
    WITHIN_2_PERCENT(sm.barrier_latency + arrivals, measured["syncthreads_" + std::to_string(warps)]);
  }
  EXPECT_GT(measured["syncthreads_32"], measured["syncthreads_2"]);
  EXPECT_GT(measured["grid_sync_all_sms"], measured["syncthreads_32"]);
  EXPECT_LT(measured["fence_block"], measured["fence_device"]);
  // One address is one slice's, and an SM sends no more than its share.
  EXPECT_LE(measured["atomics_one_address"], 102.0 / config.l2.atomic_interval);
  EXPECT_LE(measured["atomics_swap_sm"], 102.0 / config.l2.swap_interval);
  EXPECT_LE(measured["atomics_own"], 1.02 * config.address_map.slices * config.l2.atomics_per_cycle);
  EXPECT_GT(measured["atomics_own"], measured["atomics_own_sm"]);
  EXPECT_GT(measured["ping_pong_global"], measured["ping_pong_shared"]);
}

INSTANTIATE_TEST_SUITE_P(Machines, Microbenchmarks,
                         testing::Values("sbrp-pm-far", "tightly-coupled-15cu", "gtx-1080ti"), [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

#ifdef EW_LATENCIES
// The thesis's remote L1 hits (Tables 2.3 and 4.3): the program holds their cycles, and they really are answered by
// another private cache.
TEST(Latencies, remote_l1_hits_are_answered_by_their_owners) {
  const Measured measured = measure(
      "tightly-coupled-15cu --set sm_timing.integer_latency=1 --set coherence.protocol=mesi", EW_LATENCIES " remote");
  constexpr int cus = 15, banks = 16;
  ASSERT_EQ(measured.kernels.size(), std::size_t{cus * (cus - 1)});
  for (std::size_t kernel = 0; kernel < measured.kernels.size(); ++kernel)
    EXPECT_GE(measured.counted("l1.forwards", kernel), banks);
}
#endif

}  // namespace
}  // namespace ew::runtime
