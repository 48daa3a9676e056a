// `ew crash` on the key-value store of workloads/sbrp: the process is killed for good at random instructions and what
// it left is recovered; with a planted bug (the undo log is written after the data) the campaign must find it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class Crash : public testing::Test {
 protected:
  Crash() {
    folder_ = testing::TempDir() + "/ew-crash-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Crash() override { fs::remove_all(folder_); }

  Outcome call(const Words& words, Capture capture = Capture::both) {
    return run(words, {.capture = capture, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  void build_store(const Words& options = {}) {
    Words words{EW_PROGRAM, "build", "-O2", EW_WORKLOADS "/sbrp/gpkvs.cu", "-o", "gpkvs"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = call(words);
    ASSERT_EQ(outcome.status, 0) << outcome.output;
  }
  /// A campaign over a small store, as JSON.
  nlohmann::json campaign(const std::string& count, const std::string& recovery, int status) {
    const Outcome outcome =
        call({EW_PROGRAM, "crash", "--at", "random", "--count", count, "--seed", "3", "--json", "--recover", recovery,
              "--", "./gpkvs", "--pairs", "2048", "--batches", "4", "--pool", "kvs.pool"},
             Capture::standard_output);
    EXPECT_EQ(outcome.status, status) << outcome.output;
    return nlohmann::json::parse(outcome.output, nullptr, false);
  }

  std::string folder_;
};

TEST_F(Crash, EveryCrashIsRecoveredAndTheWorkFinished) {
  build_store();
  const auto report = campaign("25", "./gpkvs --recover kvs.pool --resume", 0);
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["crashes"], 25);
  EXPECT_EQ(report["killed"], 25);  // each for real
  EXPECT_EQ(report["failed"], 0);
  unsigned undone = 0;  // a crash inside a batch leaves something to undo
  for (const auto& trial : report["trials"]) {
    EXPECT_EQ(trial["result"], "recovered");
    undone += trial["says"].get<std::string>().find(" 0 pairs undone") == std::string::npos;
  }
  EXPECT_GT(undone, 5u);
}

TEST_F(Crash, ALogWrittenAfterTheDataIsFound) {
  build_store({"-DBUG=1"});
  const auto report = campaign("25", "./gpkvs --recover kvs.pool", 1);
  ASSERT_TRUE(report.is_object());
  EXPECT_GT(report["failed"], 0);
  // The command that the report gives does it again.
  for (const auto& trial : report["trials"]) {
    if (trial["passed"]) continue;
    const Outcome again = call({EW_PROGRAM, "crash", "--at", "instruction", trial["instruction"].dump(), "--recover",
                                "./gpkvs --recover kvs.pool", "--", "./gpkvs", "--pairs", "2048", "--batches", "4",
                                "--pool", "kvs.pool"});
    EXPECT_EQ(again.status, 1) << again.output;
    EXPECT_NE(again.output.find("should hold a value of one of"), std::string::npos) << again.output;
    break;
  }
}

// The same source is a program for a real GPU.
TEST_F(Crash, NvccCompilesTheStore) {
  const std::string nvcc = "/usr/local/cuda/bin/nvcc";
  if (!fs::exists(nvcc)) GTEST_SKIP() << "no CUDA SDK here";
  const Outcome outcome = call({nvcc, "-std=c++17", "-arch=sm_80", "-I", EW_INCLUDE_FOLDER, "-c",
                                EW_WORKLOADS "/sbrp/gpkvs.cu", "-o", "gpkvs.o"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

}  // namespace
}  // namespace ew::cli
