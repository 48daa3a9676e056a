// The programs of workloads/gpm at their small sizes: killed at random instructions they recover; the worst state that
// --stop-before-commit leaves is recovered, again and again; a timing machine runs them; they refuse another's pool.
// The table of planted bugs names exactly the bugs that the sources have. And what `ew pool` says of libGPM's files.
#include <gtest/gtest.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

constexpr const char* libraries[] = {"hcl_log", "conv_log", "checkpoints"};
constexpr const char* benchmarks[] = {"gpkvs", "gpdb", "ps", "bfs", "srad", "hs", "blk", "cfd", "dnn"};
/// Where several programs have a bug in common: planted in this header.
constexpr const char* shared_header = "iterate.h";
constexpr const char* sharing[] = {"hs", "blk", "cfd", "dnn"};

class GpmPrograms : public testing::TestWithParam<const char*> {
 protected:
  GpmPrograms() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "-" + test->name();
    for (char& letter : name)
      if (letter == '/') letter = '-';
    folder_ = testing::TempDir() + "/ew-gpm-" + std::to_string(getpid()) + "-" + name;
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void SetUp() override {
    if (!fs::exists(program("hs"))) GTEST_SKIP() << "a build with sanitizers has no workloads";
  }
  ~GpmPrograms() override { fs::remove_all(folder_); }

  Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  static std::string program(const std::string& name) { return EW_BUILT_WORKLOADS "/gpm/" + name; }

  std::string folder_;
};
using GpmBenchmarks = GpmPrograms;
using GpmSizes = GpmPrograms;

TEST_P(GpmPrograms, RecoverFromRandomCrashes) {
  const std::string name = program(GetParam());
  const Outcome outcome = call({EW_PROGRAM, "crash", "--at", "random", "--count", "8", "--seed", "3", "--recover",
                                name + " --recover pool", "--", name, "--small", "--pool", "pool"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("8 crashes, 8 recovered"), std::string::npos) << outcome.output;
}

TEST_P(GpmBenchmarks, TheWorstStateIsRecoveredAgainAndAgain) {
  const std::string name = program(GetParam());
  ASSERT_EQ(call({name, "--small", "--stop-before-commit", "--pool", "pool"}).status, 0);
  for (int time = 0; time < 2; ++time) {
    const Outcome outcome = call({name, "--recover", "pool"});
    EXPECT_EQ(outcome.status, 0) << outcome.output;
  }
  const Outcome outcome = call({name, "--recover", "pool", "--resume"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

// On each machine that a system is for, in functional mode and timed. What is measured has taken time.
TEST_P(GpmBenchmarks, RunUnderEverySystem) {
  for (const std::string system : {"GPM", "GPM-NDP", "GPM-eADR", "CAP-fs", "CAP-mm", "CAP-eADR"}) {
    const std::string passes = std::string("PASS ") + GetParam() + " " + system + ":";
    const bool eadr = system.ends_with("eADR");
    Outcome outcome = call({program(GetParam()), "--small", "--system", system});
    EXPECT_NE(outcome.output.find(passes), std::string::npos) << outcome.output;
    outcome = call({EW_PROGRAM, "run", "-m", "titan-rtx-optane", "--set", "sm.count=2", "--set",
                    eadr ? "nvm.eadr=true" : "nvm.eadr=false", program(GetParam()), "--small", "--system", system});
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_NE(outcome.output.find(passes), std::string::npos) << outcome.output;
    EXPECT_TRUE(std::regex_search(outcome.output, std::regex("\n?[a-z]+: [1-9][0-9]* ns\n"))) << outcome.output;
  }
}

// GPUfs: what is written to the file as a whole. Where single threads persist, it refuses their calls, and says why.
TEST_P(GpmBenchmarks, RunUnderGpufsWhereWholeBlocksPersist) {
  const std::string name = GetParam();
  const bool whole = name == "srad" || std::ranges::count(sharing, name) != 0;
  for (const char* machine : {"default", "titan-rtx-optane"}) {
    const Outcome outcome = call({EW_PROGRAM, "run", "-m", machine, "--set", "sm.count=2", program(name), "--small",
                                  "--system", "GPUfs", "--pool", "pool"});
    EXPECT_EQ(outcome.status, whole ? 0 : 1) << outcome.output;
    const std::string says = whole ? "PASS " + name + " GPUfs:" : "gwrite: ";
    EXPECT_NE(outcome.output.find(says), std::string::npos) << outcome.output;
    if (!whole) {
      EXPECT_NE(outcome.output.find("; GPUfs expects "), std::string::npos) << outcome.output;
    }
  }
}

// What a system promises is there after a crash at any cycle.
TEST_P(GpmBenchmarks, WhatTheHostHasPersistedIsRecovered) {
  const std::string name = program(GetParam());
  if (std::string(GetParam()).starts_with("gp")) return;  // nothing is promised: see the tests of the campaign
  for (const std::string system : {"GPM-NDP", "CAP-fs", "CAP-mm", "CAP-eADR"}) {
    const Outcome outcome =
        call({EW_PROGRAM, "crash",      "-m",        "titan-rtx-optane",
              "--set",    "sm.count=2", "--set",     system == "CAP-eADR" ? "nvm.eadr=true" : "nvm.eadr=false",
              "--at",     "random",     "--count",   "10",
              "--cold",   "2",          "--recover", name + " --recover pool --system " + system,
              "--",       name,         "--small",   "--pool",
              "pool",     "--system",   system});
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("10 crashes, 10 recovered"), std::string::npos) << outcome.output;
  }
  for (const std::string system : {"GPM-NDP", "CAP-fs"}) {  // in whatever order lines leave the host's cache
    const Outcome outcome = call({EW_PROGRAM, "crash", "--states", "model", "--model", "gpm", "--count", "60", "--cold",
                                  "0", "--recover", name + " --recover pool --system " + system, "--", name, "--small",
                                  "--pool", "pool", "--system", system});
    EXPECT_EQ(outcome.status, 0) << outcome.output;
  }
  ASSERT_EQ(call({name, "--small", "--pool", "pool", "--system", "CAP-mm"}).status, 0);
  const Outcome outcome = call({name, "--recover", "pool"});
  EXPECT_EQ(outcome.status, 2) << outcome.output;
  EXPECT_NE(outcome.output.find("is of a run under CAP-mm; say so with --system"), std::string::npos) << outcome.output;
}

// The campaign, small: what is promised is kept; and CAP, which has no log, loses a batch whose flush is cut off.
TEST(GpmProgramsAlone, CampaignsFindWhatIsPromisedAndWhatCapLoses) {
  const Outcome outcome = run({EW_WORKLOADS "/gpm/check-crashes", EW_PROGRAM, "20", "2", "12", "1", "gpkvs"},
                              {.capture = Capture::both, .timeout_seconds = 300, .no_input = true});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(
      std::regex_search(outcome.output, std::regex("`gpkvs` \\| GPM \\| the last batch \\| 20 .* 20 \\| 0 \\|")))
      << outcome.output;
  EXPECT_TRUE(
      std::regex_search(outcome.output, std::regex("`gpkvs` \\| CAP-mm \\| nothing \\| 12 .* [1-9][0-9]* \\| \\|\n")))
      << outcome.output;
  EXPECT_NE(outcome.output.find("0 rows are wrong"), std::string::npos) << outcome.output;
}

// Inside CAP's flush some lines are there and some are not. The recovery finds the batch that nothing undoes, and
// counts.
TEST(GpmProgramsAlone, CapWithoutALogLosesTheBatchThatItsFlushWasIn) {
  const std::string folder = testing::TempDir() + "/ew-gpm-cap-" + std::to_string(getpid());
  fs::create_directories(folder);
  int begun = 0;
  for (const std::string name : {"gpkvs", "gpdb"}) {
    const std::string path = EW_BUILT_WORKLOADS "/gpm/" + name;
    if (!fs::exists(path)) GTEST_SKIP() << "a build with sanitizers has no workloads";
    Words words{EW_PROGRAM, "crash",      "-m",        "titan-rtx-optane",
                "--set",    "sm.count=2", "--at",      "random",
                "--count",  "60",         "--cold",    "0",
                "--seed",   "5",          "--recover", path + " --recover pool --system CAP-mm",
                "--",       path,         "--small",   "--pool",
                "pool",     "--system",   "CAP-mm"};
    if (name == "gpdb") words.insert(words.end(), {"--update", "1"});
    const Outcome outcome =
        run(words, {.capture = Capture::both, .directory = folder, .timeout_seconds = 120, .no_input = true});
    EXPECT_EQ(outcome.status, 1) << outcome.output;
    const std::regex lost(
        "batch [0-9]+ was cut off: of ([0-9]+) (slots|rows) that it changes ([0-9]+) are as behind it, "
        "([0-9]+) are torn, the rest as before it; nothing undoes them");
    for (std::sregex_iterator match(outcome.output.begin(), outcome.output.end(), lost), end; match != end; ++match) {
      const int changes = std::stoi((*match)[1]), there = std::stoi((*match)[3]);
      EXPECT_LE(there, changes);
      begun += there > 0 && there < changes;
    }
  }
  EXPECT_GT(begun, 0) << "some slots are there and some are not";
  fs::remove_all(folder);
}

TEST_P(GpmBenchmarks, RefuseAPoolOfAnotherProgram) {
  const std::string other = std::string(GetParam()) == "ps" ? "hs" : "ps";
  ASSERT_EQ(call({program(other), "--small", "--pool", "pool"}).status, 0);
  const Outcome outcome = call({program(GetParam()), "--recover", "pool"});
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_NE(outcome.output.find(": it is of another program"), std::string::npos) << outcome.output;
}

// A file that is there and is no whole pool is not "not created yet".
TEST_P(GpmBenchmarks, RefuseAPoolThatIsCutOff) {
  ASSERT_EQ(call({program(GetParam()), "--small", "--pool", "pool"}).status, 0);
  for (const int bytes : {300, 0}) {
    fs::resize_file(folder_ + "/pool", bytes);
    const Outcome outcome = call({program(GetParam()), "--recover", "pool"});
    EXPECT_EQ(outcome.status, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("pool is there, but it is no whole pool"), std::string::npos) << outcome.output;
  }
}

// A crash before the second file is made must not leave an older run's.
TEST_P(GpmBenchmarks, ANewRunTakesAwayTheFilesOfAnOlderOne) {
  ASSERT_EQ(call({program(GetParam()), "--small", "--pool", "pool"}).status, 0);
  ASSERT_EQ(call({program(GetParam()), "--small", "--pool", "pool", "--system", "CAP-mm"}).status, 0);
  EXPECT_TRUE(fs::exists(folder_ + "/pool"));
  for (const char* second : {"/pool.log", "/pool.cp"}) EXPECT_FALSE(fs::exists(folder_ + second)) << second;
}

TEST_P(GpmBenchmarks, RefuseWrongWords) {
  const std::pair<Words, const char*> cases[] = {
      {{"--system", "CAPmm"}, "got CAPmm (did you mean CAP-mm?)"},
      {{"--sistem", "GPM"}, "unknown option --sistem (did you mean --system?)"},
      {{"--recovr"}, "unknown option --recovr (did you mean --recover?)"},
      {{"--pool"}, "--pool: a value is expected behind it"},
  };
  for (const auto& [words, message] : cases) {
    Words all{program(GetParam())};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = call(all);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(message), std::string::npos) << outcome.output;
  }
  EXPECT_EQ(call({program(GetParam()), "--help"}).status, 0);
}

// Studies write a program's own sizes before those of --small and --paper.
TEST_F(GpmSizes, ASizeCountsMoreThanAPresetBehindIt) {
  for (const Words& sizes : {Words{"--update", "1"}, Words{"--rows", "50"}}) {
    Words before{program("gpdb")}, behind{program("gpdb"), "--small"};
    before.insert(before.end(), sizes.begin(), sizes.end());
    before.push_back("--small");
    behind.insert(behind.end(), sizes.begin(), sizes.end());
    const Outcome one = call(before), other = call(behind), without = call({program("gpdb"), "--small"});
    EXPECT_EQ(one.status, 0) << one.output;
    EXPECT_EQ(one.output, other.output);
    EXPECT_NE(one.output, without.output);
  }
}

// --ddio: lines of a conventional log rest in the host's cache, where nothing is merged; and a recovery still undoes.
TEST_F(GpmSizes, DdioStaysOnWhereAMeasurementSaysSo) {
  const auto on_optane = [&](const Words& words) {
    Words all{EW_PROGRAM,           "run", "-m",    "titan-rtx-optane", "--set", "sm.count=2", "--set",
              "nvm.line_merge=363", "--",  words[0]};
    all.insert(all.end(), words.begin() + 1, words.end());
    const Outcome outcome = call(all);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    std::smatch match;
    EXPECT_TRUE(std::regex_search(outcome.output, match, std::regex("[a-z]+: ([0-9]+) ns"))) << outcome.output;
    return match.size() == 2 ? std::stod(match[1]) : 0;
  };
  const Words log{program("logging"), "--threads", "256", "--rounds", "1", "--share", "1"};
  Words with = log;
  with.push_back("--ddio");
  EXPECT_GT(on_optane(log), 5 * on_optane(with));
  ASSERT_EQ(call({program("gpkvs"), "--small", "--stop-before-commit", "--pool", "pool"}).status, 0);
  on_optane({program("gpkvs"), "--recover", "pool", "--ddio"});
}

TEST_F(GpmSizes, ALogOfAnotherShapeIsRefused) {
  for (const char* name : {"gpkvs", "gpdb"}) {
    Words words{program(name), "--small", "--stop-before-commit"};
    const bool rows = name == std::string("gpdb");
    if (rows) words.insert(words.end(), {"--update", "1"});
    Words larger = words;
    larger.insert(larger.end(), {rows ? "--rows" : "--pairs", rows ? "40000" : "1000"});
    words.insert(words.end(), {"--pool", "pool"});
    larger.insert(larger.end(), {"--pool", "larger"});
    ASSERT_EQ(call(words).status, 0);
    ASSERT_EQ(call(larger).status, 0);
    fs::copy_file(folder_ + "/larger.log", folder_ + "/pool.log", fs::copy_options::overwrite_existing);
    const Outcome outcome = call({program(name), "--recover", "pool"});
    EXPECT_EQ(outcome.status, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("pool.log should be a log of "), std::string::npos) << outcome.output;
  }
}

const auto name_of = [](const auto& test) { return std::string(test.param); };
INSTANTIATE_TEST_SUITE_P(Library, GpmPrograms, testing::ValuesIn(libraries), name_of);
INSTANTIATE_TEST_SUITE_P(Bench, GpmPrograms, testing::ValuesIn(benchmarks), name_of);
INSTANTIATE_TEST_SUITE_P(Nine, GpmBenchmarks, testing::ValuesIn(benchmarks), name_of);

// The file of a log or of checkpoints, as `ew pool` sees it: whole, cut off in its creation, of another version.
class GpmFiles : public GpmPrograms {
 protected:
  // Writes bytes of the pool: behind the page that is the pool's own header.
  void poke(const std::string& file, std::streamoff at, const std::string& bytes) const {
    std::fstream stream(folder_ + "/" + file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(4096 + at);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(stream.flush());
  }
  std::string pool(const std::string& word, const std::string& file, int status) {
    const Outcome outcome = call({EW_PROGRAM, "pool", word, file});
    EXPECT_EQ(outcome.status, status) << outcome.output;
    return outcome.output;
  }
};

TEST_P(GpmFiles, AreToldAndJudged) {
  ASSERT_EQ(call({program(GetParam()), "--small", "--pool", "pool"}).status, 0);
  const std::string told = pool("info", "pool", 0);
  const bool log = std::string(GetParam()) != "checkpoints";
  EXPECT_NE(told.find(log ? "a log of libGPM, version 3" : "a checkpoint file of libGPM, version 3"), told.npos)
      << told;
  const std::map<std::string, std::string> holds = {
      {"hcl_log", "HCL, 2 blocks of 40 threads\ncapacity: 36 bytes for each thread\nin use: 0 bytes"},
      {"conv_log",
       "conventional, 2 partitions\ncapacity: 216 bytes for each partition\nin use: 216 bytes of entries in 1 "
       "partitions"},
      {"checkpoints", "    0         3    368            4                0"}};
  EXPECT_NE(told.find(holds.at(GetParam())), told.npos) << told;
  pool("check", "pool", 0);

  poke("pool", 8, std::string(1, 7));  // the version
  EXPECT_NE(pool("check", "pool", 1).find("of another version"), std::string::npos);
  EXPECT_EQ(call({program(GetParam()), "--recover", "pool"}).status, 1);
  poke("pool", 8, std::string(1, 3));
  pool("check", "pool", 0);
  poke("pool", log ? 28 : 16, std::string(4, '\x7f'));  // words of a partition, elements of a group
  EXPECT_NE(pool("check", "pool", 1).find("damaged header"), std::string::npos);
  EXPECT_EQ(call({program(GetParam()), "--recover", "pool"}).status, 1);
  poke("pool", 0, std::string(8, 0));  // a creation that was cut off leaves no magic
  EXPECT_EQ(call({program(GetParam()), "--recover", "pool"}).output.find("was not created yet") == std::string::npos,
            false);
}

TEST_P(GpmFiles, DamagedHeadsAndTablesAreRefused) {
  const bool log = std::string(GetParam()) != "checkpoints";
  ASSERT_EQ(call({program(GetParam()), "--small", "--pool", "pool"}).status, 0);
  poke("pool", log ? 256 : 384, std::string(8, '\x7f'));  // the first head; the first element's offset
  const std::string what = log ? "has a damaged head" : "has a damaged table";
  EXPECT_NE(pool("check", "pool", 1).find(what), std::string::npos);
  const Outcome outcome = call({program(GetParam()), "--recover", "pool"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.output.find("_open: pool " + what), std::string::npos) << outcome.output;
}
INSTANTIATE_TEST_SUITE_P(Library, GpmFiles, testing::ValuesIn(libraries), name_of);

// The inputs of the study that no preset has: levels of one size, and a checkpoint without a step.
TEST_P(GpmFiles, TheStudysInputsDoWhatTheySay) {
  if (std::string(GetParam()) != "checkpoints") GTEST_SKIP() << "once is enough";
  Outcome outcome = call({program("bfs"), "--width", "7", "--height", "20", "--sources", "20", "--pool", "pool"});
  EXPECT_NE(outcome.output.find("140 nodes"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find(" 7 levels"), std::string::npos) << outcome.output;
  EXPECT_EQ(call({program("bfs"), "--recover", "pool"}).status, 0);
  outcome = call({program("bfs"), "--width", "7", "--height", "20", "--sources", "21"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.output.find("at most as many as it has rows"), std::string::npos) << outcome.output;
  for (const std::string name : sharing) {
    outcome = call({program(name), "--small", "--iterations", "0", "--pool", "pool"});
    EXPECT_NE(outcome.output.find("0 steps, 1 checkpoints"), std::string::npos) << outcome.output;
    outcome = call({program(name), "--recover", "pool"});
    EXPECT_NE(outcome.output.find("recovered from checkpoint 1 of 1"), std::string::npos) << outcome.output;
  }
  EXPECT_EQ(call({program("cpu_kvs"), "--small", "--pool", "pool"}).status, 0);
  EXPECT_EQ(call({program("cpu_kvs"), "--pairs", "9", "--sets", "1"}).status, 2) << "no room";
}

// Table 4 of the paper follows from these bytes: a SET makes 52 durable, an inserted row 28 (36 if the host persists
// whole tablets), an updated row 36.
TEST_P(GpmFiles, TransactionsMakeThePublishedBytesDurable) {
  if (std::string(GetParam()) != "checkpoints") GTEST_SKIP() << "once is enough";
  const auto of_a_batch = [&](const Words& words) {
    double bytes[2];
    for (const int batches : {0, 1}) {
      Words call_of{EW_PROGRAM,
                    "run",
                    "-m",
                    "titan-rtx-optane",
                    "--set",
                    "sm.count=2",
                    "--stats",
                    "s.json",
                    program(words[0]),
                    "--batches",
                    std::to_string(batches),
                    "--pool",
                    "pool"};
      call_of.insert(call_of.end(), words.begin() + 1, words.end());
      EXPECT_EQ(call(call_of).status, 0);
      std::ifstream file(folder_ + "/s.json");
      bytes[batches] = nlohmann::json::parse(file)["timing"]["durable.bytes"];
    }
    return bytes[1] - bytes[0];
  };
  constexpr double rows = 4096;  // four tablets
  EXPECT_NEAR(of_a_batch({"gpkvs", "--pairs", "512"}) / 512, 52, 0.5);
  EXPECT_NEAR(of_a_batch({"gpdb", "--rows", "4096"}) / rows, 28, 0.1);
  EXPECT_NEAR(of_a_batch({"gpdb", "--rows", "4096", "--system", "CAP-mm"}) / rows, 36, 0.1);
  EXPECT_NEAR(of_a_batch({"gpdb", "--update", "1", "--rows", "4096", "--system", "CAP-mm"}) / rows, 36, 0.1);
  const double updates = of_a_batch({"gpdb", "--update", "1", "--rows", "4096"}) - 16;  // the state, twice
  EXPECT_EQ(std::fmod(updates, 36), 0) << updates;
  EXPECT_NEAR(updates / 36, rows / 20, 60);
}

// Batches of GETs between those of SETs: what was set last is found, before a crash and behind it.
TEST_P(GpmFiles, GetsAreBatchesOfTheirOwn) {
  if (std::string(GetParam()) != "checkpoints") GTEST_SKIP() << "once is enough";
  const Words words = {program("gpkvs"), "--pairs", "300", "--sets", "100", "--gets", "80", "--batches", "11"};
  for (const std::string system : {"GPM", "GPM-NDP", "CAP-mm"}) {
    Words whole = words;
    whole.insert(whole.end(), {"--pool", "pool", "--system", system});
    EXPECT_NE(call(whole).output.find("11 batches of 300 requests"), std::string::npos);
  }
  Words stopped = words;
  stopped.insert(stopped.end(), {"--pool", "pool", "--stop-before-commit"});
  EXPECT_EQ(call(stopped).status, 0);
  const Outcome outcome = call({program("gpkvs"), "--recover", "pool", "--resume"});
  EXPECT_NE(outcome.output.find("2 of 3 batches of SETs were committed"), std::string::npos) << outcome.output;
}

// The published programs' steps give the same results. They are for measurements alone.
TEST_P(GpmFiles, PublishedStepsGiveTheSameResults) {
  if (std::string(GetParam()) != "checkpoints") GTEST_SKIP() << "once is enough";
  for (const std::string system : {"GPM", "CAP-mm"}) {
    EXPECT_EQ(call({program("gpkvs"), "--small", "--published", "1", "--pool", "pool", "--system", system}).status, 0);
    EXPECT_EQ(
        call({program("gpdb"), "--small", "--update", "1", "--published", "1", "--pool", "db", "--system", system})
            .status,
        0);
  }
  for (const std::string name : {"srad", "bfs"}) {
    for (const std::string system : {"GPM", "GPM-NDP", "CAP-mm"})
      EXPECT_EQ(call({program(name), "--small", "--published", "1", "--pool", name, "--system", system}).status, 0);
    const Outcome recovery = call({program(name), "--recover", name, "--system", "CAP-mm"});
    EXPECT_EQ(recovery.status, 2);
    EXPECT_NE(recovery.output.find("of a run with --published 1"), std::string::npos) << recovery.output;
  }
  const Outcome updates = call({program("gpdb"), "--recover", "db", "--system", "CAP-mm"});
  EXPECT_EQ(updates.status, 2);
  EXPECT_NE(updates.output.find("whose log is not in our order"), std::string::npos) << updates.output;
  EXPECT_EQ(call({program("gpkvs"), "--small", "--published", "1", "--pool", "pool"}).status, 0);
  const Outcome recovery = call({program("gpkvs"), "--recover", "pool"}),
                inserts = call({program("gpdb"), "--published", "1"});
  EXPECT_EQ(recovery.status, 2);
  EXPECT_NE(recovery.output.find("whose order of stores cannot be recovered"), std::string::npos) << recovery.output;
  EXPECT_EQ(inserts.status, 2);
  EXPECT_NE(inserts.output.find("is expected with --update 1"), std::string::npos) << inserts.output;
}

// Threads of the host alone, traced: killed at moments of simulated time.
TEST_P(GpmFiles, ProgramsOfTheCpuRecover) {
  if (std::string(GetParam()) != "checkpoints") GTEST_SKIP() << "once is enough";
  for (const Words& words : std::initializer_list<Words>{
           {"cpu_bfs"}, {"cpu_srad"}, {"cpu_ps"}, {"cpu_gpdb"}, {"cpu_gpdb", "--update", "1", "--rows", "200"}}) {
    const std::string name = program(words[0]);
    Words call_of{EW_PROGRAM, "crash",  "-m",      "titan-rtx-optane", "--at", "random",    "--count",
                  "10",       "--seed", "2",       "--cold",           "2",    "--recover", name + " --recover pool",
                  "--",       name,     "--small", "--pool",           "pool"};
    call_of.insert(call_of.end(), words.begin() + 1, words.end());
    const Outcome outcome = call(call_of);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("10 crashes, 10 recovered"), std::string::npos) << outcome.output;
  }
  const Outcome published = call({program("cpu_bfs"), "--small", "--published", "1", "--pool", "pool"});
  EXPECT_EQ(published.status, 0) << published.output;
  EXPECT_EQ(call({program("cpu_bfs"), "--recover", "pool"}).status, 2);
}

std::set<long> planted_in(const std::string& file) {
  std::stringstream source;
  source << std::ifstream(EW_WORKLOADS "/gpm/" + file).rdbuf();
  const std::string text = source.str();
  const std::regex place("BUG [!=]= ([0-9]+)");
  std::set<long> numbers;
  for (std::sregex_iterator match(text.begin(), text.end(), place), end; match != end; ++match)
    if (std::stol((*match)[1]) != 0) numbers.insert(std::stol((*match)[1]));
  return numbers;
}

TEST(GpmProgramsAlone, TheTableOfPlantedBugsIsThatOfTheSources) {
  std::map<std::string, std::set<long>> listed, planted;
  const toml::table table = toml::parse_file(EW_WORKLOADS "/gpm/bugs.toml");
  for (const toml::node& row : *table["bug"].as_array()) {
    const toml::table& bug = *row.as_table();
    EXPECT_FALSE(std::string(bug["says"].value_or("")).empty()) << bug;
    EXPECT_TRUE(listed[bug["program"].value_or("")].insert(bug["number"].value_or(0)).second) << bug;
  }
  for (const char* program : libraries) planted[program] = planted_in(std::string(program) + ".cu");
  for (const char* program : benchmarks) planted[program] = planted_in(std::string(program) + ".cu");
  for (const char* program : sharing) planted[program] = planted_in(shared_header);
  EXPECT_EQ(listed, planted);
  for (const char* program : benchmarks) EXPECT_GE(planted[program].size(), 3u) << program;
}

// One bug of each way to write libGPM's files wrongly; `ew test --filter planted_bugs` tries all.
TEST(GpmProgramsAlone, WrongOrdersInTheLibrarysFilesAreFound) {
  const Outcome outcome =
      run({EW_WORKLOADS "/sbrp/check-bugs", EW_PROGRAM, EW_WORKLOADS "/gpm", "hcl_log-1", "checkpoints-1", "gpkvs-2"},
          {.capture = Capture::both, .timeout_seconds = 300, .no_input = true});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("3 planted bugs found"), std::string::npos) << outcome.output;
}

}  // namespace
}  // namespace ew::cli
