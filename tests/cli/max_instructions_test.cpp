// --max-instructions ends any loop within twice its number, in both modes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

const char* const endless_kinds = R"(#include <cstdlib>
__device__ unsigned lock, flag;
__device__ unsigned again(unsigned n) { return n ? again(n - 1) + 1 : 0; }
__global__ void endless(int kind, unsigned* out) {
  unsigned count = threadIdx.x;
  for (;; ++count) {
    switch (kind) {
      case 0: out[threadIdx.x] = count; break;
      case 1: __syncthreads(); break;
      case 2: __nanosleep(100000); break;
      case 3: while (*(volatile unsigned*)&flag == 0) ++count; break;
      case 4: while (atomicCAS(&lock, 0, 1)) ++count; break;
      case 5: out[threadIdx.x] = again(count % 20); break;
      case 6: count += __shfl_xor_sync(~0u, count, 1); break;
      case 7: if (threadIdx.x % 3) count += clock(); else atomicAdd(out, count); break;
      case 8: out[(count * 4099u) % 262144] = count; __threadfence_system(); break;
    }
  }
}
int main(int, char** argv) {
  unsigned* out;
  cudaMalloc(&out, 1 << 20);
  endless<<<std::atoi(argv[2]), 96>>>(std::atoi(argv[1]), out);
  return cudaDeviceSynchronize() == cudaErrorLaunchTimeout ? 7 : 1;
}
)";

TEST(MaxInstructions, EndsAnyLoopWithinTwiceItsNumber) {
  const std::string folder = testing::TempDir() + "/ew-max-instructions";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/endless.cu") << endless_kinds;
  const auto call = [&](const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder, .timeout_seconds = 60, .no_input = true});
  };
  const Outcome built = call({EW_PROGRAM, "build", "endless.cu", "-o", "endless"});
  ASSERT_EQ(built.status, 0) << built.output;
  for (const char* machine : {"default", "titan-rtx"})
    for (int kind = 0; kind < 9; ++kind)
      for (const auto& [blocks, number] : {std::pair{"1", 1'000}, std::pair{"40", 20'000}}) {
        const std::string what = std::string(machine) + ", kind " + std::to_string(kind) + ", blocks " + blocks;
        const Outcome ended = call({EW_PROGRAM, "run", "-m", machine, "--max-instructions", std::to_string(number),
                                    "--stats", "s.json", "./endless", std::to_string(kind), blocks});
        ASSERT_EQ(ended.status, 7) << what << ended.output;
        std::ifstream file(folder + "/s.json");
        const auto executed = nlohmann::json::parse(file).at("warp_instructions").get<int>();
        EXPECT_GE(executed, number) << what;
        EXPECT_LE(executed, 2 * number) << what;
      }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace ew::cli
