// `ew crash` wants a recovery that opens what the program has left. A wrong name in --recover was "recovered": a
// recovery that finds no pool says so and succeeds, as it must before the program has made its pool.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class CrashPool : public testing::Test {
 protected:
  CrashPool() {
    folder_ = testing::TempDir() + "/ew-crash-pool-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/one.cu") << R"(#include <everwarp/gpm.cuh>
#include <everwarp/host.cuh>
#include <cstdio>
#include <cstring>
__global__ void put(unsigned* pool) {
  pool[threadIdx.x] = 7;
  gpm_persist();
}
void* open(const char* way, const char* file, bool create) {
  if (!strcmp(way, "host_map")) return host_map(file, 4096, create);
  if (!strcmp(way, "host_file")) return host_file_open(file, 4096, create);
  if (!strcmp(way, "pm")) return pm_map(file, 1 << 16, create);
  if (!strcmp(way, "log")) return create ? gpmlog_create_conv(file, 1 << 16, 1) : gpmlog_open(file);
  if (!strcmp(way, "file")) return create ? gpm_map(file, 4096, true) : fopen(file, "r");
  return gpm_map(file, 4096, create);
}
int main(int count, char** words) {
  const bool recover = !strcmp(words[1], "recover"), none = !strcmp(words[2], "none");
  const bool told = !strcmp(words[2], "told");  // looks only where something was acknowledged
  if (recover && told && gpm_acknowledged() == 0) return puts("nothing was acknowledged"), 0;
  if (recover && gpm_size(words[3]) == 0) return puts("no pool yet"), 0;
  void* const pool = none ? nullptr : open(words[2], words[3], !recover);
  if (!none && !pool) return 2;
  unsigned* memory = nullptr;
  cudaMalloc(&memory, 128);
  if (!recover) put<<<1, 32>>>(!strcmp(words[2], "gpm") ? static_cast<unsigned*>(pool) : memory);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  if (!recover && told) gpm_acknowledge(1);
  return 0;
}
)";
    const Outcome outcome = call({EW_PROGRAM, "build", "-O2", "one.cu", "-o", "one"});
    EXPECT_EQ(outcome.status, 0) << outcome.output;
  }
  ~CrashPool() override { fs::remove_all(folder_); }

  Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  Outcome crash(const Words& options, const std::string& recovery, const Words& program) {
    Words words{EW_PROGRAM, "crash", "--count", "3"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--recover", recovery, "--"});
    words.insert(words.end(), program.begin(), program.end());
    return call(words);
  }
  std::string folder_;
};

const Words campaigns[] = {
    {"--states", "model"}, {"--at", "random"}, {"-m", "titan-rtx-optane", "--timing", "--at", "random", "--cold", "1"}};

TEST_F(CrashPool, ARecoveryThatOpensAnotherFileIsRefused) {
  for (const Words& campaign : campaigns) {
    const Words program{"./one", "make", "gpm", "p.pool"};
    const Outcome right = crash(campaign, "./one recover gpm p.pool", program);
    EXPECT_EQ(right.status, 0) << right.output;
    const Outcome wrong = crash(campaign, "./one recover gpm q.pool", program);
    EXPECT_EQ(wrong.status, 2) << wrong.output;
    EXPECT_EQ(wrong.output,
              "ew: the recovery after a run without a crash opened no pool of the program: expected p.pool, but it "
              "opened no pool in the trial's folder\n");
    EXPECT_NE(crash(campaign, "./one make gpm q.pool", program).output.find("expected p.pool, but it opened q.pool\n"),
              std::string::npos);
  }
}

TEST_F(CrashPool, APoolOutsideOfTheFolderIsKnownByTheProgramsWords) {
  const std::string pool = folder_ + "/outside.pool";
  for (const Words& campaign : campaigns) {
    const Words program{"./one", "make", "gpm", pool};
    EXPECT_EQ(crash(campaign, "./one recover gpm " + pool, program).status, 0);
    const Outcome wrong = crash(campaign, "./one recover gpm q.pool", program);
    EXPECT_EQ(wrong.status, 2) << wrong.output;
    EXPECT_NE(wrong.output.find("outside.pool, but it opened no pool"), std::string::npos) << wrong.output;
  }
}

TEST_F(CrashPool, EveryWayToOpenAPoolCounts) {
  for (const std::string way : {"host_map", "host_file", "pm", "log", "file", "told"}) {
    const Words program{"./one", "make", way, "p.pool"};
    const Outcome right = crash({"--at", "random"}, "./one recover " + way + " p.pool", program);
    EXPECT_EQ(right.status, 0) << way << "\n" << right.output;
    EXPECT_EQ(crash({"--at", "random"}, "./one recover " + way + " q.pool", program).status, 2) << way;
  }
  // The recovery may be another program, or the program itself.
  const Words program{"./one", "make", "gpm", "p.pool"};
  EXPECT_EQ(crash({"--at", "random"}, "sh -c 'if test -e p.pool; then cmp p.pool p.pool; fi'", program).status, 0);
  EXPECT_EQ(crash({"--at", "random"}, "./one make gpm p.pool", program).status, 0);
}

TEST_F(CrashPool, AProgramWithoutAPoolHasNothingToOpen) {
  const Outcome outcome = crash({"--at", "random"}, "./one recover none p.pool", {"./one", "make", "none", "p.pool"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

TEST_F(CrashPool, AProgramWithoutKernelsIsCrashedInTimeOrByAModel) {
  std::ofstream(folder_ + "/host.cu") << R"(#include <everwarp/gpm.cuh>
int main(int argc, char**) {
  if (argc > 1 && gpm_size("p.pool") == 0) return 0;
  int* cells = (int*)gpm_map("p.pool", 4096, argc == 1);
  for (int i = 0; argc == 1 && i < 8; ++i) cells[32 * i] = 1, gpm_persist_range(cells + 32 * i, 4);
  return 0;
}
)";
  ASSERT_EQ(call({EW_PROGRAM, "build", "host.cu", "-o", "host"}).status, 0);
  const auto crash = [&](const Words& how) {
    Words words{EW_PROGRAM, "crash"};
    words.insert(words.end(), how.begin(), how.end());
    words.insert(words.end(), {"--recover", "./host again", "--", "./host"});
    return call(words);
  };
  const Outcome refused = crash({"--at", "random"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.output.find("is crashed with --timing, or with --states model"), std::string::npos)
      << refused.output;
  for (const Words& how :
       {Words{"--at", "random", "--count", "4", "--timing"}, Words{"--states", "model", "--count", "9"}})
    EXPECT_EQ(crash(how).status, 0);
}

}  // namespace
}  // namespace ew::cli
