#include "process/run.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace ew::process {
namespace {

TEST(Process, StatusSignalAndOutput) {
  const Outcome exited = run({"sh", "-c", "echo out; echo err >&2; exit 3"}, {.capture = Capture::both});
  EXPECT_EQ(exited.status, 3);
  EXPECT_EQ(exited.signal, 0);
  EXPECT_EQ(exited.output, "out\nerr\n");
  EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}).signal, SIGKILL);
  EXPECT_EQ(run({"sh", "-c", "echo out; echo err >&2"}, {.capture = Capture::standard_output}).output, "out\n");
}

TEST(Process, SaysHowMuchMemoryTheChildHad) {
  const auto peak = [](const char* mebibytes) {
    return run({"dd", "if=/dev/zero", "of=/dev/null", "count=1", std::string("bs=") + mebibytes + "M"},
               {.capture = Capture::both})
        .peak_bytes;
  };
  const unsigned long long little = peak("1"), much = peak("65");
  EXPECT_GT(little, 1ull << 20);
  EXPECT_GT(much, little + (48ull << 20));
}

TEST(Process, EnvironmentReplacesAndDirectoryHolds) {
  setenv("EW_TEST_VARIABLE", "old", 1);
  const Outcome outcome =
      run({"sh", "-c", "echo $EW_TEST_VARIABLE; pwd"},
          {.capture = Capture::both, .environment = {{"EW_TEST_VARIABLE", "new"}}, .directory = "/"});
  EXPECT_EQ(outcome.output, "new\n/\n");
}

TEST(Process, AStuckChildIsEndedWithItsChildren) {
  const Outcome outcome = run({"sh", "-c", "sleep 60 & sleep 60"}, {.capture = Capture::both, .timeout_seconds = 0.2});
  EXPECT_TRUE(outcome.timed_out);
}

TEST(Process, MissingProgramIs127) {
  EXPECT_EQ(run({"no-such-program-anywhere"}, {.capture = Capture::both}).status, 127);
  EXPECT_FALSE(find_program("no-such-program-anywhere"));
  EXPECT_TRUE(find_program("sh"));
}

TEST(Process, ShellLinesCanBeTypedAgain) {
  EXPECT_EQ(shell_line({"ew", "--recover", "./a b", "it's", ""}), "ew --recover './a b' 'it'\\''s' ''");
}

}  // namespace
}  // namespace ew::process
