// device.constant_memory was told to programs and held nobody: a module with more was loaded all the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

TEST(ConstantMemory, IsWhatAModuleMayHave) {
  const std::string folder = testing::TempDir() + "/ew-constant-memory";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/constants.cu") << R"(#include <cstdio>
__constant__ char first[3];
__constant__ int second[16383];
__global__ void read(int* out) { *out = first[1] + second[5]; }
int main() {
  cudaDeviceProp told;
  cudaGetDeviceProperties(&told, 0);
  int* out;
  cudaMalloc(&out, 4);
  read<<<1, 1>>>(out);
  const cudaError_t error = cudaDeviceSynchronize() ? cudaGetLastError() : cudaGetLastError();
  std::printf("told %zu, %s\n", told.totalConstMem, cudaGetErrorName(error));
}
)";
  const auto call = [&](const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder, .timeout_seconds = 120, .no_input = true});
  };
  const Outcome built = call({EW_PROGRAM, "build", "constants.cu", "-o", "constants"});
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(call({EW_PROGRAM, "run", "./constants"}).output, "told 65536, cudaSuccess\n");
  const Outcome small = call({EW_PROGRAM, "run", "--set", "device.constant_memory=65535", "./constants"});
  EXPECT_NE(small.output.find("the module's constant variables take 65536 bytes: device.constant_memory is 65535"),
            std::string::npos)
      << small.output;
  EXPECT_NE(small.output.find("told 65535, cudaErrorInvalidPtx\n"), std::string::npos) << small.output;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace ew::cli
