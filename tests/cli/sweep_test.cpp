// `ew sweep`: every point of the product once, mistakes before any run, a killed sweep goes on, failures are kept.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "core/configuration.hpp"
#include "core/files.hpp"
#include "process/run.hpp"
#include "report/csv.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const Words four_points{"-m", "titan-rtx", "--set", "l1.bytes=16KiB,32KiB", "--set", "coherence.protocol=gpu,mesi"};

class SweepCommand : public testing::Test {
 protected:
  SweepCommand() {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("ew-sweep-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    // A small program under a name of its own, so that a test can change it; its words come back on the output.
    write_program("app", "echo words: \"$@\"\nexec " EW_BUILT_WORKLOADS "/cuda/transpose\n");
  }
  ~SweepCommand() override { fs::remove_all(folder_); }

  void write_program(const std::string& name, const std::string& text) const {
    core::write_file(folder_ / name, "#!/bin/sh\n" + text);
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  Words words_of(const Words& options, const Words& program = {"./app"}) const {
    Words words{EW_PROGRAM, "sweep", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return words;
  }
  Outcome sweep(const Words& options, const Words& program = {"./app"}, Capture capture = Capture::both) const {
    return run(words_of(options, program),
               {.capture = capture, .directory = folder_.string(), .timeout_seconds = 120, .no_input = true});
  }
  nlohmann::json result(const Words& options, const Words& program = {"./app"}) const {
    Words words = options;
    words.push_back("--json");
    const Outcome outcome = sweep(words, program, Capture::standard_output);
    auto json = nlohmann::json::parse(outcome.output, nullptr, false);
    EXPECT_TRUE(json.is_object()) << outcome.output;
    return json;
  }
  std::set<std::string> runs() const {
    std::set<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_ / "out/runs", error))
      if (!entry.path().filename().string().starts_with('.')) names.insert(entry.path().filename().string());
    return names;
  }
  std::string text_of(const std::string& file) const { return core::content_of(folder_ / file); }

  fs::path folder_;
};

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(SweepCommand, MakesEachPointOfTheProductOnce) {
  const auto json = result(four_points + Words{"--arg", "n=1,2", "--seeds", "2", "--metric", "time", "--metric",
                                               "l1.hit_rate", "--metric", "l1.loads + l2.reads"},
                           {"./app", "--n={n}", "{n}"});
  ASSERT_EQ(json["runs"].size(), 16u);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(runs().size(), 16u);
  std::set<std::string> points;
  for (const auto& one : json["runs"]) {
    points.insert(one["at"].dump());
    EXPECT_GT(one["metrics"]["time"], 1000) << one;
    EXPECT_TRUE(one["metrics"]["l1.hit_rate"].is_number()) << one;
    EXPECT_GT(one["metrics"]["l1.loads + l2.reads"], 1000) << one;
    EXPECT_NE(one["command"].get<std::string>().find("app --n=" + one["at"]["n"].get<std::string>()),
              std::string::npos);
    const std::string said = text_of("out/runs/" + one["run"].get<std::string>() + "/output.txt");
    EXPECT_NE(said.find("words: --n="), std::string::npos) << said;
  }
  EXPECT_EQ(points.size(), 16u);
  // A line a run, sizes as numbers, every figure that was counted.
  const auto lines = report::csv_lines(text_of("out/sweep.csv"), "sweep.csv");
  ASSERT_EQ(lines.size(), 17u);
  EXPECT_EQ(
      (std::vector(lines[0].cells.begin(), lines[0].cells.begin() + 8)),
      (std::vector<std::string>{"run", "status", "machine", "l1.bytes", "coherence.protocol", "n", "seed", "time"}));
  EXPECT_EQ((std::vector(lines[1].cells.begin() + 1, lines[1].cells.begin() + 7)),
            (std::vector<std::string>{"ok", "titan-rtx", "16384", "gpu", "1", "0"}));
  EXPECT_GT(lines[0].cells.size(), 200u);
  for (const auto& line : lines) EXPECT_EQ(line.cells.size(), lines[0].cells.size());
  const std::string page = text_of("out/sweep.html");
  EXPECT_NE(page.find("id=\"chart-1\""), page.npos);
  EXPECT_NE(page.find("\"x\":\"l1.bytes\""), page.npos);
}

TEST_F(SweepCommand, TellsAllMistakesBeforeAnyRun) {
  const Outcome outcome =
      sweep({"-m", "titan-rtz,a100-80gb", "--set", "l1.bytez=1,2", "--set", "coherence.protocol=gpu,mesy", "--set",
             "l1.ways=[1,2", "--arg", "n=1,,2", "--arg", "m=1", "--metric", "tim", "--x", "l1.bits"},
            {"./ap", "{k}"});
  EXPECT_EQ(outcome.status, 2);
  for (const char* const part :
       {"\"titan-rtz\" (did you mean \"titan-rtx\"?)", "--set l1.bytez=1: unknown key in [l1]",
        "\"mesy\" (did you mean \"mesi\"?)", "--set l1.ways: a closing ] is missing", "--arg n: value 2 is empty",
        "--arg m: no word of the program has {m}", "./ap: no such program", "\"tim\" (did you mean \"time\"?)",
        "--x l1.bits: the sweep has no such axis"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
  // What is wrong for every value is told once.
  EXPECT_EQ(outcome.output.find("l1.bytez"), outcome.output.rfind("l1.bytez=")) << outcome.output;
  EXPECT_FALSE(fs::exists(folder_ / "out"));

  const Outcome together = sweep({"--timing", "--set", "l1.bytes=16KiB,32KiB", "--set", "l1.ways=4,7"});
  EXPECT_EQ(together.status, 2);
  EXPECT_NE(together.output.find("l1.ways=7: l1.ways should divide the 128 lines"), std::string::npos)
      << together.output;
  EXPECT_NE(together.output.find("in the run default, l1.bytes=16KiB, l1.ways=7"), std::string::npos);
  EXPECT_EQ(sweep({"--set", "l1.ways=4,4"}).status, 2);
  EXPECT_EQ(sweep({"--set", "l1.ways=4", "--set", "l1.ways=8"}).status, 2);
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

// All points of a sweep over keys of another model would be one machine.
TEST_F(SweepCommand, RefusesAKeyThatNoRunReads) {
  const Outcome outcome = sweep({"--timing", "--set", "mesh.hop=1,2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.output.find("--set mesh.hop: no run of this sweep reads it: [mesh] is read where network.kind is "
                                "\"mesh\", but it is \"crossbar\""),
            std::string::npos)
      << outcome.output;
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  EXPECT_EQ(
      sweep({"--timing", "--set", "sm.count=2", "--set", "mesh.hop=1,2", "--set", "network.kind=crossbar,mesh"}).status,
      0)
      << "half of the runs read it";

  const Outcome one = run({EW_PROGRAM, "run", "--timing", "--set", "mesh.hop=2", "--", "./app"},
                          {.capture = Capture::both, .directory = folder_.string(), .timeout_seconds = 120});
  EXPECT_EQ(one.status, 0);
  EXPECT_NE(one.output.find("ew run: --set mesh.hop=2 changes nothing: [mesh] is read where"), std::string::npos)
      << one.output;
  for (const char* setting : {"DD", "coherence.protocol=denovo", "consistency.model=hrf"}) {
    const Outcome functional = run({EW_PROGRAM, "run", "--functional", "--set", setting, "--", "./app"},
                                   {.capture = Capture::both, .directory = folder_.string(), .timeout_seconds = 120});
    EXPECT_NE(functional.output.find(std::string("ew run: --set ") + setting + " changes nothing: in functional mode"),
              std::string::npos)
        << functional.output;
  }
}

TEST_F(SweepCommand, ValuesMayHoldCommasInBracketsAndQuotes) {
  const auto json =
      result({"--set", "launch.block_limit=[1024,1024,64],[512,512,64]", "--arg", "list='1,2',\"3\"", "--dry-run"},
             {"./app", "{list}"});
  ASSERT_EQ(json["runs"].size(), 4u);
  EXPECT_EQ(json["runs"][0]["at"]["launch.block_limit"], "[1024,1024,64]");
  EXPECT_EQ(json["runs"][0]["at"]["list"], "1,2");
  EXPECT_EQ(json["runs"][3]["at"]["list"], "3");
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(SweepCommand, AFileSaysTheSame) {
  core::write_file(folder_ / "four.toml", R"(program = "./app {n}"
machines = ["titan-rtx"]
seeds = [0]
metrics = ["time"]
[settings]
"l1.bytes" = ["16 KiB", "32 KiB"]
coherence.protocol = ["gpu", "mesi"]
sm.count = 8
[arguments]
n = [1, "a b"]
)");
  const auto of_file = [&](const Words& more) {
    const Outcome outcome = run(Words{EW_PROGRAM, "sweep", "--dry-run", "--json"} + more,
                                {.capture = Capture::standard_output, .directory = folder_.string()});
    return nlohmann::json::parse(outcome.output, nullptr, false);
  };
  const auto json = of_file({"four.toml"});
  ASSERT_EQ(json["runs"].size(), 8u);
  EXPECT_EQ(json["runs"][1]["at"].dump(), R"({"coherence.protocol":"gpu","l1.bytes":"16 KiB","machine":"titan-rtx",)"
                                          R"("n":"a b","seed":"0","sm.count":"8"})");
  EXPECT_TRUE(json["folder"].get<std::string>().ends_with("sweep-four"));
  // A word that is {n} alone is as many words as its value; words of the command replace those of the file.
  EXPECT_TRUE(json["runs"][1]["command"].get<std::string>().ends_with("app a b")) << json["runs"][1];
  EXPECT_EQ(of_file({"--set", "sm.count=2,4,8", "four.toml"})["runs"].size(), 24u);

  core::write_file(folder_ / "bad.toml",
                   "program = \"./app\"\nmachines = [\"titan-rtx\"]\nseeds = [\"x\"]\nmetriks = 1\n"
                   "[settings]\nl1.bytes = []\n");
  const Outcome bad = run({EW_PROGRAM, "sweep", "bad.toml"}, {.capture = Capture::both, .directory = folder_.string()});
  EXPECT_EQ(bad.status, 2);
  for (const char* const part : {"bad.toml:3: seeds should be whole numbers", "bad.toml:4: unknown key of a sweep",
                                 "did you mean \"metrics\"?", "bad.toml:6: l1.bytes has no value"})
    EXPECT_NE(bad.output.find(part), std::string::npos) << part << "\n" << bad.output;
}

TEST_F(SweepCommand, KeepsWhatFailedAndGoesOn) {
  write_program(
      "app",
      "[ $1 != 2 ] || { for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; done; exit 5; }\nexec " EW_BUILT_WORKLOADS
      "/cuda/transpose\n");
  const Words options{"-m", "titan-rtx", "--arg", "n=1,2,3"}, program{"./app", "{n}"};
  const Outcome outcome = sweep(options, program);
  EXPECT_EQ(outcome.status, 1);
  for (const char* const part : {"FAIL titan-rtx, n=2: ended with status 5", "again: ew run --machine titan-rtx -- ",
                                 "line 12", "FAIL: 1 of 3 runs failed", "out/sweep.csv", "out/failed"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
  EXPECT_EQ(outcome.output.find("line 2\n"), std::string::npos);
  EXPECT_EQ(runs().size(), 2u);
  const auto json = nlohmann::json::parse(text_of("out/sweep.json"));
  EXPECT_EQ(json["runs"][1]["exit_status"], 5);
  EXPECT_NE(core::content_of(json["runs"][1]["all_output"].get<std::string>()).find("line 2\n"), std::string::npos);
  EXPECT_NE(text_of("out/sweep.html").find("1 runs failed"), std::string::npos);
}

TEST_F(SweepCommand, SaysThatItWritesAnEarlierOneAnew) {
  const Words options{"-m", "titan-rtx", "--functional"};
  const auto says_so = [&](const Words& more) {
    const Outcome outcome = sweep(options + more);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    return outcome.output.find(
               "/out/sweep.csv of an earlier sweep is written anew; --out names another "
               "folder\n") != std::string::npos;
  };
  EXPECT_FALSE(says_so({}));
  EXPECT_TRUE(says_so({}));
  EXPECT_FALSE(says_so({"--resume"})) << "it is the same sweep, which goes on";
}

TEST_F(SweepCommand, AKilledOneGoesOnAndOnlyWhatChangedIsMadeAnew) {
  const Words options = four_points + Words{"--seeds", "4", "-j", "2"};
  ASSERT_EQ(result(options)["failed"], 0);
  // Without the wall time, which no two runs share.
  const auto figures = [&] {
    std::string text;
    for (auto line : report::csv_lines(text_of("out/sweep.csv"), "")) {
      line.cells[7] = "";
      for (const std::string& cell : line.cells) text += cell + ",";
      text += "\n";
    }
    return text;
  };
  const std::string whole = figures();
  fs::remove_all(folder_ / "out");

  Words words = words_of(options);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder_.c_str()) == 0) execv(EW_PROGRAM, arguments.data());
    _exit(127);
  }
  for (int i = 0; i < 4000 && runs().size() < 3; ++i) std::this_thread::sleep_for(5ms);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  const std::set<std::string> kept = runs();
  EXPECT_GE(kept.size(), 3u);
  EXPECT_LT(kept.size(), 16u);
  std::map<std::string, fs::file_time_type> written;
  for (const std::string& name : kept) written[name] = fs::last_write_time(folder_ / "out/runs" / name / "env.json");

  const auto json = result(options + Words{"--resume"});
  EXPECT_EQ(json["taken"], kept.size());
  for (const auto& [name, time] : written)
    EXPECT_EQ(fs::last_write_time(folder_ / "out/runs" / name / "env.json"), time) << name;
  EXPECT_EQ(figures(), whole);
  EXPECT_EQ(result(options + Words{"--resume"})["taken"], 16);

  // Another program of the same name, and another machine of the same name.
  write_program("app", "exec " EW_BUILT_WORKLOADS "/cuda/transpose # changed\n");
  EXPECT_EQ(result(options + Words{"--resume"})["taken"], 0);
  fs::copy_file(core::home_directory() / "machines/titan-rtx.toml", folder_ / "mine.toml");
  const Words mine{"-m", "mine.toml", "--seeds", "2", "--resume"};
  EXPECT_EQ(result(mine)["taken"], 0);
  EXPECT_EQ(result(mine)["taken"], 2);
  std::ofstream(folder_ / "mine.toml", std::ios::app) << "\n[network]\njitter = 1\n";
  EXPECT_EQ(result(mine)["taken"], 0);
}

}  // namespace

}  // namespace ew::cli
