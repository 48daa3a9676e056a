// What a kernel sees of non-volatile memory: the GPM paper's three bandwidths, measured on its platform by its
// microbenchmark (section 6.1), and the balance of what was written and what became durable under every model.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/types.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

const char* const program = R"(
#include <everwarp/gpm.cuh>
#include <everwarp/persist.cuh>
#include <cstdlib>
#include <cstring>
// Each warp persists a stretch of its own, 8 bytes a thread at a time.
__global__ void sequential(char* pool, size_t stretch, int steps, int offset) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  char* at = pool + warp * stretch + offset + lane * 8;
  for (int i = 0; i < steps; ++i, at += 256) {
    *reinterpret_cast<unsigned long long*>(at) = i + 1;
    gpm_persist();
  }
}
// All threads write the pool from begin to end, 8 bytes each at a time, and persist at the end.
__global__ void streaming(unsigned long long* pool, size_t words) {
  const size_t threads = size_t(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads) pool[i] = i + 1;
  gpm_persist();
}
// Eight threads write a line of the host, anywhere.
__global__ void scattered(unsigned long long* pool, size_t lines) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long bits = (thread / 8 + 1) * 0x9e3779b97f4a7c15ull;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
  pool[(bits >> 8) % lines * 8 + thread % 8] = bits;
  gpm_persist();
}
// Warp 0 persists and releases a flag; then warp 1 acquires another, which nobody released, and persists.
__global__ void strangers(char* pool) {
  __shared__ unsigned released[64], other[64], told;
  if (threadIdx.x == 0) other[0] = told = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    *pool = 1;
    pRel_block(&released[0], 1);
    *static_cast<volatile unsigned*>(&told) = 1;
  }
  if (threadIdx.x == 32) {
    while (*static_cast<volatile unsigned*>(&told) == 0) continue;
    pool[4096] = static_cast<char>(1 + pAcq_block(&other[32]));
  }
}
int main(int, char** words) {
  const int blocks = atoi(words[2]), steps = atoi(words[3]);
  const size_t stretch = 16384, bytes = stretch * 32 * blocks + 4096;
  char* pool = static_cast<char*>(gpm_map("bandwidth.pool", bytes, true));
  if (!pool) return 3;
  gpm_persist_begin();
  if (!strcmp(words[1], "random")) scattered<<<8 * blocks, 1024>>>(reinterpret_cast<unsigned long long*>(pool), bytes / 64);
  else if (!strcmp(words[1], "streaming")) streaming<<<blocks, 1024>>>(reinterpret_cast<unsigned long long*>(pool), bytes / 8);
  else if (!strcmp(words[1], "strangers")) strangers<<<1, 64>>>(pool);
  else sequential<<<blocks, 1024>>>(pool, stretch, steps, atoi(words[1]));
  const bool done = cudaDeviceSynchronize() == cudaSuccess;
  gpm_persist_end();
  return !done;
}
)";

class NvmBandwidth : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "/ew-nvm-bandwidth";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/bandwidth.cu") << program;
    const Outcome outcome = call({EW_PROGRAM, "build", "-O2", "bandwidth.cu", "-o", "bandwidth"});
    ASSERT_EQ(outcome.status, 0) << outcome.output;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }
  static Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  static nlohmann::json measure(const std::string& machine, const Words& settings, const Words& arguments) {
    Words words{EW_PROGRAM, "run", "--machine", machine, "--stats", "stats.json"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--", "./bandwidth"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    std::ifstream file(folder_ + "/stats.json");
    return nlohmann::json::parse(file, nullptr, false);
  }
  static double gigabytes_per_second(const nlohmann::json& stats) {
    const auto& kernel = stats["kernels"][0];
    const double nanoseconds = kernel["nanoseconds_end"].get<double>() - kernel["nanoseconds_begin"].get<double>();
    return stats["timing"]["nvm.written_bytes"].get<double>() / nanoseconds;
  }
  static inline std::string folder_;
};

TEST_F(NvmBandwidth, IsGpmsOnItsPlatform) {
  const auto aligned = measure("titan-rtx-optane", {}, {"streaming", "72", "8"});
  EXPECT_NEAR(gigabytes_per_second(aligned), 12.5, 12.5 * 0.05);
  const auto fenced = measure("titan-rtx-optane", {}, {"0", "72", "8"});
  EXPECT_NEAR(gigabytes_per_second(fenced), 4.25, 4.25 * 0.05) << "nvm.fence_bandwidth";
  const auto unaligned = measure("titan-rtx-optane", {}, {"64", "72", "64"});
  EXPECT_NEAR(gigabytes_per_second(unaligned), 3.13, 3.13 * 0.05);
  const auto random = measure("titan-rtx-optane", {"nvm.pages=256"}, {"random", "72", "1"});  // of 36 MiB
  EXPECT_NEAR(gigabytes_per_second(random), 0.72, 0.72 * 0.05);
}

/// Everything that became durable was written through or evicted, and nothing else; every persist is acknowledged.
TEST_F(NvmBandwidth, WhatBecameDurableIsWhatWasWritten) {
  for (const char* model : {"none", "strict", "gpm", "epoch", "epoch-artifact", "sbrp"}) {
    for (const char* machine : {"sbrp-pm-near", "sbrp-pm-far"}) {
      const auto stats = measure(machine, {std::string("persistency.model=") + model}, {"64", "8", "4"})["timing"];
      const auto figure = [&](const char* name) { return stats[name].get<u64>(); };
      EXPECT_EQ(figure("durable.bytes"), figure("l2.persisted_bytes") + figure("l2.evicted_persistent_bytes"))
          << model << " on " << machine;
      EXPECT_EQ(figure("persist.sent"), figure("persist.acknowledged")) << model << " on " << machine;
      const u64 stored = 8ull * 1024 * 4 * 8;
      if (std::string(model) == "none") {
        EXPECT_EQ(figure("l2.persists"), 0u);
      } else {
        EXPECT_EQ(figure("l2.persisted_bytes"), stored) << model << " on " << machine;
        EXPECT_GT(figure("network.messages.persist"), 0u);
      }
    }
  }
}

/// A flag's name goes from the SM through every part of the machine to the model: unmatched, a pAcq orders nothing.
TEST_F(NvmBandwidth, APAcqIsMatchedToThePRelsOfItsFlag) {
  const auto entered = [&](const char* acquires) {
    const auto stats = measure("sbrp-pm-far", {"persistency.model=sbrp", std::string("sbrp.acquires=") + acquires},
                               {"strangers", "1", "1"})["timing"];
    EXPECT_EQ(stats["persist.orders.p_acquire"], 1);
    return stats["persist.entered.p_acquire"].get<int>();
  };
  EXPECT_EQ(entered("matched"), 0);
  EXPECT_EQ(entered("all"), 1);
}

}  // namespace
}  // namespace ew::cli
