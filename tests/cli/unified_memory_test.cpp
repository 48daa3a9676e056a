// The L1 and shared memory have one memory: what a kernel needs of the one, the other does not have (l1.unified).
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

// Four warps read so many lines of 128 bytes twice.
const char* const reads_twice = R"(
#include <cstdlib>
__global__ void twice(const unsigned* from, unsigned* sum, int lines) {
  extern __shared__ unsigned unused[];
  unsigned s = 0;
  for (int round = 0; round < 2; ++round)
    for (int i = threadIdx.x / 32; i < lines; i += blockDim.x / 32) s += from[i * 32 + threadIdx.x % 32];
  sum[threadIdx.x] = s;
}
int main(int count, char** words) {
  const int lines = atoi(words[1]), shared = atoi(words[2]);
  unsigned *from, *sum;
  cudaMalloc(&from, lines * 128);
  cudaMalloc(&sum, 512);
  cudaFuncSetAttribute(twice, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  if (count > 3) cudaFuncSetAttribute(twice, cudaFuncAttributePreferredSharedMemoryCarveout, atoi(words[3]));
  twice<<<1, 128, shared>>>(from, sum, lines);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";

class UnifiedMemory : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "/ew-unified-memory";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/twice.cu") << reads_twice;
    const Outcome outcome = call({EW_PROGRAM, "build", "-O2", "twice.cu", "-o", "twice"});
    ASSERT_EQ(outcome.status, 0) << outcome.output;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }
  static Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  /// Whether the L1 has all lines when they are read again.
  static bool fits(const std::string& machine, u32 lines, u32 shared, const Words& more = {}, const Words& set = {}) {
    Words words{EW_PROGRAM, "run", "--machine", machine, "--stats", "stats.json"};
    for (const std::string& setting : set) words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--", "./twice", std::to_string(lines), std::to_string(shared)});
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    std::ifstream file(folder_ + "/stats.json");
    const auto timing = nlohmann::json::parse(file, nullptr, false)["timing"];
    EXPECT_EQ(timing["l1.loads"].get<u64>(), 2 * lines);
    return timing["l1.load_misses"].get<u64>() == lines;
  }
  static inline std::string folder_;
};

TEST_F(UnifiedMemory, SharedMemoryTakesFromTheL1) {
  // 16 blocks fit; each has a kibibyte of the system's: 16 KiB of shared memory, and 176 of L1.
  EXPECT_TRUE(fits("a100-80gb", 1408, 0));
  EXPECT_FALSE(fits("a100-80gb", 1416, 0));
  // 16 blocks of 5 KiB: 100 and 92.
  EXPECT_TRUE(fits("a100-80gb", 736, 4096));
  EXPECT_FALSE(fits("a100-80gb", 744, 4096));
  // The largest: 164 and 28.
  EXPECT_TRUE(fits("a100-80gb", 224, 160 << 10));
  EXPECT_FALSE(fits("a100-80gb", 232, 160 << 10));
}

TEST_F(UnifiedMemory, AKernelMayPrefer) {
  EXPECT_TRUE(fits("titan-rtx", 512, 0));
  EXPECT_FALSE(fits("titan-rtx", 512, 0, {"100"}));
  EXPECT_TRUE(fits("titan-rtx", 256, 0, {"100"}));
}

TEST_F(UnifiedMemory, TheL1HasNoMoreThanItsBytes) {
  const Words small{"l1.bytes=16KiB"};
  EXPECT_TRUE(fits("titan-rtx", 128, 0, {}, small));
  EXPECT_FALSE(fits("titan-rtx", 136, 0, {}, small));
  // Whole sets: 64 of the 92 KiB that are left, in 512 sets of a way.
  const Words sets{"l1.ways=3"};
  EXPECT_TRUE(fits("a100-80gb", 512, 4096, {}, sets));
  EXPECT_FALSE(fits("a100-80gb", 736, 4096, {}, sets));
}

TEST_F(UnifiedMemory, OneSizeWhereNothingIsUnified) {
  const Words fixed{"l1.unified=0"};
  EXPECT_TRUE(fits("titan-rtx", 512, 0, {"100"}, fixed));
  EXPECT_FALSE(fits("titan-rtx", 520, 0, {}, fixed));
}

TEST_F(UnifiedMemory, SizesThatDoNotFitAreRefused) {
  const auto refused = [](const std::string& setting) {
    const Outcome outcome = call({EW_PROGRAM, "run", "-m", "titan-rtx", "--set", setting, "--", "./twice", "8", "0"});
    EXPECT_NE(outcome.status, 0);
    return outcome.output;
  };
  EXPECT_NE(refused("l1.bytes=131072").find("l1.bytes should be at most 65536"), std::string::npos);
  EXPECT_NE(refused("l1.unified=65536").find("l1.unified should be more than the 65536 bytes"), std::string::npos);
  EXPECT_NE(refused("device.compute_capability=6.1").find("l1.unified should be 0"), std::string::npos);
  EXPECT_NE(refused("sm.shared=131072").find("sm.shared should be at most 65536 bytes"), std::string::npos);
}

}  // namespace
}  // namespace ew::cli
