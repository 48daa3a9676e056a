// The forms in which a run's figures come: --json, --csv, and --per-unit with either.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/statistics_csv.hpp"
#include "core/symbol_name.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Fields = std::vector<std::string>;

/// RFC 4180, read by itself: fields in quotes may hold commas, quotes (twice) and lines.
std::vector<Fields> read_csv(const std::string& text) {
  std::vector<Fields> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    Fields fields(1);
    for (; at < text.size() && text[at] != '\n'; ++at) {
      if (text[at] == ',') {
        fields.emplace_back();
      } else if (text[at] == '"') {
        for (++at; text[at] != '"' || text.compare(at, 2, "\"\"") == 0; ++at) {
          if (text[at] == '"') ++at;
          fields.back() += text[at];
        }
      } else {
        fields.back() += text[at];
      }
    }
    lines.push_back(fields);
    ++at;
  }
  return lines;
}

class StatisticsForms : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = testing::TempDir() + "/ew-statistics-forms";
    fs::remove_all(folder());
    fs::create_directories(folder());
    std::ofstream(folder() + "/two.cu") << R"(
template <int width, int step>
__global__ void spread(float* data) {
  __shared__ float tile[width];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = data[i * step];
  __syncthreads();
  data[i * step] = tile[width - 1 - threadIdx.x] + data[i];
  if (threadIdx.x % 3 == 0) atomicAdd(&data[0], 1.f);
}
int main() {
  float* data;
  cudaMalloc(&data, 1 << 20);
  cudaMemset(data, 0, 1 << 20);
  spread<128, 1><<<40, 128>>>(data);
  spread<64, 9><<<30, 64>>>(data);
  return cudaDeviceSynchronize();
}
)";
    const Outcome built = call({EW_PROGRAM, "build", "two.cu", "-o", "two"});
    ASSERT_EQ(built.status, 0) << built.output;
    json() = Json::parse(figures({"--json", "--per-unit"})).at("statistics");
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static Outcome call(const Words& words) {
    return run(words, {.capture = Capture::standard_output, .directory = folder(), .timeout_seconds = 120});
  }
  static std::string figures(Words options) {
    options.insert(options.begin(), {EW_PROGRAM, "run", "-m", "titan-rtx"});
    options.emplace_back("./two");
    return call(options).output;
  }
  static std::string& folder() {
    static std::string name;
    return name;
  }
  static Json& json() {
    static Json statistics;
    return statistics;
  }
};

TEST_F(StatisticsForms, TheCsvHasEveryFigureOfTheJsonAndNoOther) {
  const std::vector<Fields> lines = read_csv(figures({"--csv", "--per-unit"}));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0], (Fields{"ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"}));
  std::map<Fields, std::string> found;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    ASSERT_EQ(lines[i].size(), 5u) << i;
    EXPECT_TRUE(lines[i][2] == "seed" || !lines[i][3].empty()) << lines[i][2] << " has no unit";
    EXPECT_TRUE(found.emplace(Fields{lines[i][0], lines[i][1], lines[i][2]}, lines[i][4]).second) << lines[i][2];
  }
  std::size_t expected = 0;
  const auto expect = [&](const std::string& id, const std::string& kernel, const Json& figures) {
    for (const auto& [name, value] : figures.items()) {
      if (!value.is_number()) continue;
      ++expected;
      EXPECT_EQ((found[{id, kernel, name}]), value.dump()) << id << " " << name;
    }
  };
  for (const Json& part : {json(), json()["timing"], json()["derived"], json()["time"]}) expect("run", "", part);
  for (const char* part : {"copies", "nobody"}) expect(part, "", json()["outside_kernels"][part]);
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& row = json()["kernels"].at(i);
    const std::string name = i == 0 ? "spread<128, 1>(float*)" : "spread<64, 9>(float*)";
    EXPECT_EQ(core::readable_name(row["kernel"].get<std::string>()), name);
    for (const Json& part : {row, row["timing"], row["derived"]}) expect(std::to_string(i), name, part);
  }
  for (std::size_t i = 0; i < 72; ++i) expect("SM " + std::to_string(i), "", json()["sms"].at(i));
  for (std::size_t i = 0; i < 48; ++i) expect("L2 slice " + std::to_string(i), "", json()["l2_slices"].at(i));
  EXPECT_EQ(found.size(), expected);
  EXPECT_GT(expected, 3000u);
}

TEST_F(StatisticsForms, UnitsAddUpToTheMachine) {
  std::map<std::string, std::uint64_t> sums;
  for (const char* units : {"sms", "l2_slices"})
    for (const Json& row : json()[units])
      for (const auto& [name, value] : row.items())
        if (value.is_number_unsigned()) sums[name] += value.get<std::uint64_t>();
  const Json& whole = json()["timing"];
  for (const auto& [name, sum] : sums) EXPECT_EQ(whole.at(name), sum) << name;
  for (const char* name : {"slots.issued", "slots.idle", "warp_cycles", "sectors", "l1.loads", "l2.reads", "l2.atomics",
                           "shared_passes", "latency.home.count"})
    EXPECT_GT(sums[name], 0u) << name;
  for (const auto& [name, value] : whole.items())
    EXPECT_TRUE(value == 0 || sums.contains(name) ||
                !(name.starts_with("slots.") || name.starts_with("l1.") || name.starts_with("l2.")))
        << name;
}

// The rows of copies and of nobody had neither energy nor picoseconds, so a reader's sum was short of all that copies
// take.
TEST_F(StatisticsForms, EnergyAndTimesOfTheRowsAddUpToTheMachine) {
  std::map<std::string, std::uint64_t> sums;
  std::uint64_t rows = 2;
  const auto add = [&](const Json& row) {
    for (const auto& [name, value] : row.items())
      if (value.is_number_unsigned()) sums[name] += value.get<std::uint64_t>();
  };
  for (const Json& row : json()["kernels"]) add(row["timing"]), ++rows;
  for (const char* part : {"copies", "nobody"}) add(json()["outside_kernels"][part]);
  EXPECT_GT(json()["outside_kernels"]["copies"].value("energy.network", 0), 0) << "of cudaMemset";
  std::size_t held = 0;
  for (const auto& [name, value] : json()["timing"].items()) {
    if (!name.starts_with("energy.") && !(name.starts_with("memory.") && name.ends_with("_picoseconds"))) continue;
    const auto whole = value.get<std::uint64_t>();
    EXPECT_LE(sums[name], whole) << name;
    EXPECT_GE(sums[name] + 24 * rows, whole) << name << ": rounded down, of each of 24 channels";
    held += whole > 0;
  }
  EXPECT_GE(held, 5u);
}

// A unit's row had the machine's figures of other parts, all 0: an SM that lasted 0 us, a slice with an energy of 0 pJ.
TEST_F(StatisticsForms, AUnitTellsOfItselfAlone) {
  const auto derived = [](const Json& rows) {
    std::set<std::string> names;
    for (const Json& row : rows)
      for (const auto& [name, value] : row.items())
        if (json()["derived"].contains(name)) names.insert(name);
    return names;
  };
  EXPECT_EQ(derived(json()["l2_slices"]),
            (std::set<std::string>{"atomics.lanes", "atomics.waited", "l2.atomic_hit_rate", "l2.hit_rate",
                                   "l2.waited_share"}));
  const std::set<std::string> of_sms = derived(json()["sms"]);
  for (const char* name : {"ipc.active", "occupancy.achieved", "l1.hit_rate", "coalescing.sectors", "shared.passes"})
    EXPECT_TRUE(of_sms.contains(name)) << name;
  for (const char* name : {"duration", "network.flits", "energy.total", "energy.instruction", "l2.hit_rate"})
    EXPECT_FALSE(of_sms.contains(name)) << name;
}

// energy.idle is mW for the time of kernels, in which two side by side count once. A mW for a ns is a pJ.
TEST_F(StatisticsForms, IdlePowerCountsForTheTimeOfKernels) {
  std::ofstream(folder() + "/beside.cu") << R"(
__global__ void wait(long long cycles) {
  for (const long long end = clock64() + cycles; clock64() < end;) {}
}
int main() {
  cudaStream_t streams[2];
  for (int i = 0; i < 2; ++i) cudaStreamCreate(streams + i);
  wait<<<1, 32, 0, streams[0]>>>(20000);
  wait<<<1, 32, 0, streams[1]>>>(30000);
  return cudaDeviceSynchronize();
}
)";
  ASSERT_EQ(call({EW_PROGRAM, "build", "beside.cu", "-o", "beside"}).status, 0);
  const auto with = [&](const std::string& program, const char* idle) {
    return Json::parse(call({EW_PROGRAM, "run", "-m", "titan-rtx", "--set", std::string("energy.idle=") + idle,
                             "--json", "./" + program})
                           .output)
        .at("statistics");
  };
  for (const char* program : {"two", "beside"}) {
    const Json none = with(program, "0"), some = with(program, "1500");
    double longest = 0, all = 0;
    for (const Json& row : some["kernels"]) {
      const double us = row["derived"]["duration"];
      longest = std::max(longest, us);
      all += us;
    }
    const double counted = some["timing"]["energy.idle"], us = counted / 1500 / 1000;
    EXPECT_EQ(none["timing"]["energy.idle"], 0u);
    EXPECT_EQ(none["timing"]["energy.core"], some["timing"]["energy.core"]);
    if (std::string(program) == "two")
      EXPECT_NEAR(us, all, 0.01);  // one after the other
    else
      EXPECT_TRUE(us >= longest - 0.01 && us < longest + 5 && us < 0.8 * all) << us << " of " << all << " us";
  }
}

TEST(StatisticsCsv, QuotesWhatANameHolds) {
  Json statistics = {{"launches", 1}, {"kernels", Json::array()}};
  statistics["kernels"].push_back(
      {{"kernel", "odd\"name, of\ntwo lines"}, {"timing", {{"cycles", 5}}}, {"derived", Json::object()}});
  const std::vector<Fields> lines = read_csv(statistics_csv(statistics));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[2], (Fields{"0", "odd\"name, of\ntwo lines", "cycles", "cycles", "5"}));
}

TEST_F(StatisticsForms, FunctionalModeHasNoTimelineAndNoTrace) {
  for (const char* option : {"--timeline", "--trace"}) {
    const Outcome refused = run({EW_PROGRAM, "run", option, "t.json", "./two"},
                                {.capture = Capture::both, .directory = folder(), .timeout_seconds = 60});
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.output, "ew: " + std::string(option) +
                                  ": functional mode has no simulated time to show; use --timing, or a machine of mode "
                                  "timing (-m titan-rtx)\n");
    EXPECT_FALSE(fs::exists(folder() + "/t.json"));
  }
  const Outcome timed = run({EW_PROGRAM, "run", "--timing", "--timeline", "t.json", "./two"},
                            {.capture = Capture::both, .directory = folder(), .timeout_seconds = 60});
  EXPECT_EQ(timed.status, 0) << timed.output;
  EXPECT_TRUE(fs::exists(folder() + "/t.json"));
}

}  // namespace
}  // namespace ew::cli
