// `ew crash --nested 2`: recoveries are crashed, too. A recovery that is right as long as it comes to its end, and
// wrong when it must be run twice, is found in every kind of campaign, only with --nested 2, and the command of the
// report brings it back.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class CrashNested : public testing::Test {
 protected:
  CrashNested() {
    folder_ = testing::TempDir() + "/ew-crash-nested-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CrashNested() override { fs::remove_all(folder_); }

  Outcome call(const Words& words, Capture capture = Capture::both) {
    return run(words, {.capture = capture, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  void build(const Words& what) {
    Words words{EW_PROGRAM, "build", "-O2"};
    words.insert(words.end(), what.begin(), what.end());
    const Outcome outcome = call(words);
    ASSERT_EQ(outcome.status, 0) << outcome.output;
  }
  Outcome crash(const Words& options, const Words& program, Capture capture = Capture::both) {
    Words words{EW_PROGRAM, "crash"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), program.begin(), program.end());
    return call(words, capture);
  }
  nlohmann::json report(Words options, const Words& program, int status) {
    options.emplace_back("--json");
    const Outcome outcome = crash(options, program, Capture::standard_output);
    EXPECT_EQ(outcome.status, status) << outcome.output;
    return nlohmann::json::parse(outcome.output, nullptr, false);
  }

  std::string folder_;
};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// gpkvs, bug 8: the recovery takes an entry off its log before it has put the old pair back.
TEST_F(CrashNested, ARecoveryThatCannotBeRunTwiceIsFoundInEveryKindOfCampaign) {
  build({"-DBUG=8", EW_WORKLOADS "/sbrp/gpkvs.cu", "-o", "gpkvs"});
  const Words program{"--recover", "./gpkvs --recover p.pool", "--", "./gpkvs", "--small", "--pool", "p.pool"};
  const Words timing{"--machine", "sbrp-pm-far", "--timing"};
  const struct {
    Words campaign, at;  // of all, and of one
  } kinds[] = {{{"--at", "random", "--count", "6", "--seed", "3"}, {"--at", "instruction"}},
               {with(timing, {"--at", "random", "--count", "20", "--cold", "4"}), with(timing, {"--at", "cycle"})}};
  for (const auto& [campaign, at] : kinds) {
    EXPECT_EQ(report(campaign, program, 0)["failed"], 0);
    const auto found = report(with(campaign, {"--nested", "2"}), program, 1);
    ASSERT_TRUE(found.is_object());
    bool again = false;
    for (const auto& trial : found["trials"]) {
      if (trial["passed"]) continue;
      ASSERT_GT(trial["nested_at"], 0) << trial.dump(2);
      const std::string point =
          at.back() == "cycle" ? trial["at"].get<std::string>().substr(6) : trial["instruction"].dump();
      const Words one = with(at, {point});
      EXPECT_EQ(report(one, program, 0)["failed"], 0);
      const auto twice = report(with(one, {"--nested", "2", "--nested-at", trial["nested_at"].dump()}), program, 1);
      EXPECT_EQ(twice["trials"][0]["says"], trial["says"]);
      EXPECT_EQ(twice["trials"][0]["nested"], 1);
      again = true;
      break;
    }
    EXPECT_TRUE(again) << found.dump(2);
  }
}

TEST_F(CrashNested, TheReportOfAModelsStatesNamesTheRecoverysStateAndPlace) {
  build({"-DBUG=8", EW_WORKLOADS "/sbrp/gpkvs.cu", "-o", "gpkvs"});
  const Words program{"--recover", "./gpkvs --recover p.pool", "--", "./gpkvs", "--small", "--pool", "p.pool"};
  const Words campaign{"--states", "model", "--count", "60", "--cold", "5"};
  EXPECT_EQ(report(campaign, program, 0)["failed"], 0);
  const auto found = report(with(campaign, {"--nested", "2"}), program, 1);
  ASSERT_TRUE(found.is_object() && !found["failures"].empty()) << found.dump(2);
  const auto failure = found["failures"][0];
  EXPECT_EQ(failure["class"], "recovery bug");
  EXPECT_GT(found["nested_failed"], 0);
  EXPECT_EQ(found["nested_failed"], found["failed"]);
  const std::string state = failure["state"], nested = failure["nested_state"], says = failure["says"];
  EXPECT_NE(says.find("gpkvs.cu:1"), std::string::npos) << says;  // where the recovery was
  const Words one = with(campaign, {"--state", state});
  EXPECT_EQ(report(one, program, 0)["failed"], 0);
  const auto again = report(with(one, {"--nested", "2", "--nested-at", nested}), program, 1);
  EXPECT_EQ(again["failures"][0]["says"], failure["says"]);
}

// Two cells are to be equal. The recovery copies one to the other, says that it is done and believes that later:
// without a fence the word may be durable before the copy, which no crash of a run in order shows.
TEST_F(CrashNested, ARecoveryThatLacksAFenceIsFoundUnderAModel) {
  std::ofstream(folder_ + "/mend.cu") << R"(#include <everwarp/gpm.cuh>
#include <everwarp/persist.cuh>
#include <cstring>
__global__ void put(int* cells) {
  cells[0] = 7;
  ofence();
  cells[32] = 7;
}
__global__ void mend(int* cells) {
  cells[32] = cells[0];
#ifdef FENCE
  ofence();
#endif
  cells[64] = 1;
}
int main(int argc, char** argv) {
  const bool recover = argc > 1;
  if (recover && gpm_size("p.pool") == 0) return 0;
  int* cells = static_cast<int*>(gpm_map("p.pool", 4096, !recover));
  if (recover && cells[64] == 0)
    mend<<<1, 1>>>(cells);
  else if (!recover)
    put<<<1, 1>>>(cells);
  cudaDeviceSynchronize();
  return recover && cells[0] != cells[32];
}
)";
  const Words campaign{"--states", "model", "--cold", "2"};
  for (const bool fence : {true, false}) {
    build({fence ? "-DFENCE" : "-DNONE", "mend.cu", "-o", "mend"});
    const Words program{"--recover", "./mend recover", "--", "./mend"};
    EXPECT_EQ(report(campaign, program, 0)["failed"], 0);
    const auto found = report(with(campaign, {"--nested", "2"}), program, fence ? 0 : 1);
    ASSERT_TRUE(found.is_object());
    EXPECT_GT(found["nested"], 4);
    if (fence) continue;
    // Was called a recovery bug, for which no fence helps.
    const auto failure = found["failures"][0];
    EXPECT_EQ(failure["class"], "missing order") << failure.dump(2);
    EXPECT_EQ(failure["not_durable_at"], "mend.cu:10") << failure.dump(2);
    EXPECT_EQ(failure["durable_at"], "mend.cu:14") << failure.dump(2);
    EXPECT_EQ(failure["advice"], "in the recovery, insert ofence() between mend.cu:10 and mend.cu:14");
    // What is performed in order is recovered.
    EXPECT_EQ(report({"--at", "random", "--nested", "2"}, program, 0)["failed"], 0);
  }
}

// The recovery goes on outside of a persist region: nothing of it becomes durable before it ends, and it acknowledges
// all the same. It was crashed behind durable writes alone, of which there are none.
TEST_F(CrashNested, ARecoveryThatAcknowledgesTooMuchIsFoundBehindItsLastWriteInTime) {
  std::ofstream(folder_ + "/count.cu") << R"(#include <everwarp/gpm.cuh>
__global__ void put(unsigned* p, unsigned v) {
  *p = v;
  gpm_persist();
}
int main(int argc, char** argv) {
  const bool recover = argc > 1;
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = static_cast<unsigned*>(gpm_map("p.pool", recover ? 0 : 4096, !recover));
  if (recover && *p < gpm_acknowledged()) return 1;
#ifdef FORGETS
  if (!recover) gpm_persist_begin();
#else
  gpm_persist_begin();
#endif
  const unsigned first = *p + 1;
  for (unsigned v = first; v < first + 2; ++v) {
    put<<<1, 1>>>(p, v);
    cudaDeviceSynchronize();
    gpm_acknowledge(v);
  }
  return 0;
}
)";
  const Words campaign{"--machine", "titan-rtx-optane", "--timing", "--at", "random", "--count", "6", "--cold", "6"};
  for (const bool forgets : {false, true}) {
    build({forgets ? "-DFORGETS" : "-DNONE", "count.cu", "-o", "count"});
    const Words program{"--recover", "./count recover", "--", "./count"};
    EXPECT_EQ(report(campaign, program, 0)["failed"], 0);
    const auto found = report(with(campaign, {"--nested", "2"}), program, forgets ? 1 : 0);
    ASSERT_TRUE(found.is_object());
    EXPECT_GT(found["nested"], 0) << found.dump(2);
    EXPECT_EQ(found.dump().find("crashed right after its last acknowledgement") != std::string::npos, forgets);
    EXPECT_EQ(found.value("unlike", 0), 0) << found.dump(2);
  }
}

TEST_F(CrashNested, MistakesAreSentences) {
  build({EW_WORKLOADS "/sbrp/scan.cu", "-o", "scan"});
  const Words program{"--recover", "./scan --recover p.pool", "--", "./scan", "--small", "--pool", "p.pool"};
  const struct {
    Words options;
    const char* says;
  } mistakes[] = {
      {{"--at", "random", "--nested-at", "3"}, "--nested-at belongs to --nested 2"},
      {{"--at", "instruction", "400", "--nested", "2", "--nested-at", "x"}, "should be a whole number"},
      {{"--at", "instruction", "400", "--nested", "2", "--nested-at", "99999"}, "changes its pools only"},
      {{"--states", "model", "--count", "10", "--nested", "2", "--nested-at", "x"}, "no crash state \"x\""}};
  for (const auto& [options, says] : mistakes) {
    const Outcome outcome = crash(options, program);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(says), std::string::npos) << says << " in\n" << outcome.output;
  }
}

}  // namespace
}  // namespace ew::cli
