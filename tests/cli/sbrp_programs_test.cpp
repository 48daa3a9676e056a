// The six programs of workloads/sbrp at their small sizes: killed at random instructions they recover, the worst state
// that --stop-before-commit leaves is undone once, a table that is full is left as it was. And the table of planted
// bugs names exactly the bugs that the sources have.
#include <gtest/gtest.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

constexpr const char* programs[] = {"gpkvs", "hm", "srad", "red", "mq", "scan"};

class SbrpPrograms : public testing::TestWithParam<const char*> {
 protected:
  SbrpPrograms() {
    folder_ = testing::TempDir() + "/ew-sbrp-" + std::to_string(getpid()) + "-" + GetParam();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void SetUp() override {
    if (!fs::exists(program())) GTEST_SKIP() << "a build with sanitizers has no workloads";
  }
  ~SbrpPrograms() override { fs::remove_all(folder_); }

  Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  static std::string program() { return std::string(EW_BUILT_WORKLOADS "/sbrp/") + GetParam(); }

  std::string folder_;
};

TEST_P(SbrpPrograms, RecoverFromRandomCrashes) {
  const Outcome outcome = call({EW_PROGRAM, "crash", "--at", "random", "--count", "12", "--seed", "7", "--recover",
                                program() + " --recover pool", "--", program(), "--small", "--pool", "pool"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("12 crashes, 12 recovered"), std::string::npos) << outcome.output;
}

TEST_P(SbrpPrograms, TheWorstStateIsRecoveredOnce) {
  Outcome outcome = call({program(), "--small", "--stop-before-commit", "--pool", "pool"});
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const Outcome first = call({program(), "--recover", "pool"}), second = call({program(), "--recover", "pool"});
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_EQ(second.status, 0) << second.output;
  EXPECT_NE(first.output, second.output);  // there was something to do, and then there was not
}

TEST_P(SbrpPrograms, RefuseAPoolOfAnotherProgram) {
  const std::string other = std::string(EW_BUILT_WORKLOADS "/sbrp/") + (GetParam() == programs[0] ? "hm" : programs[0]);
  ASSERT_EQ(call({other, "--small", "--pool", "pool"}).status, 0);
  const Outcome outcome = call({program(), "--recover", "pool"});
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("the magic should be"), std::string::npos) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Six, SbrpPrograms, testing::ValuesIn(programs), [](const auto& test) { return test.param; });

TEST(SbrpProgramsAlone, AFullHashMapIsLeftAsTheBatchFoundIt) {
  if (!fs::exists(EW_BUILT_WORKLOADS "/sbrp/hm")) GTEST_SKIP() << "a build with sanitizers has no workloads";
  const std::string pool = testing::TempDir() + "/ew-full-" + std::to_string(getpid());
  const Outcome outcome = run({EW_BUILT_WORKLOADS "/sbrp/hm", "--small", "--keys", "90", "--pool", pool},
                              {.capture = Capture::both, .timeout_seconds = 120, .no_input = true});
  fs::remove(pool);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("does not fit and was undone"), std::string::npos) << outcome.output;
}

TEST(SbrpProgramsAlone, TheTableOfPlantedBugsIsThatOfTheSources) {
  std::map<std::string, std::set<long>> listed, planted;
  const toml::table table = toml::parse_file(EW_WORKLOADS "/sbrp/bugs.toml");
  for (const toml::node& row : *table["bug"].as_array()) {
    const toml::table& bug = *row.as_table();
    const std::string kind = bug["kind"].value_or(""), states = bug["states"].value_or("");
    EXPECT_TRUE(kind == "order" || kind == "scope" || kind == "recovery") << bug;
    EXPECT_TRUE(states == "run" || states == "recovery") << bug;
    EXPECT_FALSE(std::string(bug["says"].value_or("")).empty()) << bug;
    EXPECT_TRUE(listed[bug["program"].value_or("")].insert(bug["number"].value_or(0)).second) << bug;
  }
  std::size_t count = 0;
  const std::regex place("BUG [!=]= ([0-9]+)");
  for (const char* program : programs) {
    std::stringstream source;
    source << std::ifstream(std::string(EW_WORKLOADS "/sbrp/") + program + ".cu").rdbuf();
    const std::string text = source.str();
    for (std::sregex_iterator match(text.begin(), text.end(), place), end; match != end; ++match)
      planted[program].insert(std::stol((*match)[1]));
    count += planted[program].size();
  }
  EXPECT_EQ(listed, planted);
  EXPECT_GE(count, 24u);
}

}  // namespace
}  // namespace ew::cli
