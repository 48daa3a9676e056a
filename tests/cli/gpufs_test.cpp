// Calls of GPUfs by kernels (<everwarp/gpufs.cuh>): bytes go to files and back, in both modes. A call's time follows
// from the link, the file system and the daemons, each on its own; more callers than daemons wait; wrong calls are
// refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

// ./calls HOW [BLOCKS BYTES DAEMONS SLOTS]
const char* const calling_program = R"(
// One call after another of a file, by blocks of a kernel.
#include <everwarp/gpufs.cuh>
#include <everwarp/gpm.cuh>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

__host__ __device__ unsigned char value(int i) { return static_cast<unsigned char>(i * 7 + i / 251) | 1; }

// Each block writes its part, makes it durable and reads it again.
__global__ void parts(gpufs fs, int bytes, unsigned char* memory, int* wrong) {
  __shared__ int before;
  const int file = gopen(fs, "data");
  unsigned char* mine = memory + blockIdx.x * bytes;
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) mine[i] = value(blockIdx.x * bytes + i);
  __syncthreads();
  before = gwrite(fs, file, blockIdx.x * bytes, bytes, mine);
  const int synced = gfsync(fs, file);
  for (int i = threadIdx.x; i < bytes; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  const int got = gread(fs, file, blockIdx.x * bytes, bytes, mine);
  for (int i = threadIdx.x; i < bytes; i += blockDim.x)
    if (mine[i] != value(blockIdx.x * bytes + i)) atomicAdd(wrong, 1);
  if (threadIdx.x == 0 && (file != 0 || before != bytes || synced != 0 || got != bytes)) atomicAdd(wrong, 1);
  gclose(fs, file);
}
__global__ void by_one(gpufs fs, unsigned* word) {
  if (threadIdx.x == 5) gwrite(fs, 0, 0, 4, word);
}
__global__ void by_one_warp(gpufs fs, unsigned* word) {
  if (threadIdx.x < 32) gwrite(fs, 0, 0, 4, word);
}
__global__ void by_one_warp_and_wait(gpufs fs, unsigned* word) {
  if (threadIdx.x < 32) gwrite(fs, 0, 0, 4, word);
  __syncthreads();
  word[threadIdx.x] = 1;
}
__global__ void each_its_own(gpufs fs, unsigned* word) { gwrite(fs, 0, threadIdx.x * 4, 4, word + threadIdx.x); }
__global__ void mistakes(gpufs fs, int size, unsigned char* memory, int* results) {
  const int r0 = gwrite(fs, 0, size - 4, 8, memory);
  const int r1 = gwrite(fs, 7, 0, 4, memory);
  const int r2 = gread(fs, 0, -1, 4, memory);
  const int r3 = gopen(fs, "nobody");
  const int r4 = gwrite(fs, 0, 0, 0, memory);
  const int slot = static_cast<int>(fs.bytes);
  const int r5 = gwrite(fs, 0, size - slot, 2 * slot, memory);
  __shared__ char name[129];
  for (unsigned i = threadIdx.x; i < 129; i += blockDim.x) name[i] = i < 128 ? 'x' : 0;
  __syncthreads();
  const int r6 = gopen(fs, name), r7 = gopen(fs, name + 1);
  const int all[] = {r0, r1, r2, r3, r4, r5 == slot, r6, r7};
  for (int i = 0; i < 8; ++i) results[i] = all[i];
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "parts";
  const int blocks = argc > 2 ? atoi(argv[2]) : 4, bytes = argc > 3 ? atoi(argv[3]) : 10000;
  const int daemons = argc > 4 ? atoi(argv[4]) : 2, slots = argc > 5 ? atoi(argv[5]) : 4;
  if (!strcmp(how, "check")) {
    if (gpm_size("data.pool") == 0) return 0;
    host_file_t file = host_file_open("data.pool", 0, false);
    const size_t size = gpm_size("data.pool");
    unsigned char* all = static_cast<unsigned char*>(malloc(size));
    if (!file || host_file_read(file, 0, all, size) || cudaDeviceSynchronize()) return 2;
    int there = 0;
    for (size_t i = 0; i < size; ++i) {
      if (all[i] != value(i) && gpm_acknowledged()) return printf("byte %zu is lost\n", i), 1;
      there += all[i] == value(i) && all[i] != 0;
    }
    FILE* log = fopen(argv[2], "a");
    if (log) fprintf(log, "%d\n", there), fclose(log);
    return 0;
  }
  host_file_t file = host_file_open("data.pool", size_t(blocks) * bytes, true);
  gpufs fs;
  if (!file || gpufs_start(&fs, slots, 4096, daemons) || gpufs_offer(&fs, file, "data") != 0) return 2;
  if (!strcmp(how, "offer")) return 0;
  unsigned char* memory;
  int *wrong, results[8] = {};
  cudaMalloc(&memory, size_t(blocks) * bytes);
  cudaMalloc(&wrong, sizeof results);
  cudaMemset(wrong, 0, sizeof results);
  measure_begin("calls");
  if (!strcmp(how, "parts")) parts<<<blocks, 128>>>(fs, bytes, memory, wrong);
  if (!strcmp(how, "by_one")) by_one<<<2, 64>>>(fs, reinterpret_cast<unsigned*>(memory));
  if (!strcmp(how, "by_one_warp")) by_one_warp<<<1, 64>>>(fs, reinterpret_cast<unsigned*>(memory));
  if (!strcmp(how, "by_one_warp_and_wait")) by_one_warp_and_wait<<<1, 64>>>(fs, reinterpret_cast<unsigned*>(memory));
  if (!strcmp(how, "each_its_own")) each_its_own<<<1, 64>>>(fs, reinterpret_cast<unsigned*>(memory));
  if (!strcmp(how, "mistakes") && gpufs_offer(&fs, file, std::string(127, 'x').c_str()) != 1) return 2;
  if (!strcmp(how, "mistakes")) mistakes<<<1, 64>>>(fs, blocks * bytes, memory, wrong);
  measure_end("calls");
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) return printf("failed: %s\n", cudaGetErrorName(error)), 3;
  gpm_acknowledge(1);
  cudaMemcpy(results, wrong, sizeof results, cudaMemcpyDeviceToHost);
  printf("calls: %.0f ns\n", measured("calls"));
  if (!strcmp(how, "mistakes")) {
    for (int result : results) printf("%d ", result);
    return 0;
  }
  if (gpufs_stop(&fs) || host_file_close(file)) return 2;
  if (results[0]) return printf("%d wrong\n", results[0]), 1;
  return puts("ok"), 0;
}
)";

class GpufsCalls : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "/ew-gpufs-" + std::to_string(getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/calls.cu") << calling_program;
    const Outcome outcome = call({EW_PROGRAM, "build", "-O2", "calls.cu", "-o", "calls"});
    ASSERT_EQ(outcome.status, 0) << outcome.output;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }
  static Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  struct Measured {
    double nanoseconds = 0, calls = 0, waits = 0;
  };
  /// On a timing machine: how long the calls took.
  static Measured measure(const Words& arguments, const Words& settings = {}) {
    Words words{EW_PROGRAM, "run", "-m", "titan-rtx-optane", "--set", "sm.count=4", "--stats", "stats.json"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--", "./calls"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    std::ifstream file(folder_ + "/stats.json");
    const auto stats = nlohmann::json::parse(file, nullptr, false);
    if (!stats.contains("ranges")) return {};
    const auto& row = stats["ranges"].at(0);
    return {row["nanoseconds_end"].get<double>() - row["nanoseconds_begin"].get<double>(),
            stats["timing"]["host.daemon_calls"].get<double>(), stats["timing"]["host.daemon_waits"].get<double>()};
  }
  static inline std::string folder_;
};

TEST_F(GpufsCalls, MoveBytesInBothModesAndTwiceInTheSameTime) {
  const Outcome functional = call({EW_PROGRAM, "run", "./calls", "parts"});
  EXPECT_EQ(functional.status, 0) << functional.output;
  EXPECT_NE(functional.output.find("ok\n"), std::string::npos) << functional.output;
  const Measured one = measure({"parts"}), again = measure({"parts"});
  EXPECT_EQ(one.nanoseconds, again.nanoseconds);
  // Of each of four blocks: gopen, three pieces each of gwrite and gread, gfsync, gclose.
  EXPECT_EQ(one.calls, 4 * 9);
}

TEST_F(GpufsCalls, EachPartHasItsShareOfTheTime) {
  const Words alone{"parts", "1", "4096", "1", "1"};  // five calls: gopen, gwrite, gfsync, gread, gclose
  const double before = measure(alone).nanoseconds;
  struct Change {
    const char* setting;
    double least, most;  // nanoseconds more
  };
  for (const Change& one : std::initializer_list<Change>{
           {"host.daemon_call=10500", 5 * 10000 - 1000, 5 * 10000 + 1000},  // each call has 10 us more
           {"ext4-dax.call=10700", 5 * 10000 - 1000, 5 * 10000 + 1000},
           {"ext4-dax.sync=11000", 9000, 11000},     // gfsync
           {"ext4-dax.journal=38000", 9000, 11000},  // gfsync: blocks were allocated
           {"ext4-dax.allocate=17500", 9000, 11000},
           {"host_link.latency=5000", 5 * 2 * 2 * 3000, 5 * 10 * 5000},  // a fence and a flag there, an answer back
           {"host.daemon_poll=4000", 1, 5 * 4000},
           {"nvm.latency=3050", 1, 200000},
           {"host_link.bandwidth=0.5", 4000, 60000}}) {  // 4 KiB there and back
    const double change = measure(alone, {one.setting}).nanoseconds - before;
    EXPECT_GE(change, one.least) << one.setting;
    EXPECT_LE(change, one.most) << one.setting;
  }
  EXPECT_EQ(measure(alone, {"host.wake=99000"}).nanoseconds, before) << "a daemon is awake";
  EXPECT_EQ(measure(alone, {"xfs-dax.call=99000"}).nanoseconds, before);
}

TEST_F(GpufsCalls, WaitForADaemonThatIsFree) {
  const Words settings{"host.daemon_call=20000"};
  const Measured one = measure({"parts", "8", "4096", "1", "8"}, settings),
                 two = measure({"parts", "8", "4096", "2", "8"}, settings),
                 eight = measure({"parts", "8", "4096", "8", "8"}, settings);
  EXPECT_EQ(one.calls, 40);
  EXPECT_NEAR(one.nanoseconds / two.nanoseconds, 2, 0.2);
  EXPECT_GT(one.nanoseconds / eight.nanoseconds, 4.5);
  EXPECT_LT(one.nanoseconds / eight.nanoseconds, 8);
  EXPECT_GT(one.waits, 3 * two.waits / 2);
  EXPECT_GT(two.waits, 4 * eight.waits);
  // Blocks that share a slot wait for each other, whatever the daemons.
  EXPECT_GT(measure({"parts", "8", "4096", "8", "1"}, settings).nanoseconds, 6 * eight.nanoseconds);
  // So do daemons that share a core of the host.
  EXPECT_GT(measure({"parts", "8", "4096", "8", "8"}, {settings[0], "host.cores=1"}).nanoseconds,
            5 * eight.nanoseconds);
}

TEST_F(GpufsCalls, AreMadeByAWholeBlockWithTheSameArguments) {
  struct Wrong {
    const char *how, *says;
  };
  for (const Wrong& one : {Wrong{"by_one", "gwrite: called by 1 of the 64 threads of block"},
                           Wrong{"by_one_warp",
                                 "gwrite: called by 32 of the 64 threads of block 0; GPUfs expects all "
                                 "threads of a block together\n"},
                           Wrong{"by_one_warp_and_wait", "gwrite: called by 32 of the 64 threads of block 0;"},
                           Wrong{"each_its_own",
                                 "gwrite: 63 of the 64 threads of block 0 bring other arguments than its "
                                 "first thread; GPUfs expects the same from all\n"}}) {
    for (const bool timed : {false, true}) {
      Words words{EW_PROGRAM, "run", "-m", timed ? "titan-rtx-optane" : "default", "./calls", one.how};
      const Outcome outcome = call(words);
      EXPECT_EQ(outcome.status, 3) << outcome.output;
      const std::size_t found = outcome.output.find(one.says);
      EXPECT_NE(found, std::string::npos) << outcome.output;
      EXPECT_EQ(outcome.output.find("gwrite: ", found + 1), std::string::npos) << "it is said once: " << outcome.output;
    }
  }
}

TEST_F(GpufsCalls, AnswerMistakes) {
  for (const char* machine : {"default", "titan-rtx-optane"}) {
    const Outcome outcome = call({EW_PROGRAM, "run", "-m", machine, "./calls", "mistakes"});
    EXPECT_NE(outcome.output.find("\n-2 -1 -2 -1 0 1 -1 1 "), std::string::npos) << outcome.output;
  }
}

TEST_F(GpufsCalls, AFileHasLessThanTwoGigabytes) {
  const Outcome at_most = call({EW_PROGRAM, "run", "./calls", "offer", "1", "2147483647"});
  EXPECT_EQ(at_most.status, 0) << at_most.output;
  const Outcome more = call({EW_PROGRAM, "run", "./calls", "offer", "2", "1073741824"});
  EXPECT_EQ(more.status, 2) << more.output;
  EXPECT_NE(more.output.find("gpufs_offer: data has 2147483648 bytes; GPUfs supports files up to 2 GB"),
            more.output.npos)
      << more.output;
  fs::remove(folder_ + "/data.pool");
}

TEST_F(GpufsCalls, ACrashCutsThemAnywhere) {
  const Outcome crashes =
      call({EW_PROGRAM, "crash", "-m", "titan-rtx-optane", "--set", "sm.count=4", "--at", "random", "--count", "30",
            "--recover", "./calls check " + folder_ + "/there.txt", "--", "./calls", "parts"});
  EXPECT_EQ(crashes.status, 0) << crashes.output;
  std::ifstream log(folder_ + "/there.txt");
  int partly = 0, all = 0, bytes = 0;
  for (; log >> bytes; ++all) partly += bytes > 0 && bytes < 40000;
  EXPECT_GE(all, 30);
  EXPECT_GT(partly, 2) << "some bytes are there and some are not";
  const Outcome functional = call({EW_PROGRAM, "crash", "--at", "random", "--count", "10", "--recover",
                                   "./calls check " + folder_ + "/there.txt", "--", "./calls", "parts"});
  EXPECT_EQ(functional.status, 0) << functional.output;
  // What a call has flushed is durable when it returns, under every model.
  const Outcome states = call({EW_PROGRAM, "crash", "--states", "model", "--model", "gpm", "--count", "100",
                               "--recover", "./calls check " + folder_ + "/there.txt", "--", "./calls", "parts"});
  EXPECT_EQ(states.status, 0) << states.output;
}

}  // namespace
}  // namespace ew::cli
