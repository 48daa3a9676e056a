// What workloads/micro measures from inside a kernel, beside what the machine file implies.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "runtime/machine_config.hpp"

namespace ew::runtime {
namespace {

/// The program's figures by name.
std::map<std::string, double> measure(const std::string& machine, const std::string& groups) {
  const std::string command = EW_PROGRAM " run --machine " + machine + " -- " EW_MICROBENCHMARKS " " + groups;
  std::map<std::string, double> figures;
  std::FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 256> line;
  bool passed = false;
  while (std::fgets(line.data(), line.size(), pipe)) {
    char name[64];
    double value = 0;
    if (std::sscanf(line.data(), "%63s %lf", name, &value) == 2) figures[name] = value;
    passed |= std::string(line.data()) == "PASS\n";
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  EXPECT_TRUE(passed) << command;
  return figures;
}

#define WITHIN_2_PERCENT(implied, figure) EXPECT_NEAR(figure, implied, 0.02 * (implied)) << #figure

struct Microbenchmarks : testing::TestWithParam<const char*> {};

TEST_P(Microbenchmarks, latencies_are_the_machine_file_s) {
  const MachineConfig config = load_machine(GetParam());
  auto figures = measure(GetParam(), "latency");
  WITHIN_2_PERCENT(config.l1.latency, figures["latency_l1"]);
  WITHIN_2_PERCENT(config.sm_timing.shared_latency, figures["latency_shared"]);
  EXPECT_GT(figures["latency_l2"], config.l2.latency);  // and twice through the network
  EXPECT_GT(figures["latency_memory"], figures["latency_l2"]);
}

INSTANTIATE_TEST_SUITE_P(Machines, Microbenchmarks, testing::Values("sbrp-pm-far", "tightly-coupled-15cu"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Microbenchmarks, bandwidths_and_conflicts_are_the_machine_file_s) {
  const MachineConfig config = load_machine("sbrp-pm-far");
  auto figures = measure("sbrp-pm-far", "bandwidth shared atomics");
  WITHIN_2_PERCENT(config.l1.banks * config.l1.bank_bytes, figures["bandwidth_l1"]);
  for (const u32 stride : {4u, 8u, 16u, 32u})
    WITHIN_2_PERCENT(stride, figures["shared_stride_" + std::to_string(stride)]);
  WITHIN_2_PERCENT(config.l2.atomics_per_cycle, figures["atomics_same_address"]);
}

}  // namespace
}  // namespace ew::runtime
