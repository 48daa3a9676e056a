// What `ew crash --states model --model gpm` says to programs of libGPM: small programs, each with one mistake, and the
// place and the call that the report names.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class CrashAdvice : public testing::Test {
 protected:
  CrashAdvice() {
    folder_ = testing::TempDir() + "/ew-crash-advice-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CrashAdvice() override { fs::remove_all(folder_); }

  Outcome call(const Words& words, Capture capture = Capture::both) {
    return run(words, {.capture = capture, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  void build(const std::string& text) {
    std::ofstream(folder_ + "/p.cu") << text;
    const Outcome built = call({EW_PROGRAM, "build", "-O2", "p.cu", "-o", "p"});
    ASSERT_EQ(built.status, 0) << built.output;
  }
  Words campaign(const std::string& how, const Words& options) {
    Words words{EW_PROGRAM, "crash", "--states", "model", "--model", "gpm"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--recover", "./p recover", "--", "./p", how});
    return words;
  }
  /// The whole report of a run with this argument.
  Outcome told(const std::string& how, const Words& options = {}) { return call(campaign(how, options)); }
  /// The first failure of a run with this argument. Its command must bring it back with the same output.
  nlohmann::json failure(const std::string& how, Words options = {}) {
    options.emplace_back("--json");
    const Outcome outcome = call(campaign(how, options), Capture::standard_output);
    EXPECT_EQ(outcome.status, 1) << outcome.output;
    const auto report = nlohmann::json::parse(outcome.output, nullptr, false);
    if (!report.is_object() || report["failures"].empty()) {
      ADD_FAILURE() << how << ": " << outcome.output;
      return nlohmann::json::object();
    }
    return report["failures"][0];
  }
  std::string advice(const std::string& how, const Words& options = {}) {
    const auto one = failure(how, options);
    return one.value("advice", one.dump(2));
  }
  static void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }

  std::string folder_;
};

// A block of 48 threads: its threads were numbered as if it had 64.
TEST_F(CrashAdvice, ThreadsAreNumberedAsCudaDoes) {
  build(R"(#include <everwarp/gpm.cuh>
__global__ void put(unsigned* p) {
  if (blockIdx.x == 1 && threadIdx.x == 5) {
    p[0] = 1;
    p[512] = 1;
  }
}
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover) return p[512] > p[0];
  gpm_persist_begin();
  put<<<2, 48>>>(p);
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  const auto found = failure("wrong");
  expect_in(found.value("durable", ""), {"p.cu:5: ", "by thread 5 of block 1 of launch 1"});
  EXPECT_EQ(found.value("advice", ""), "insert gpm_persist() between p.cu:4 and p.cu:5");
}

// The report had one number of states with the state in which there is no pool, and one without it.
TEST_F(CrashAdvice, TheCountsOfStatesAgree) {
  build(R"(#include <everwarp/gpm.cuh>
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover) return 0;
  p[0] = 1, p[512] = 1;
  gpm_persist_range(p, 4096);
})");
  const Outcome report = told("both");
  EXPECT_EQ(report.status, 0) << report.output;
  expect_in(report.output, {"exhaustive: all 4 states that 2 persists allow; and the state before the program has made",
                            "5 different of 5 states recovered", "5 states, 5 recovered, 0 failed"});
}

// What a recorded run wrote to its standard error was not shown when it was of no use.
TEST_F(CrashAdvice, AProgramsOutputIsShown) {
  build(R"(#include <everwarp/gpm.cuh>
#include <cstdio>
#include <unistd.h>
__global__ void spin(volatile unsigned* flag) { while (*flag == 0) {} }
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  fprintf(stderr, "on standard error\n");
  if (*argv[1] == 'n') return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (*argv[1] == 's') spin<<<1, 1>>>(p), cudaDeviceSynchronize();
  if (*argv[1] == 'e') _exit(0);
  if (*argv[1] == 'f') return 3;
  return recover && access("wrong", F_OK) == 0;
})");
  const struct {
    const char* how;
    std::initializer_list<const char*> says;
  } runs[] = {{"nothing", {"nothing under Everwarp", "The program said:\non standard error\n"}},
              {"exit", {"without its exit handlers (_exit", "exit()", "The program said:\non standard error\n"}},
              {"fails", {"it ended with status 3", "on standard error"}}};
  for (const auto& [how, says] : runs) {
    const Outcome outcome = told(how);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    expect_in(outcome.output, says);
  }
  const Outcome spun = told("spin");
  EXPECT_EQ(spun.status, 0) << spun.output;
  expect_in(spun.output, {"In the recorded run:\neverwarp: deadlock", "p.cu:4"});
}

}  // namespace
}  // namespace ew::cli
