// `ew machine`: files of one's own, and what a machine comes to.
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

class MachineCommand : public testing::Test {
 protected:
  MachineCommand() : folder_(fs::path(testing::TempDir()).lexically_normal() / "ew-machine") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~MachineCommand() override { fs::remove_all(folder_); }

  Outcome ew(Words words, Capture capture = Capture::both) {
    words.insert(words.begin(), EW_PROGRAM);
    return run(words, {.capture = capture, .directory = folder_.string(), .timeout_seconds = 60, .no_input = true});
  }

  fs::path folder_;
};

TEST_F(MachineCommand, ANewMachineIsThatWhichItIsMadeFrom) {
  for (const std::string& like : core::machine_names()) {
    const std::string name = "my-" + like;
    ASSERT_EQ(ew({"machine", "new", name, "--like", like}).status, 0) << like;
    const Outcome compared = ew({"compare", like, name + ".toml", "--json"}, Capture::standard_output);
    ASSERT_EQ(compared.status, 0) << compared.output;
    EXPECT_EQ(json::parse(compared.output)["fields"], json::array()) << like;
    EXPECT_EQ(ew({"machine", "check", name + ".toml"}).status, 0) << like;
  }
}

TEST_F(MachineCommand, NothingIsOverwrittenAndMistakesNameTheNearest) {
  std::ofstream(folder_ / "mine.toml") << "mine";
  const Outcome there = ew({"machine", "new", "mine"});
  EXPECT_EQ(there.status, 2);
  EXPECT_EQ(there.output, "ew: mine.toml: is there already; --out names another file\n");
  EXPECT_EQ(core::content_of(folder_ / "mine.toml"), "mine");
  EXPECT_EQ(ew({"machine", "new", "other", "--like", "h10"}).output,
            "ew: unknown machine \"h10\" (did you mean \"h100\"?)\n");
  EXPECT_EQ(ew({"machine", "new", "a/b"}).status, 2);
}

TEST_F(MachineCommand, CheckTellsAllMistakesWithTheirLines) {
  std::string text = core::content_of(core::home_directory() / "machines/rtx-4090.toml");
  for (const auto& [before, after] :
       {std::pair<std::string, std::string>{"\nstandard = \"gddr6x\"", "\nstandard = \"gddr7\""},
        {"\nways = 16", "\nways = 17"}}) {
    ASSERT_NE(text.find(before), text.npos) << before;
    text.replace(text.find(before), before.size(), after);
  }
  std::ofstream(folder_ / "wrong.toml") << text;
  const Outcome outcome = ew({"machine", "check", "wrong.toml"});
  EXPECT_EQ(outcome.status, 2);
  for (const std::string key : {"l2.ways", "memory.standard"})
    EXPECT_NE(outcome.output.find(": " + key), std::string::npos) << outcome.output;
  EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 2) << outcome.output;
}

// The data sheets' peak bandwidths.
TEST_F(MachineCommand, BandwidthsOfTheMemoryAreThoseOfTheDataSheets) {
  for (const auto& [machine, bandwidth] : {std::pair{"rtx-3090", 936.0},
                                           {"rtx-4090", 1008.0},
                                           {"h100", 3352.0},
                                           {"h200", 4800.0},
                                           {"titan-rtx", 672.0},
                                           {"v100", 898.0}}) {
    const Outcome outcome = ew({"machine", "check", machine, "--json"}, Capture::standard_output);
    ASSERT_EQ(outcome.status, 0) << machine;
    const json result = json::parse(outcome.output);
    EXPECT_EQ(result["warnings"], json::array()) << machine;
    bool found = false;
    for (const json& fact : result["facts"]) {
      if (fact["name"] != "bandwidth of the memory") continue;
      found = true;
      EXPECT_NEAR(fact["value"].get<double>(), bandwidth, 0.001 * bandwidth) << machine;
    }
    EXPECT_TRUE(found);
  }
}

}  // namespace

}  // namespace ew::cli
