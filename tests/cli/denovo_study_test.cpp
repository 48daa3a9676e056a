// The study of the thesis at its smallest size: claims are judged, stacks add up, series have their runs; and a study
// whose bars have words of their own.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class DenovoStudy : public testing::Test {
 protected:
  DenovoStudy() : folder_(fs::path(testing::TempDir()) / "ew-denovo-study") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DenovoStudy() override { fs::remove_all(folder_); }

  Json reproduced(Words words) {
    words.insert(words.begin(), {EW_PROGRAM, "reproduce"});
    words.insert(words.end(), {"--out", "out", "--json"});
    const Outcome outcome =
        run(words, {.capture = Capture::standard_output, .directory = folder_.string(), .timeout_seconds = 300});
    EXPECT_EQ(outcome.status, 0) << outcome.output.substr(0, 2000);
    return Json::parse(outcome.output, nullptr, false);
  }
  static std::map<std::string, std::string> verdicts(const Json& figure) {
    std::map<std::string, std::string> found;
    for (const Json& claim : figure["claims"]) found[claim["id"]] = claim["verdict"];
    return found;
  }

  fs::path folder_;
};

TEST_F(DenovoStudy, ProgramsWithoutSynchronisation) {
  const Json json = reproduced(
      {"denovo", "--size", "small", "--figure", "2.2b", "--figure", "2.2c", "--program", "LAVA", "--program", "NN"});
  ASSERT_EQ(json["figures"].size(), 2u);
  EXPECT_EQ(json["failures"].size(), 0u);
  EXPECT_EQ(json["runs"].size(), 2u * 4) << "G* and D*, and GH and DH for the claims that they are the same";
  for (const Json& figure : json["figures"]) {
    for (const Json& bar : figure["bars"]) {
      double sum = 0;
      for (const auto& [label, part] : bar["parts"].items()) sum += part.get<double>();
      EXPECT_NEAR(sum, bar["ours"].get<double>(), 1e-9) << bar;
    }
  }
  const auto of_energy = verdicts(json["figures"][0]), of_traffic = verdicts(json["figures"][1]);
  EXPECT_EQ(of_energy.at("F2.2-015b"), "not measured") << "of all ten programs";
  EXPECT_EQ(of_traffic.at("F2.2-005"), "held") << "LAVA";
  EXPECT_EQ(of_traffic.at("F2.2-006"), "held") << "LAVA overflows the store buffer under G* alone";
}

TEST_F(DenovoStudy, SeriesOverComputeUnits) {
  const Json json = reproduced({"denovo", "--size", "small", "--figure", "5.1", "--program", "SPMBO_L"});
  EXPECT_EQ(json["runs"].size(), 3u * 5 + 2) << "three machines, five places, and DD+RO at both ends";
  std::set<std::string> commands;
  for (const Json& row : json["runs"]) commands.insert(row["command"]);
  EXPECT_EQ(commands.size(), json["runs"].size());
  std::size_t at_one = 0;
  for (const Json& bar : json["figures"][0]["bars"]) {
    if (bar["x"] != "1") continue;
    EXPECT_EQ(bar["ours"], 1.0);
    ++at_one;
  }
  EXPECT_EQ(at_one, 3u);
  const auto found = verdicts(json["figures"][0]);
  EXPECT_EQ(found.at("F5.1-005"), "held") << "GH and DD scale nearly perfectly";
  EXPECT_EQ(found.at("F5.1-007b"), "held") << "well ahead of GD";
  EXPECT_EQ(found.at("F5.1-008"), "not measured") << "of a program that was not asked for";
  std::ifstream claims(folder_ / "out/claims.csv");
  std::string text((std::istreambuf_iterator<char>(claims)), {});
  EXPECT_NE(text.find("5.1,F5.1-005,held,"), text.npos) << text;
}

// Words of a bar are part of its run: one machine, two runs; in microseconds, not over anything.
TEST_F(DenovoStudy, BarsMayDifferInWordsAlone) {
  const fs::path study = folder_ / "studies/toy/figure-1";
  fs::create_directories(study);
  std::ofstream(folder_ / "studies/toy/suite.toml") << R"(title = "A toy study"
figures = ["1"]
[program.SPM_L]
source = "workloads/heterosync/spin_mutex.cu"
run = "SPM_L {size}"
size = { small = "--iterations 1" }
[configuration.dd]
machine = "tightly-coupled-15cu"
set = ["DD", "persistency.model=none"]
)";
  std::ofstream(study / "study.toml") << R"(title = "Words"
source = "nowhere"
axis = "ns"
quantity = "absolute"
programs = ["SPM_L"]
[[bar]]
name = "one"
run = "dd"
[[bar]]
name = "four"
run = "dd"
words = "--blocks-per-cu 4"
)";
  std::ofstream(study / "claims.csv") << "id,expression,published,kind,tolerance,text,why\n"
                                         "1,\"time(SPM_L, four) / time(SPM_L, one)\",>1,direction,,more work,\n"
                                         "2,,,value,,as on silicon,there is none here\n";
  const Json json = reproduced({"toy", "--studies", "studies", "--size", "small"});
  ASSERT_EQ(json["runs"].size(), 2u);
  const Json& bars = json["figures"][0]["bars"];
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_GT(bars[1]["ours"].get<double>(), bars[0]["ours"].get<double>());
  EXPECT_EQ(verdicts(json["figures"][0]), (std::map<std::string, std::string>{{"1", "held"}, {"2", "not judged"}}));
}

}  // namespace
}  // namespace ew::cli
