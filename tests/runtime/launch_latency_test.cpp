// Simulated time of a launch, as a program sees it through events.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace {

const char* const module_text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
)";

/// An empty kernel, on the process's one machine: both tests may run in one process.
CUfunction empty_kernel() {
  setenv("EVERWARP_SET", "launch.latency=70000;launch.gap=3000;launch.graph_gap=1000", 1);
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxCreate(&context, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleLoadData(&module, module_text), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "nothing"), CUDA_SUCCESS);
  return function;
}

float elapsed_milliseconds(CUfunction function, unsigned launches) {
  CUevent begin, end;
  EXPECT_EQ(cuEventCreate(&begin, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuEventCreate(&end, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(begin, nullptr), CUDA_SUCCESS);
  for (unsigned i = 0; i < launches; ++i)
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(end, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
  float milliseconds = -1;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, begin, end), CUDA_SUCCESS);
  return milliseconds;
}

// launch.latency was a field of the machine that nothing read.
// Empty kernels behind each other cost their cycles and nothing else.
TEST(LaunchLatency, IsTheTimeBeforeAKernelThatWaitsForNothingAndTheGapIsBetweenTwo) {
  const CUfunction function = empty_kernel();
  ASSERT_NE(function, nullptr);
  EXPECT_NEAR(elapsed_milliseconds(function, 1), 0.070, 0.001);
  EXPECT_NEAR(elapsed_milliseconds(function, 5), 0.082, 0.001)
      << "launches queued behind each other travel together, and begin a gap behind the one before";
  EXPECT_NEAR(elapsed_milliseconds(function, 0), 0, 0.001);
}

TEST(LaunchLatency, KernelsOfOneGraphHaveAGapOfTheirOwn) {
  const CUfunction function = empty_kernel();
  ASSERT_NE(function, nullptr);
  CUstream stream;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&instance, graph, 0), cudaSuccess);
  const auto milliseconds = [&](auto&& work) {
    CUevent begin, end;
    EXPECT_EQ(cuEventCreate(&begin, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuEventCreate(&end, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(begin, stream), CUDA_SUCCESS);
    work();
    EXPECT_EQ(cuEventRecord(end, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
    float time = -1;
    EXPECT_EQ(cuEventElapsedTime(&time, begin, end), CUDA_SUCCESS);
    return time;
  };
  EXPECT_NEAR(milliseconds([&] { EXPECT_EQ(cudaGraphLaunch(instance, stream), cudaSuccess); }), 0.074, 0.001);
  EXPECT_NEAR(milliseconds([&] {
                EXPECT_EQ(cudaGraphLaunch(instance, stream), cudaSuccess);
                EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr), CUDA_SUCCESS);
              }),
              0.077, 0.001)
      << "a kernel behind the graph is not of it";
}

}  // namespace
