// `ew compare`, and the page of `ew run --html`.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/configuration.hpp"
#include "core/files.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class CompareCommand : public testing::Test {
 protected:
  CompareCommand() : folder_(fs::path(testing::TempDir()).lexically_normal() / "ew-compare") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CompareCommand() override { fs::remove_all(folder_); }

  Outcome ew(Words words, Capture capture = Capture::both) {
    words.insert(words.begin(), EW_PROGRAM);
    return run(words, {.capture = capture, .directory = folder_.string(), .timeout_seconds = 120, .no_input = true});
  }
  void build() {
    std::ofstream(folder_ / "app.cu") << R"(
__global__ void sum(const int* in, int* out) {
  int all = 0;
  for (int round = 0; round < 20; ++round) all += in[(round * 512 + threadIdx.x * 33) % 8192];
  out[threadIdx.x] = all;
}
int main(int count, char**) {
  int* cells;
  cudaMalloc(&cells, 65536);
  cudaMemset(cells, 0, 65536);
  for (int i = 0; i < 3; ++i) sum<<<1, 256>>>(cells, cells + 8192);
  return cudaDeviceSynchronize() != cudaSuccess ? 1 : count > 1 ? 7 : 0;
}
)";
    ASSERT_EQ(ew({"build", "app.cu", "-o", "app"}).status, 0);
  }

  fs::path folder_;
};

TEST_F(CompareCommand, ShowsWhatASmallerCacheChanges) {
  build();
  for (const char* bytes : {"64KiB", "2KiB"})
    ASSERT_EQ(ew({"run", "-m", "titan-rtx", "--set", std::string("l1.bytes=") + bytes, "--set", "l1.ways=0", "--stats",
                  std::string(bytes) + ".json", "./app"})
                  .status,
              0);
  const Outcome outcome =
      ew({"compare", "64KiB.json", "2KiB.json", "--json", "--html", "page.html"}, Capture::standard_output);
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const json result = json::parse(outcome.output);
  ASSERT_EQ(result["kernels"].size(), 1u);
  EXPECT_EQ(result["kernels"][0]["launches"], (std::vector<int>{3, 3}));
  EXPECT_GT(result["kernels"][0]["values"][1], result["kernels"][0]["values"][0]) << "a smaller cache takes longer";
  bool found = false;
  for (const json& figure : result["figures"])
    if (figure["name"] == "l1.hit_rate") found = figure["values"][0] > figure["values"][1];
  EXPECT_TRUE(found) << outcome.output;
  const std::string page = core::content_of(folder_ / "page.html");
  EXPECT_NE(page.find("l1.hit_rate"), page.npos);

  const Outcome table = ew({"compare", "64KiB.json", "2KiB.json", "--kernel", "sum", "--rows", "3"});
  EXPECT_EQ(table.status, 0);
  EXPECT_NE(table.output.find("figure of sum"), std::string::npos) << table.output;
  EXPECT_NE(table.output.find("(3 shown; --rows 0: all)"), std::string::npos) << table.output;
}

TEST_F(CompareCommand, AMachineFileBesideTheOneItWasMadeFrom) {
  std::string text = core::content_of(core::home_directory() / "machines/titan-rtx.toml");
  const std::string before = "\nways = 12";
  ASSERT_NE(text.find(before), text.npos);
  text.replace(text.find(before), before.size() + 1, "\nways = 32");
  std::ofstream(folder_ / "mine.toml") << text;
  const Outcome outcome = ew({"compare", "titan-rtx", "mine.toml"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.output.find("l1.ways"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("1 field differs"), std::string::npos) << outcome.output;
}

TEST_F(CompareCommand, TwoMachinesAreComparedByFields) {
  const Outcome outcome = ew({"compare", "titan-rtx", "a100-80gb", "--json"}, Capture::standard_output);
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const json result = json::parse(outcome.output);
  EXPECT_EQ(result["machines"], (std::vector<std::string>{"titan-rtx", "a100-80gb"}));
  bool found = false;
  for (const json& field : result["fields"]) {
    EXPECT_NE(field["values"][0], field["values"][1]) << field;
    found |= field["key"] == "sm.count" && field["values"][0] == "72 SMs" && field["values"][1] == "108 SMs";
  }
  EXPECT_TRUE(found) << outcome.output;
  EXPECT_EQ(json::parse(ew({"compare", "h100", "h100", "--json"}, Capture::standard_output).output)["fields"],
            json::array());
}

TEST_F(CompareCommand, MistakesAreSentences) {
  std::ofstream(folder_ / "a.json") << "{}";
  for (const auto& [words, sentence] :
       {std::pair<Words, std::string>{{"compare", "a.json"}, "ew: ew compare needs two runs or two machines"},
        {{"compare", "a.json", "a.json"}, "ew: a.json: holds no statistics of a run"},
        {{"compare", "a.json", "titan-rtx"}, "ew: titan-rtx: there is no such file, and the others are runs"},
        {{"compare", "titan-rtx", "titan-rt"}, "ew: unknown machine \"titan-rt\" (did you mean \"titan-rtx\"?)"},
        {{"compare", "titan-rtx", "h100", "--html", "x"}, "ew: --html: machines have no page; runs have"},
        {{"run", "--html", "x.html", "--json", "./app"}, "ew: --html excludes --json"},
        {{"run", "--functional", "--html", "x.html", "/bin/true"},
         "ew: --html: functional mode has no simulated time"}}) {
    const Outcome outcome = ew(words);
    EXPECT_EQ(outcome.status, 2) << fmt::format("{}", fmt::join(words, " "));
    EXPECT_TRUE(outcome.output.starts_with(sentence)) << outcome.output;
  }
}

// The page of a run, and the program's own status.
TEST_F(CompareCommand, ARunHasAPageWithEveryChart) {
  build();
  const Outcome outcome = ew({"run", "-m", "titan-rtx", "--html", "run.html", "./app", "seven"});
  EXPECT_EQ(outcome.status, 7);
  EXPECT_NE(outcome.output.find("page: " + (folder_ / "run.html").string()), std::string::npos) << outcome.output;
  const std::string page = core::content_of(folder_ / "run.html");
  for (const char* part :
       {"id=chart-stalls", "id=chart-latencies", "id=chart-bandwidth", "id=chart-issue", "<td>sum</td>"})
    EXPECT_NE(page.find(part), page.npos) << part;
  EXPECT_FALSE(fs::exists(folder_ / "timeline.json")) << "files of its own are in a scratch folder";
}

}  // namespace

}  // namespace ew::cli
