// The SBRP study at its smallest size, and the demo: every run succeeds, every bar has a number, and what any machine
// with NVM on the GPU must show is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace ew::cli {
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
  std::map<std::string, std::map<std::string, double>> speedup;
  for (const auto& figure : json["figures"])
    for (const auto& bar : figure["bars"]) {
      ASSERT_TRUE(bar["ours"].is_number()) << figure["figure"] << bar;
      if (figure["figure"] == "6") speedup[bar["program"]][bar["bar"]] = bar["ours"];
    }
  for (const auto& [program, bars] : speedup) {
    EXPECT_GT(bars.at("epoch_near"), 1.2) << program;  // no PCIe in the way
    EXPECT_GT(bars.at("sbrp_near"), bars.at("sbrp_far")) << program;
  }
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
  EXPECT_TRUE(fs::exists(folder_ / "everwarp-demo/report.html"));
}

}  // namespace
}  // namespace ew::cli
