// Work of the host in the order of its streams: copies of ordinary memory that earlier work of the stream writes, and
// measured stretches of the same name in two streams.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

const char* const streams_program = R"(
#include <everwarp/host.cuh>
#include <cstdio>
#include <cstdlib>
#include <cstring>
constexpr size_t kBytes = 1 << 16;
int main() {
  host_file_t file = host_file_open("s.pool", kBytes, true);
  char *buffer = (char*)calloc(kBytes, 1), *source = (char*)malloc(kBytes), *back = (char*)calloc(kBytes, 1), *device;
  cudaMalloc(&device, kBytes);
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  for (char way = 1; way <= 3; ++way) {
    memset(source, way, kBytes);
    if (way == 1) host_file_write(file, 0, source, kBytes, s), host_file_read(file, 0, buffer, kBytes, s);
    if (way == 2) host_copy(buffer, source, kBytes, 4, s);
    if (way == 3) cudaLaunchHostFunc(s, [](void* to) { memset(to, 3, kBytes); }, buffer);
    cudaMemcpyAsync(device, buffer, kBytes, cudaMemcpyHostToDevice, s);
    cudaMemcpyAsync(back, device, kBytes, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    if (back[5] != way) return printf("the device should have got %d, got %d\n", way, back[5]), 1;
  }
  cudaStream_t blocking;
  cudaStreamCreate(&blocking);
  cudaEvent_t written;
  cudaEventCreate(&written);
  for (char way = 4; way <= 5; ++way) {  // written in another stream: the legacy stream waits for it, or by an event
    memset(source, way, kBytes);
    const cudaStream_t writer = way == 4 ? blocking : t, reader = way == 4 ? nullptr : s;
    host_copy(buffer, source, kBytes, 4, writer);
    if (way == 5) cudaEventRecord(written, t), cudaStreamWaitEvent(s, written, 0);
    cudaMemcpyAsync(device, buffer, kBytes, cudaMemcpyHostToDevice, reader);
    cudaMemcpyAsync(back, device, kBytes, cudaMemcpyDeviceToHost, reader);
    cudaStreamSynchronize(reader);
    if (back[5] != way) return printf("the device should have got %d, got %d\n", way, back[5]), 1;
  }
  host_compute(50000, 1, t);
  measure_begin("x", s);
  host_compute(1000, 1, s);
  measure_begin("x", t);
  host_compute(2000, 1, t);
  measure_end("x", s);
  measure_end("x", t);
  printf("x: %.0f ns\n", measured("x"));
  return host_file_close(file);
}
)";

TEST(HostStreams, WorkOfAStreamComesBeforeACopyOfWhatItWrites) {
  const std::string folder = testing::TempDir() + "/ew-host-streams-" + std::to_string(getpid());
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder + "/p.cu") << streams_program;
  const RunOptions options{.capture = Capture::both, .directory = folder, .timeout_seconds = 120, .no_input = true};
  ASSERT_EQ(run({EW_PROGRAM, "build", "-O2", "p.cu", "-o", "p"}, options).status, 0);
  const Outcome functional = run({folder + "/p"}, options);
  EXPECT_EQ(functional.status, 0) << functional.output;
  const Outcome timed = run({EW_PROGRAM, "run", "-m", "titan-rtx-optane", "--set", "sm.count=2", "./p"}, options);
  EXPECT_EQ(timed.status, 0) << timed.output;
  EXPECT_TRUE(std::regex_search(timed.output, std::regex("x: (299|300)[0-9] ns"))) << timed.output;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace ew::cli
