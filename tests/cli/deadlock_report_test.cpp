// A machine that stands still says who waits for what, down to homes, links and devices.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/process.hpp"

namespace ew::cli {
namespace {

namespace fs = std::filesystem;

// Of a kernel that was stuck, SMs and private caches were named alone. Here it only waits long: behind a copy, on the
// host link, on a machine that is told to be impatient.
TEST(DeadlockReport, NamesHomesAndLinks) {
  const std::string folder = testing::TempDir() + "/ew-deadlock-report";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/stuck.cu") << R"(#include <cuda_runtime.h>
__global__ void read(volatile int* host, int* out) { *out = host[threadIdx.x * 32]; }
__global__ void touch(int* managed) { managed[threadIdx.x * 65536] = 1; }
int main(int argc, char**) {
  int *host, *out, *managed;
  char *from, *to;
  cudaHostAlloc((void**)&host, 4096, cudaHostAllocMapped);
  cudaHostAlloc((void**)&from, 4 << 20, cudaHostAllocDefault);
  cudaMalloc(&out, 4);
  cudaMalloc(&to, 4 << 20);
  cudaMallocManaged(&managed, 8 << 20);
  cudaStream_t copies, kernels;
  cudaStreamCreate(&copies);
  cudaStreamCreate(&kernels);
  cudaMemcpyAsync(to, from, 4 << 20, cudaMemcpyHostToDevice, copies);
  if (argc > 1)
    touch<<<1, 32, 0, kernels>>>(managed);
  else
    read<<<1, 32, 0, kernels>>>(host, out);
  return cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 7 : 0;
}
)";
  const auto call = [&](const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder, .timeout_seconds = 120, .no_input = true});
  };
  const Outcome built = call({EW_PROGRAM, "build", "-O2", "stuck.cu", "-o", "stuck"});
  ASSERT_EQ(built.status, 0) << built.output;
  const auto expect_named = [&](const Words& settings, const char* how, const Words& named) {
    Words words{EW_PROGRAM, "run", "--machine", "titan-rtx", "--timing", "--set", "sm_timing.livelock_cycles=1000"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    words.emplace_back("./stuck");
    if (*how) words.emplace_back(how);
    const Outcome outcome = call(words);
    for (const std::string& one : named)
      EXPECT_NE(outcome.output.find(one), std::string::npos) << one << " in:\n" << outcome.output;
    EXPECT_EQ(outcome.output.find("private cache of SM", outcome.output.find("below the private caches")),
              std::string::npos)
        << "each once:\n"
        << outcome.output;
  };
  expect_named({}, "",
               {"no warp has issued an instruction while the machine was busy for 1000 cycles", "stuck.cu:2",
                "private cache of SM 0", "accesses under way to the host", "copy engine: 512 lines under way",
                "host link: packets to the device", "host memory, device"});
  for (const char* network : {"crossbar", "mesh", "ideal"})
    expect_named({std::string("network.kind=") + network, "sm.count=16", "host_link.bandwidth=200"}, "",
                 {"messages in flight", " of line 0x", "home "});
  expect_named({}, "managed", {"accesses wait for managed pages", "managed memory: ", "is waited for"});
  fs::remove_all(folder);
}

}  // namespace
}  // namespace ew::cli
