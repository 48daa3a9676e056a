// A program that a signal ends has written its statistics so far, and said where its kernels were.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Each way prints a line when the signal may come.
const char* const bad_day = R"(#include <everwarp/gpm.cuh>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>
__global__ void never_ends(volatile int* seen) {
  if (threadIdx.x >= 32) __syncthreads();
  *seen = 1;
  for (unsigned i = 0; *seen; ++i) seen[1] = i;
}
__global__ void ends(int* out) { *out = 1; }
void say(const char* text) { if (write(1, text, strlen(text)) < 0) _exit(9); }
void handler(int) { say("mine\n"); _exit(5); }
void handler_that_goes_on(int number) { signal(number, SIG_DFL); raise(number); }
int main(int argc, char** argv) {
  const auto is = [&](const char* word) { return argc > 1 && !strcmp(argv[1], word); };
  int *seen, *pool = nullptr;
  cudaHostAlloc((void**)&seen, 8, cudaHostAllocMapped);
  if (is("pool")) {
    pool = (int*)gpm_map("bad_day.pool", 4096, true);
    pool[0] = 7;
    gpm_persist_range(pool, sizeof *pool);
    pool[64] = 8;
  }
  struct sigaction before;
  sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler != SIG_DFL) return 8;
  if (is("raises")) handler_that_goes_on(SIGINT), say("not reached\n"), _exit(6);
  if (is("own")) signal(SIGINT, handler);
  if (is("ignores")) signal(SIGINT, SIG_IGN);
  if (is("goes-on")) signal(SIGINT, handler_that_goes_on);
  if (is("goes-back")) signal(SIGINT, handler), signal(SIGINT, SIG_DFL);
  if (is("host")) {
    ends<<<2, 32>>>(seen);
    cudaDeviceSynchronize();
    say("begun\n");
    for (volatile int i = 0;; i = i + 1) continue;
  }
  never_ends<<<dim3(3, 2), 64>>>(seen);
  while (!*(volatile int*)seen) continue;
  say("begun\n");
  return cudaDeviceSynchronize();
}
)";

class InterruptedRun : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = testing::TempDir() + "/ew-interrupted-run";
    fs::remove_all(folder());
    fs::create_directories(folder() + "/temporary");
    std::ofstream(folder() + "/bad_day.cu") << bad_day;
    const Outcome built = run({EW_PROGRAM, "build", "bad_day.cu", "-o", "bad_day"},
                              {.capture = Capture::both, .directory = folder(), .timeout_seconds = 120});
    ASSERT_EQ(built.status, 0) << built.output;
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static std::string& folder() {
    static std::string name;
    return name;
  }
  ~InterruptedRun() override {
    if (group_ > 0) kill(-group_, SIGKILL);
  }

  /// Starts `ew run` in a group of its own, its standard error in the file `errors`; back when the program said
  /// "begun". `line_on`: where it says so, since of --json and --csv standard output is theirs.
  void begin(Words words, const char* line_on = "output") {
    words.insert(words.begin(), {EW_PROGRAM, "run"});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    for (const char* of_the_last : {"/output", "/errors"}) fs::remove(folder() + of_the_last);
    group_ = fork();
    if (group_ > 0) setpgid(group_, group_);
    if (group_ == 0) {
      setpgid(0, 0);
      alarm(120);
      for (const int one : {SIGINT, SIGTERM, SIGHUP}) ::signal(one, SIG_DFL);  // a background job ignores some
      setenv("TMPDIR", (folder() + "/temporary").c_str(), 1);
      const auto file = [](const char* name) { return open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644); };
      if (chdir(folder().c_str()) != 0 || dup2(file("output"), 1) < 0) _exit(127);
      if (dup2(errors_ >= 0 ? errors_ : file("errors"), 2) < 0) _exit(127);
      execv(EW_PROGRAM, arguments.data());
      _exit(127);
    }
    for (int i = 0; i < 6000 && text_of(line_on).find("begun") == std::string::npos; ++i)
      std::this_thread::sleep_for(10ms);
    ASSERT_NE(text_of(line_on).find("begun"), std::string::npos) << text_of("errors");
  }
  int wait_status() {
    int status = 0;
    waitpid(group_, &status, 0);
    group_ = 0;
    return status;
  }
  /// As a shell tells it.
  int status_after(int signal, bool whole_group = false) {
    kill(whole_group ? -group_ : group_, signal);
    const int status = wait_status();
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  static std::string text_of(const std::string& name) {
    std::ifstream file(folder() + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void expect(const std::string& text, const Words& parts) {
    for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
  }
  static void expect_told_of_the_kernel(const std::string& text) {
    expect(text,
           {"1 kernel had not ended",
            "  never_ends(int volatile*), grid (3,2,1), blocks of (64,1,1): 0 blocks done, 6 ", "bad_day.cu:9\n"});
  }
  int errors_ = -1;
  pid_t group_ = 0;
};

TEST_F(InterruptedRun, AKernelThatNeverEnds) {
  for (const char* machine : {"default", "titan-rtx"})
    for (const bool group : {false, true}) {
      begin({"-m", machine, "--json", "./bad_day"}, "errors");
      EXPECT_EQ(status_after(SIGINT, group), 130) << machine;
      expect_told_of_the_kernel(text_of("errors"));
      const auto json = nlohmann::json::parse(text_of("output"));
      const auto& statistics = json.at("statistics");
      EXPECT_EQ(json.at("status"), 130);
      EXPECT_EQ(statistics.at("ended"), "SIGINT");
      EXPECT_GT(statistics.at("warp_instructions"), 100) << machine;
      EXPECT_EQ(statistics.at("abandoned"), 1);
      const auto& kernel = statistics.at("unfinished").at(0);
      EXPECT_EQ(kernel.at("kernel"), "never_ends(int volatile*)");
      EXPECT_EQ(kernel.at("blocks_running").get<int>() + kernel.at("blocks_waiting").get<int>(), 6);
      EXPECT_TRUE(fs::is_empty(folder() + "/temporary"));
      if (std::string(machine) == "default") continue;
      const auto& row = statistics.at("kernels").at(0);
      EXPECT_EQ(row.at("unfinished"), true);
      EXPECT_EQ(row.at("timing").at("slots.issued"), statistics.at("timing").at("slots.issued"));
      EXPECT_GT(row.at("derived").at("occupancy.achieved"), 0);
    }
}

TEST_F(InterruptedRun, EveryFileAndTableThatWasAskedFor) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    begin({"-m", "titan-rtx", "--summary", "--stats", "s.json", "--timeline", "t.json", "--digest", "./bad_day"});
    EXPECT_EQ(status_after(signal), 128 + signal);
    const std::string told = text_of("errors"), name = signal == SIGTERM ? "SIGTERM" : "SIGHUP";
    expect_told_of_the_kernel(told);
    expect(told, {"everwarp: " + name, "interrupted by " + name, "(not ended) never_ends"});
    const auto statistics = nlohmann::json::parse(text_of("s.json"));
    EXPECT_EQ(statistics.at("ended"), name);
    EXPECT_TRUE(statistics.contains("digest"));
    expect(nlohmann::json::parse(text_of("t.json")).dump(), {"never_ends", "not ended"});
  }
  begin({"--csv", "./bad_day"}, "errors");
  EXPECT_EQ(status_after(SIGTERM), 143);
  expect(text_of("output"),
         {"\"run\",\"\",\"ended\",\"\",\"SIGTERM\"\n", "\"run\",\"\",\"abandoned\",\"commands\",1\n"});
}

TEST_F(InterruptedRun, WhileOnlyHostCodeRuns) {
  for (const char* machine : {"default", "titan-rtx"}) {
    begin({"-m", machine, "--stats", "s.json", "./bad_day", "host"});
    EXPECT_EQ(status_after(SIGINT), 130);
    expect(text_of("errors"), {"everwarp: SIGINT after ", "no kernel was running\n"});
    const auto statistics = nlohmann::json::parse(text_of("s.json"));
    EXPECT_EQ(statistics.at("launches"), 1);
    EXPECT_GT(statistics.at("warp_instructions"), 0);
    EXPECT_EQ(statistics.at("abandoned"), 0);
  }
}

TEST_F(InterruptedRun, WhatTheProgramDoesWithTheSignalItself) {
  signal(SIGINT, SIG_DFL);  // a shell's background job ignores it, and so would the programs
  begin({"./bad_day", "own"});
  EXPECT_EQ(status_after(SIGINT), 5);
  expect(text_of("output"), {"mine\n"});
  for (const char* way : {"goes-on", "goes-back"}) {
    begin({"--stats", "s.json", "./bad_day", way});
    EXPECT_EQ(status_after(SIGINT), 130) << way;
    EXPECT_EQ(text_of("output"), "begun\n");
    EXPECT_EQ(nlohmann::json::parse(text_of("s.json")).at("ended"), "SIGINT");
  }
  const Outcome raised = run({EW_PROGRAM, "run", "--stats", "s.json", "./bad_day", "raises"},
                             {.capture = Capture::standard_output, .directory = folder(), .timeout_seconds = 60});
  EXPECT_EQ(raised.signal, SIGINT);
  EXPECT_EQ(raised.output, "");
  begin({"./bad_day", "ignores"});
  kill(group_, SIGINT);
  EXPECT_EQ(status_after(SIGTERM), 143);
  expect(text_of("errors"), {"everwarp: SIGTERM after"});
}

// Here what is told has nowhere to go, so the first signal alone ends nothing.
TEST_F(InterruptedRun, ASecondSignalEndsItAtOnce) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  while (write(ends[1], "full", 4) == 4 || write(ends[1], "f", 1) == 1) continue;
  fcntl(ends[1], F_SETFL, 0);
  errors_ = ends[1];
  begin({"--stats", "none.json", "./bad_day"});
  kill(group_, SIGINT);
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(waitpid(group_, nullptr, WNOHANG), 0);
  EXPECT_EQ(status_after(SIGINT), 130);
  EXPECT_FALSE(fs::exists(folder() + "/none.json"));
  close(ends[0]);
  close(ends[1]);
}

// On a timing machine a normal end makes the host's stores to a pool durable, and a crash does not.
TEST_F(InterruptedRun, PoolsAreAsAKilledProgramLeavesThem) {
  begin({"-m", "sbrp-pm-near", "./bad_day", "pool"});
  EXPECT_EQ(status_after(SIGINT), 130);
  const std::string pool = text_of("bad_day.pool");
  ASSERT_EQ(pool.size(), 8192u);
  EXPECT_EQ(pool[4096], 7);
  EXPECT_EQ(pool[4096 + 256], 0);
  const Outcome checked =
      run({EW_PROGRAM, "pool", "check", "bad_day.pool"}, {.capture = Capture::both, .directory = folder()});
  EXPECT_EQ(checked.status, 0) << checked.output;
}

}  // namespace
}  // namespace ew::cli
