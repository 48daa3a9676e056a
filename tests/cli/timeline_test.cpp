// `ew run --timeline` on a timing machine: the file, read back, against what the program has run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Span {
  std::string name;
  long begin = 0, end = 0;  // nanoseconds
  long process = 0, thread = 0;
};

long nanoseconds(const json& microseconds) {
  return std::lround(microseconds.get<double>() * 1000);
}

class TimelineCommand : public testing::Test {
 protected:
  TimelineCommand() : folder_(testing::TempDir() + "/ew-timeline") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/work.cu") << program;
  }
  ~TimelineCommand() override { fs::remove_all(folder_); }

  Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  void read() {
    std::ifstream in(folder_ + "/t.json");
    for (const json& event : json::parse(in)) {
      if (event["ph"] == "M" && event["name"] == "process_name") groups_[event["pid"]] = event["args"]["name"];
      if (event["ph"] == "C")
        for (const auto& [key, value] : event["args"].items())
          counters_[std::string(event["name"]) + "/" + key] += value.get<double>();
      if (event["ph"] != "X") continue;
      const long begin = nanoseconds(event["ts"]);
      spans_[groups_[event["pid"]]].push_back(
          {event["name"], begin, begin + nanoseconds(event["dur"]), event["pid"], event["tid"]});
    }
  }
  /// Of warps, over all SMs; the SM is the process.
  std::vector<Span> warps() const {
    std::vector<Span> all;
    for (const auto& [group, spans] : spans_)
      if (group.starts_with("warps on SM ")) all.insert(all.end(), spans.begin(), spans.end());
    return all;
  }
  long sm_of(const Span& warp) const { return std::stol(groups_.at(warp.process).substr(sizeof "warps on SM")); }

  static constexpr const char* program = R"(
__global__ void first(int* cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round <= threadIdx.x / 32; ++round) cells[i] += cells[(i * 7 + round) % 9600];
}
__global__ void second(int* cells) { atomicAdd(&cells[blockIdx.x], 1); }
__global__ void third(int* cells) {
  if (threadIdx.x >= 32) *reinterpret_cast<volatile int*>(8) = 1;
  for (;;) cells[0] += 1;
}
int main(int count, char**) {
  int* cells;
  cudaMalloc(&cells, 9600 * sizeof *cells);
  cudaMemset(cells, 0, 9600 * sizeof *cells);
  first<<<100, 96>>>(cells);
  second<<<70, 33>>>(cells);
  if (count > 1) third<<<3, 64>>>(cells);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";
  std::string folder_;
  std::map<long, std::string> groups_;
  std::map<std::string, std::vector<Span>> spans_;
  std::map<std::string, double> counters_;
};

// Warps had no tracks.
TEST_F(TimelineCommand, ShowsEveryWarpOnceInItsBlockAndOneAtATimeInASlot) {
  ASSERT_EQ(call({EW_PROGRAM, "build", "work.cu", "-o", "work"}).status, 0);
  const Outcome shown =
      call({EW_PROGRAM, "run", "--timing", "-m", "titan-rtx", "--set", "sm.count=4", "--timeline", "t.json", "./work"});
  ASSERT_EQ(shown.status, 0) << shown.output;
  read();
  const std::vector<Span>& blocks = spans_["blocks on SMs"];
  EXPECT_EQ(blocks.size(), 170u);
  EXPECT_EQ(spans_["kernels"].size(), 2u);
  const std::regex parts("(\\w+)\\(int\\*\\), block (\\d+), warp (\\d+)");
  std::set<std::string> names;
  for (const Span& warp : warps()) {
    EXPECT_TRUE(names.insert(warp.name).second) << warp.name << " twice";
    std::smatch match;
    ASSERT_TRUE(std::regex_match(warp.name, match, parts)) << warp.name;
    const bool first = match[1] == "first";
    EXPECT_LT(std::stoi(match[2]), first ? 100 : 70) << warp.name;
    EXPECT_LT(std::stoi(match[3]), first ? 3 : 2) << warp.name;
    EXPECT_LT(warp.begin, warp.end) << warp.name;
    EXPECT_TRUE(std::ranges::any_of(blocks,
                                    [&](const Span& block) {
                                      return block.name == "block " + match[2].str() &&
                                             block.thread / 64 == sm_of(warp) && block.begin <= warp.begin &&
                                             warp.end <= block.end;
                                    }))
        << warp.name << " is in none of its blocks";
  }
  EXPECT_EQ(names.size(), 100u * 3 + 70u * 2);
  std::map<std::pair<long, long>, std::vector<Span>> slots;
  for (const Span& warp : warps()) slots[{warp.process, warp.thread}].push_back(warp);
  for (auto& [slot, spans] : slots) {
    std::ranges::sort(spans, {}, &Span::begin);
    for (std::size_t i = 1; i < spans.size(); ++i)
      EXPECT_LE(spans[i - 1].end, spans[i].begin) << spans[i - 1].name << " and " << spans[i].name;
  }
}

// A sample that was due behind the end of a kernel kept the machine running until then: each wait of the host took up
// to 1,000 cycles longer.
TEST_F(TimelineCommand, ChangesNeitherDigestNorTime) {
  std::ofstream(folder_ + "/waits.cu") << R"(
__global__ void add(int* cells) { atomicAdd(&cells[blockIdx.x], 1); }
int main() {
  int* cells;
  cudaMalloc(&cells, 4096);
  cudaMemset(cells, 0, 4096);
  for (int i = 1; i < 6; ++i) {
    add<<<10 * i, 64>>>(cells);
    cudaDeviceSynchronize();
  }
  return cudaGetLastError();
}
)";
  ASSERT_EQ(call({EW_PROGRAM, "build", "waits.cu", "-o", "waits"}).status, 0);
  const auto statistics = [&](Words more) {
    Words words{EW_PROGRAM, "run", "-m", "titan-rtx", "--digest", "--stats", "s.json"};
    words.insert(words.end(), more.begin(), more.end());
    words.emplace_back("./waits");
    EXPECT_EQ(call(words).status, 0);
    std::ifstream in(folder_ + "/s.json");
    json all = json::parse(in);
    all.erase("max_resident_bytes");  // of the host
    return all;
  };
  const json plain = statistics({});
  EXPECT_EQ(statistics({"--timeline", "t.json"}), plain);
}

// Copies that wait for their engine were drawn over the one that it moves.
TEST_F(TimelineCommand, ShowsTheCopiesOfAnEngineOneAtATime) {
  std::ofstream(folder_ + "/copies.cu") << R"(
int main() {
  cudaStream_t streams[3];
  char *host, *device;
  cudaMallocHost(&host, 1 << 16);
  cudaMalloc(&device, 1 << 16);
  for (auto& stream : streams) cudaStreamCreate(&stream);
  for (int i = 0; i < 12; ++i)
    cudaMemcpyAsync(i % 2 ? host : device, i % 2 ? device : host, 1 << 16, cudaMemcpyDefault, streams[i % 3]);
  return cudaDeviceSynchronize();
}
)";
  ASSERT_EQ(call({EW_PROGRAM, "build", "copies.cu", "-o", "copies"}).status, 0);
  ASSERT_EQ(call({EW_PROGRAM, "run", "-m", "titan-rtx", "--timeline", "t.json", "./copies"}).status, 0);
  read();
  std::map<long, std::vector<Span>> engines;
  for (const Span& copy : spans_["copies"]) engines[copy.thread].push_back(copy);
  EXPECT_EQ(spans_["copies"].size(), 12u);
  EXPECT_EQ(engines.size(), 2u);
  for (auto& [engine, spans] : engines) {
    std::ranges::sort(spans, {}, &Span::begin);
    for (std::size_t i = 1; i < spans.size(); ++i)
      EXPECT_LE(spans[i - 1].end, spans[i].begin) << "copies " << i - 1 << " and " << i << " of engine " << engine;
  }
}

// A run shorter than a sample's interval had no counters, and a longer one not those of its last interval.
TEST_F(TimelineCommand, CountsAllThatCachesAndLinksHaveDone) {
  ASSERT_EQ(call({EW_PROGRAM, "build", "work.cu", "-o", "work"}).status, 0);
  const Outcome outcome = call({EW_PROGRAM, "run", "--timing", "-m", "titan-rtx", "--timeline", "t.json", "./work"});
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  read();
  for (const char* name :
       {"L1 loads/lines", "L1 hit rate/percent", "L2 requests/reads", "L2 requests/atomics", "network/flit crossings"})
    EXPECT_GT(counters_[name], 0) << name;
  EXPECT_TRUE(counters_.contains("host link/bytes to device"));
  EXPECT_EQ(counters_["L2 requests/atomics"], 70 * 2);
}

TEST_F(TimelineCommand, ShowsWarpsAndBlocksOfAKernelThatFailsUntilItFails) {
  ASSERT_EQ(call({EW_PROGRAM, "build", "work.cu", "-o", "work"}).status, 0);
  EXPECT_EQ(call({EW_PROGRAM, "run", "--timing", "-m", "titan-rtx", "--timeline", "t.json", "./work", "fail"}).status,
            1);
  read();
  const auto of_third = [](const Span& span) { return span.name.starts_with("third"); };
  EXPECT_EQ(std::ranges::count_if(warps(), of_third), 6);
  EXPECT_EQ(spans_["blocks on SMs"].size(), 173u);
}

}  // namespace
}  // namespace ew::cli
