// Work of the host in simulated time, as a program sees it: CPU-assisted persistence in both ways. Each phase's time
// follows from the parts that it uses, and from no others; a crash cuts it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/types.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

const char* const program = R"(
#include <everwarp/gpm.cuh>
#include <everwarp/host.cuh>
#include <cstdio>
#include <cstdlib>
#include <cstring>
constexpr size_t kWords = 1 << 17, kBytes = kWords * 4;  // 512 KiB
__host__ __device__ unsigned value(size_t i) { return static_cast<unsigned>(i + 1) * 2654435761u | 1; }
__global__ void produce(unsigned* results) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < kWords; i += size_t(gridDim.x) * blockDim.x)
    results[i] = value(i);
}
// Reads the host's memory over the link, again and again.
__global__ void beside(const unsigned* host, unsigned* sum, int rounds) {
  unsigned mine = 0;
  for (int r = 0; r < rounds; ++r)
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < kWords; i += size_t(gridDim.x) * blockDim.x)
      mine += __ldcv(host + i);
  atomicAdd(sum, mine);
}
int wrong(const unsigned* words) {
  for (size_t i = 0; i < kWords; ++i)
    if (words[i] != value(i)) return printf("word %zu should be %u, is %u\n", i, value(i), words[i]), 1;
  return 0;
}
int main(int argc, char** argv) {
  const bool mm = !strcmp(argv[1], "mm");
  if (!strcmp(argv[1], "check")) {  // after a crash: how many lines are there, and is each whole?
    if (gpm_size("mm.pool") == 0) return 0;
    const unsigned* words = static_cast<const unsigned*>(gpm_map("mm.pool", 0, false));
    size_t there = 0;
    for (size_t line = 0; line < kWords; line += 16) {
      size_t right = 0, zero = 0;
      for (size_t i = line; i < line + 16; ++i) right += words[i] == value(i), zero += words[i] == 0;
      if (right != 16 && zero != 16) return printf("line %zu is torn\n", line / 16), 1;
      there += right == 16;
    }
    if (gpm_acknowledged() && there != kWords / 16) return printf("%zu lines are lost\n", kWords / 16 - there), 1;
    FILE* log = fopen(argv[2], "a");
    if (log) fprintf(log, "%zu\n", there), fclose(log);
    return 0;
  }
  const unsigned threads = argc > 2 ? atoi(argv[2]) : 1;
  const bool busy = argc > 3;
  unsigned *results, *pinned, *sum;
  cudaMalloc(&results, kBytes);
  cudaMalloc(&sum, 4);
  cudaMallocHost(&pinned, kBytes);
  unsigned* mapped = mm ? static_cast<unsigned*>(host_map("mm.pool", kBytes, true)) : nullptr;
  host_file_t file = mm ? nullptr : host_file_open("fs.pool", kBytes, true);
  if (!mapped && !file) return 2;
  produce<<<64, 256>>>(results);
  cudaDeviceSynchronize();
  cudaStream_t other, mine;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking);
  if (busy) beside<<<72, 512, 0, other>>>(pinned, sum, 6);
  if (mm) {
    measure_begin("copy", mine);
    cudaMemcpyAsync(mapped, results, kBytes, cudaMemcpyDeviceToHost, mine);
    measure_end("copy", mine);
    measure_begin("flush", mine);
    host_persist(mapped, kBytes, threads, mine);
    measure_end("flush", mine);
    cudaStreamSynchronize(mine);
    gpm_acknowledge(1);
    if (wrong(mapped)) return 1;
    cudaMemset(results, 0, kBytes);
    cudaMemcpy(results, mapped, kBytes, cudaMemcpyHostToDevice);
    cudaMemcpy(pinned, results, kBytes, cudaMemcpyDeviceToHost);
    if (wrong(pinned)) return 1;
    host_unmap("mm.pool", mapped, kBytes);
  } else {
    unsigned* buffer = static_cast<unsigned*>(malloc(kBytes));
    cudaMemcpy(buffer, results, kBytes, cudaMemcpyDeviceToHost);
    for (const char* name : {"write", "rewrite"}) {
      measure_begin(name, mine);
      for (size_t at = 0; at < kBytes; at += 65536) host_file_write(file, at, buffer + at / 4, 65536, mine);
      measure_end(name, mine);
    }
    measure_begin("sync", mine);
    host_file_sync(file, mine);
    measure_end("sync", mine);
    memset(pinned, 0, kBytes);
    host_file_read(file, 0, pinned, kBytes, mine);
    cudaStreamSynchronize(mine);
    if (wrong(pinned)) return 1;
    host_file_close(file);
  }
  return 0;
}
)";

class HostWork : public testing::Test {
 protected:
  using Times = std::map<std::string, double>;

  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "/ew-host-work";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/cap.cu") << program;
    const Outcome outcome = call({EW_PROGRAM, "build", "-O2", "cap.cu", "-o", "cap"});
    ASSERT_EQ(outcome.status, 0) << outcome.output;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }
  static Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  /// Nanoseconds of each region.
  static Times measure(const Words& arguments, const Words& settings = {}) {
    Words words{EW_PROGRAM, "run", "--machine", "titan-rtx-optane", "--stats", "stats.json"};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--", "./cap"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    std::ifstream file(folder_ + "/stats.json");
    const auto stats = nlohmann::json::parse(file, nullptr, false);
    Times times;
    if (!stats.contains("ranges")) return times;
    for (const auto& row : stats["ranges"])
      times[row["range"].get<std::string>()] +=
          row["nanoseconds_end"].get<double>() - row["nanoseconds_begin"].get<double>();
    times["host busy"] = stats["timing"]["host.busy_cycles"].get<double>();
    return times;
  }
  static inline std::string folder_;
};

TEST_F(HostWork, IsDoneInBothModesAndTwiceInTheSameTime) {
  for (const char* how : {"mm", "fs"}) {
    const Outcome functional = call({EW_PROGRAM, "run", "./cap", how});
    EXPECT_EQ(functional.status, 0) << functional.output;
    EXPECT_EQ(measure({how, "4"}), measure({how, "4"})) << how;
  }
}

TEST_F(HostWork, EachPhaseFollowsThePartsThatItUses) {
  const Times mm = measure({"mm", "1"}), fs = measure({"fs"});
  struct Change {
    const char *setting, *phase;
    double least, most;  // of the phase's time, after by before
  };
  for (const Change& one : std::initializer_list<Change>{{"nvm.latency=610", "copy", 1.4, 2.1},
                                                         {"host.misses=6", "copy", 1.4, 2.1},
                                                         {"host.clock=1400", "flush", 1.0, 2.1},
                                                         {"host_link.bandwidth=1", "copy", 1.5, 4},
                                                         {"host.flush_cycles=120", "flush", 1.8, 2.1}}) {
    const double change = measure({"mm", "1"}, {one.setting})[one.phase] / mm.at(one.phase);
    EXPECT_GE(change, one.least) << one.setting << " changes " << one.phase << " by " << change;
    EXPECT_LE(change, one.most) << one.setting << " changes " << one.phase << " by " << change;
  }
  for (const Change& one : std::initializer_list<Change>{{"ext4-dax.call=1400", "rewrite", 1.001, 1.2},
                                                         {"ext4-dax.allocate=15000", "write", 1.02, 1.8},
                                                         {"ext4-dax.journal=56000", "sync", 1.9, 2.0},
                                                         {"ext4-dax.sync=2000", "sync", 1.02, 1.1},
                                                         {"host.flush_cycles=180", "rewrite", 1.2, 4.2}}) {
    const double change = measure({"fs"}, {one.setting})[one.phase] / fs.at(one.phase);
    EXPECT_GE(change, one.least) << one.setting << " changes " << one.phase << " by " << change;
    EXPECT_LE(change, one.most) << one.setting << " changes " << one.phase << " by " << change;
  }
  // One core is the bottleneck of a flush, the medium that of a flush by 64.
  EXPECT_GT(measure({"mm", "64"}, {"nvm.write_bandwidth=6.25"})["flush"], 1.2 * measure({"mm", "64"})["flush"]);
  // What a phase does not use does not change it.
  EXPECT_EQ(measure({"mm", "1"}, {"ext4-dax.call=99000"})["copy"], mm.at("copy"));
  EXPECT_EQ(measure({"fs"}, {"host.wake=9000"})["write"], fs.at("write"));
  EXPECT_GT(fs.at("write"), fs.at("rewrite")) << "its blocks are allocated";
}

TEST_F(HostWork, ThreadsShareAFlush) {
  const Words settings{"host.flush_cycles=200", "host.wake=0"};
  const double one = measure({"mm", "1"}, settings)["flush"];
  const double two = measure({"mm", "2"}, settings)["flush"], eight = measure({"mm", "8"}, settings)["flush"];
  EXPECT_NEAR(one / two, 2, 0.1);
  EXPECT_GT(one / eight, 5);
}

TEST_F(HostWork, AKernelThatUsesTheLinkSlowsACopyDown) {
  EXPECT_GT(measure({"mm", "1", "busy"}, {"host_link.bandwidth=2"})["copy"],
            measure({"mm", "1"}, {"host_link.bandwidth=2"})["copy"] * 1.2);
}

TEST_F(HostWork, ACrashCutsAFlushBetweenLines) {
  const Outcome crashes =
      call({EW_PROGRAM, "crash", "--machine", "titan-rtx-optane", "--timing", "--at", "random", "--count", "24",
            "--recover", "./cap check " + folder_ + "/there.txt", "--", "./cap", "mm", "2"});
  EXPECT_EQ(crashes.status, 0) << crashes.output;
  std::ifstream log(folder_ + "/there.txt");
  int partly = 0, all = 0;
  for (int lines = 0; log >> lines; ++all) partly += lines > 0 && lines < 8192;
  EXPECT_GE(all, 24);
  EXPECT_GT(partly, 2) << "some lines are there and some are not";
}

// The C library's own allocations shift the heap, as copies of a longer environment do.
constexpr const char* places = R"(
#include <everwarp/host.cuh>
#include <cstdlib>
#include <cstring>
int main(int, char** words) {
  constexpr size_t kBytes = 20000;
  host_file_t file = host_file_open("places.file", kBytes, true);
  char* pool = (char*)host_map("places.pool", kBytes, true);
  char shift[8192] = {}, *volatile kept;
  memset(shift, 'x', atoi(words[1]));
  for (int left = 99; left; --left) kept = strdup(shift);
  char* objects[] = {(char*)malloc(kBytes), new char[kBytes], (char*)calloc(kBytes, 1), (char*)realloc(nullptr, kBytes),
                     (char*)realloc(strcpy(new char[6], "small"), kBytes)};
  if (strcmp(objects[4], "small")) return 1;
  for (char* object : objects) {
    memset(object, 7, kBytes);
    host_file_write(file, 0, object, kBytes);
    host_copy(pool, object, kBytes, 1);
    host_persist(pool, kBytes, 1);
    cudaMemcpyAsync(pool, object, kBytes, cudaMemcpyDefault);
    cudaDeviceSynchronize();
  }
  free(objects[0]), delete[] objects[1], free(objects[2]), free(objects[3]), free(objects[4]);
  return host_unmap("places.pool", pool, kBytes) || host_file_close(file);
}
)";

TEST_F(HostWork, WhatElseTheProcessAllocatesChangesNoTime) {
  std::ofstream(folder_ + "/places.cu") << places;
  const Outcome built = call({EW_PROGRAM, "build", "-O2", "places.cu", "-o", "places"});
  ASSERT_EQ(built.status, 0) << built.output;
  std::map<u64, int> cycles;
  for (const char* shift : {"10", "1040", "2050", "3100", "4096", "5016"}) {
    const Outcome ran =
        call({EW_PROGRAM, "run", "--machine", "titan-rtx-optane", "--stats", "places.json", "--", "./places", shift});
    EXPECT_EQ(ran.status, 0) << ran.output;
    std::ifstream file(folder_ + "/places.json");
    const auto stats = nlohmann::json::parse(file, nullptr, false);
    ASSERT_TRUE(stats.contains("timing"));
    ++cycles[stats["timing"]["cycles"].get<u64>()];
  }
  EXPECT_EQ(cycles.size(), 1u) << testing::PrintToString(cycles);
}

}  // namespace
}  // namespace ew::cli
