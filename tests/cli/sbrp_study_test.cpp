// The SBRP study at its smallest size, and the demo: every run succeeds, and every bar has the committed number
// (small_study.csv). EW_REWRITE=1 ew_cli_test --gtest_filter='SbrpStudy.*' writes the file anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class SbrpStudy : public testing::Test {
 protected:
  SbrpStudy() : folder_(fs::path(testing::TempDir()) / "ew-sbrp-study") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~SbrpStudy() override { fs::remove_all(folder_); }
  Outcome ew(Words words, Capture capture) {
    words.insert(words.begin(), EW_PROGRAM);
    return run(words, {.capture = capture, .directory = folder_.string(), .timeout_seconds = 600, .no_input = true});
  }
  /// Holds the bars of these suites' figures to those of the file, digit by digit.
  static void hold(const std::string& suite, const nlohmann::json& result) {
    std::map<std::string, std::string> found, committed;
    for (const auto& figure : result["figures"])
      for (const auto& bar : figure["bars"]) {
        EXPECT_TRUE(bar["ours"].is_number()) << figure["figure"] << bar;
        found[suite + "," + figure["figure"].get<std::string>() + "," + bar["program"].get<std::string>() + "," +
              bar["bar"].get<std::string>()] = bar["ours"].dump();
      }
    const fs::path path = EW_TEST_DATA "/small_study.csv";
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (line[0] != '#') committed[line.substr(0, line.rfind(','))] = line.substr(line.rfind(',') + 1);
    if (std::getenv("EW_REWRITE")) {
      std::erase_if(committed, [&](const auto& row) { return row.first.starts_with(suite + ","); });
      committed.insert(found.begin(), found.end());
      std::ofstream out(path);
      out << "# suite,figure,program,bar,value at --size small; EW_REWRITE=1 ew_cli_test "
             "--gtest_filter='SbrpStudy.*'\n";
      for (const auto& [bar, value] : committed) out << bar << "," << value << "\n";
      return;
    }
    for (const auto& [bar, value] : found) {
      ASSERT_TRUE(committed.contains(bar)) << bar;
      EXPECT_EQ(std::stod(value), std::stod(committed[bar])) << bar;
    }
    EXPECT_GT(found.size(), 0u);
  }

  fs::path folder_;
};

// Figures 6 and 11 run every program under every model and every recovery; 8 measures the runs of 6 again.
TEST_F(SbrpStudy, EveryProgramRunsUnderEveryModelAndRecovers) {
  const Outcome outcome = ew({"reproduce", "sbrp", "--size", "small", "--figure", "6", "--figure", "8", "--figure",
                              "11", "--out", "out", "--json"},
                             Capture::standard_output);
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["failures"].size(), 0u);
  EXPECT_EQ(json["runs"].size(), 6u * 5 + 6 * 2);
  hold("sbrp", json);
}

// The artifact's builds of the programs (-DARTIFACT): what they leave is recovered, or looked at.
TEST_F(SbrpStudy, TheArtifactsProgramsRun) {
  const Outcome outcome =
      ew({"reproduce", "sbrp-artifact", "--size", "small", "--figure", "11", "--out", "out", "--json"},
         Capture::standard_output);
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["failures"].size(), 0u);
  EXPECT_EQ(json["runs"].size(), 6u * 2);
  hold("sbrp-artifact", json);
  const std::string red = EW_WORKLOADS "/sbrp/red.cu";
  const Outcome built = ew({"build", "-DARTIFACT", "-DEXTRA_FENCES", red, "-o", "red"}, Capture::both);
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(run({"./red", "--small"}, {.capture = Capture::both, .directory = folder_.string()}).output,
            "PASS red launches=2 elements=400\n");
}

// The artifact's gpKVS and MQ are programs of their own; they recover whatever the others recover.
TEST_F(SbrpStudy, TheArtifactsProgramsRecover) {
  for (const std::string program : {"gpkvs", "mq", "hm"}) {
    const std::string source = EW_WORKLOADS "/sbrp/" + program + ".cu";
    const Outcome built = ew({"build", "-DARTIFACT", source, "-o", program}, Capture::both);
    ASSERT_EQ(built.status, 0) << built.output;
    const Words recovered{
        "--recover", "./" + program + " --recover pool --resume", "--", "./" + program, "--small", "--pool", "pool"};
    for (Words words : {Words{"crash", "--states", "model"},
                        Words{"crash", "--at", "random", "--count", "30", "--nested", "2", "--machine",
                              "sbrp-artifact-near", "--set", "persistency.model=epoch-artifact"}}) {
      words.insert(words.end(), recovered.begin(), recovered.end());
      const Outcome outcome = ew(words, Capture::both);
      EXPECT_EQ(outcome.status, 0) << program << "\n" << outcome.output.substr(outcome.output.size() / 2);
      EXPECT_NE(outcome.output.find(" 0 failed"), std::string::npos) << program;
    }
  }
}

TEST_F(SbrpStudy, TheDemoTellsItsStory) {
  const Outcome outcome = ew({"demo", "--crashes", "10"}, Capture::both);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("10 crashes, 10 verified recoveries"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("missing order"), std::string::npos) << outcome.output;
  std::ifstream file(folder_ / "everwarp-demo/report.html");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const char* part :
       {"<li class=good>Timed: 5 of 5 configurations.", "<li class=good>Crashed: 10 times, 10 recovered.",
        "<li class=good>The planted bug was found: missing order, gpkvs.cu:9",
        "insert ofence() between gpkvs.cu:89 and",
        "<mark>  log[i] = {old.key, old.value, slot, seal_of(written, batch)};  // @log</mark>  ◄ not durable",
        "<a href=\"#sbrp_near\">SBRP, near</a></td><td class=number>102.4</td>", "<tr id=\"sbrp_near\">",
        "<td class=number>3,150,259</td>", "<td class=number>2,835,976</td>", "{\"place\":\"chart-times\"",
        "href=\"figure-6.html\""})
    EXPECT_NE(page.find(part), page.npos) << part;
  EXPECT_EQ(page.find("class=bad>"), page.npos);
  EXPECT_EQ(page.find("<td></td>"), page.npos);
  EXPECT_TRUE(fs::exists(folder_ / "everwarp-demo/figure-6.html"));
}

}  // namespace
}  // namespace ew::cli
