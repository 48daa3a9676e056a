// The built `ew`, called as a user calls it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class Command : public testing::Test {
 protected:
  Command() {
    folder_ = testing::TempDir() + "/ew-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Command() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(fs::path(folder_) / name) << text; }
  bool exists(const std::string& name) { return fs::exists(fs::path(folder_) / name); }
  Outcome ew(Words words) {
    words.insert(words.begin(), EW_PROGRAM);
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 60, .no_input = true});
  }
  std::string folder_;
};

const char* const doubling = "__global__ void twice(int* p) { p[threadIdx.x] *= 2; }\n";

TEST_F(Command, MistakesAreStatusTwoWithTheNearestName) {
  Outcome outcome = ew({"rnu"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "ew: unknown verb rnu (did you mean \"run\"?)\n");
  outcome = ew({"explain", "--jsno"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "ew: unknown option --jsno (did you mean \"--json\"?)\n");
  outcome = ew({"run", "--machine", "titan-rtz", "sh"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.output, "ew: unknown machine \"titan-rtz\" (did you mean \"titan-rtx\"?)\n");
  outcome = ew({"run", "--sed", "1", "sh"});
  EXPECT_EQ(outcome.output, "ew: unknown option --sed before the program (did you mean \"--set\"?)\n");
  EXPECT_EQ(ew({"run", "--sumary", "./app"}).output,
            "ew: unknown option --sumary before the program (did you mean \"--summary\"?)\n");
}

/// Drives were missing.
TEST_F(Command, ExplainModelsHasEveryModelOfTheFieldsThatSaySo) {
  const auto fields = nlohmann::json::parse(ew({"explain", "machine", "--json"}).output);
  const std::string models = ew({"explain", "models", "--json"}).output;
  int asked = 0;
  for (const auto& field : fields) {
    if (field["sentence"].get<std::string>().find("`ew explain models`") == std::string::npos) continue;
    const std::string expected = field["expected"];  // one of "gpu", "mesi"
    for (std::size_t at = expected.find('"'); at != expected.npos; at = expected.find('"', at + 1)) {
      const std::size_t end = expected.find('"', at + 1);
      const std::string model = expected.substr(at, end + 1 - at);
      EXPECT_NE(models.find("\"model\": " + model), std::string::npos) << field["key"] << " " << model;
      at = end;
      ++asked;
    }
  }
  EXPECT_GT(asked, 20);
}

TEST_F(Command, EveryVerbHasHelpWithExamples) {
  for (const char* verb : {"run", "crash", "explain", "test", "demo", "correlate", "completion"}) {
    const Outcome outcome = ew({verb, "--help"});
    EXPECT_EQ(outcome.status, 0) << verb;
    EXPECT_NE(outcome.output.find("Examples:"), std::string::npos) << verb;
  }
  EXPECT_NE(ew({"build", "--help"}).output.find("-gencode"), std::string::npos);
}

TEST_F(Command, RunPassesStatusArgumentsAndSettings) {
  Outcome outcome = ew({"run", "--machine", "titan-rtx", "--set", "sm.count=3", "--seed", "9", "sh", "-c",
                        "echo $EVERWARP_MACHINE $EVERWARP_SET $EVERWARP_SEED \"$1\"; exit 5", "x", "--seed"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_EQ(outcome.output, "titan-rtx sm.count=3 9 --seed\n");
  EXPECT_EQ(ew({"run", "sh", "-c", "kill -11 $$"}).status, 128 + 11);
}

TEST_F(Command, CompletionScriptsParse) {
  const Outcome outcome = ew({"completion", "bash"});
  write("completion.bash", outcome.output +
                               "COMP_WORDS=(ew run --machine titan); COMP_CWORD=3; _ew; echo ${COMPREPLY[@]}\n"
                               "COMP_WORDS=(ew explain sm.cou); COMP_CWORD=2; _ew; echo ${COMPREPLY[@]}\n");
  EXPECT_EQ(run({"bash", "completion.bash"}, {.capture = Capture::both, .directory = folder_}).output,
            "titan-rtx titan-rtx-optane\nsm.count\n");
  EXPECT_EQ(run({"bash", "-n", "completion.bash"}, {.directory = folder_}).status, 0);
  EXPECT_NE(outcome.output.find("--machine"), std::string::npos);
  EXPECT_EQ(ew({"completion", "tcsh"}).status, 2);
  // An apostrophe in a verb's sentence ended a quoted word of these two.
  EXPECT_NE(ew({"completion", "zsh"}).output.find("nvcc'\\''s options"), std::string::npos);
  EXPECT_NE(ew({"completion", "fish"}).output.find("nvcc\\'s options"), std::string::npos);
}

TEST_F(Command, BuildMakesObjectsAndDependencies) {
  write("k.cu", doubling);
  const Outcome outcome = ew({"build", "-c", "-MD", "k.cu"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "");
  EXPECT_TRUE(exists("k.o"));
  EXPECT_TRUE(exists("k.d"));
}

TEST_F(Command, BuildPrintsPtxOrWritesIt) {
  write("k.cu", doubling);
  EXPECT_NE(ew({"build", "--ptx", "k.cu"}).output.find(".visible .entry _Z5twicePi"), std::string::npos);
  EXPECT_EQ(ew({"build", "-ptx", "k.cu", "-o", "out.ptx"}).status, 0);
  EXPECT_TRUE(exists("out.ptx"));
  EXPECT_EQ(ew({"nvcc", "-ptx", "k.cu"}).output, "");
  EXPECT_TRUE(exists("k.ptx"));
}

TEST_F(Command, CompileErrorsNameTheUsersLine) {
  write("bad.cu", "__global__ void f() {\n  undeclared = 1;\n}\n");
  const Outcome outcome = ew({"build", "-c", "bad.cu"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.output.find("bad.cu:2:3: error: "), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("FAIL"), std::string::npos);
}

TEST_F(Command, OldDialectCompiles) {
  write("old.h", "__device__ inline int lane() { int x; asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x)); return x; }\n");
  write("old.cu",
        "#include \"old.h\"\n__global__ void f(int* p) { *p = lane(); }\nvoid g(int* p) { f<< <1, 32>> >(p); }\n");
  const Outcome outcome = ew({"build", "-c", "old.cu"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

TEST_F(Command, MissingVendorLibrariesAreNamed) {
  write("k.cu", doubling);
  const Outcome outcome = ew({"build", "k.cu", "-lcublas"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.output.find("-lcublas: NVIDIA's library"), std::string::npos) << outcome.output;
}

TEST_F(Command, DryRunRunsNothing) {
  write("k.cu", doubling);
  const Outcome outcome = ew({"build", "-dryrun", "k.cu", "-o", "k"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.output.find("--cuda-device-only"), std::string::npos);
  EXPECT_FALSE(exists("k"));
}

TEST_F(Command, RunTakesTheProgramBehindTheSeparator) {
  EXPECT_EQ(ew({"run", "--", "/bin/echo", "--", "-x"}).output, "-- -x\n");
  EXPECT_EQ(ew({"run", "--machine", "titan-rtx", "--set", "sm.count=4", "--", "/bin/echo", "a"}).output, "a\n");
  EXPECT_EQ(ew({"run", "--seed=3", "/bin/echo", "--", "a"}).output, "-- a\n");
  EXPECT_EQ(ew({"run", "--", "/bin/sh", "-c", "exit 7"}).status, 7);
}

TEST_F(Command, CrashSaysWhatItNeeds) {
  EXPECT_EQ(
      ew({"crash", "--", "sh"}).output,
      "ew: ew crash needs to know where: --at instruction N, --at random --count N, or --states model for the states "
      "that a persistency model allows\n");
  EXPECT_EQ(
      ew({"crash", "--at", "randm", "--recover", "true", "--", "sh"}).output,
      "ew: --at should be \"instruction N\", \"cycle N\", \"ns N\", \"persist N\" or \"random\", but is \"randm\" "
      "(did you mean \"random\"?)\n");
  EXPECT_EQ(ew({"crash", "--at", "random", "--", "sh"}).output,
            "ew: ew crash needs the recovery command: --recover './app recover pool'\n");
  const Outcome outcome = ew({"crash", "--at", "random", "--recover", "true", "--", "true"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.output.find("ran no kernel"), std::string::npos) << outcome.output;
}

}  // namespace
}  // namespace ew::cli
