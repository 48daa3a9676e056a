// workloads/gpm/seven_systems.cu, the program of docs/seven-systems.md: it recovers under each system, in time and in
// the states of the model; and the page shows its text.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "core/configuration.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

std::string without_blanks(const std::string& line) {
  const auto first = line.find_first_not_of(' ');
  return first == line.npos ? "" : line.substr(first);
}

TEST(SevenSystems, RecoverUnderEach) {
  const std::string program = EW_BUILT_WORKLOADS "/gpm/seven_systems";
  if (!fs::exists(program)) GTEST_SKIP() << "a build with sanitizers has no workloads";
  const std::string folder = testing::TempDir() + "/ew-seven-systems-" + std::to_string(getpid());
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const std::string system : {"GPM", "GPM-eADR", "GPM-NDP", "CAP-fs", "CAP-mm", "CAP-eADR", "GPUfs"}) {
    const std::string eadr = system.ends_with("eADR") ? "nvm.eadr=true" : "nvm.eadr=false";
    const auto crash = [&](const Words& how) {
      Words words{EW_PROGRAM, "crash", "--set", eadr, "--nested", "2", "--cold", "1"};
      words.insert(words.end(), how.begin(), how.end());
      words.insert(words.end(), {"--recover", program + " recover " + system + " 2", "--", program, "run", system});
      return run(words, {.capture = Capture::both, .directory = folder, .timeout_seconds = 120, .no_input = true});
    };
    const Outcome timed = crash({"-m", "titan-rtx-optane", "--set", "sm.count=2", "--at", "random", "--count", "10"});
    EXPECT_EQ(timed.status, 0) << timed.output;
    EXPECT_NE(timed.output.find("10 crashes, 10 recovered"), std::string::npos) << timed.output;
    const Outcome states = crash({"--states", "model", "--model", "gpm", "--count", "24", "--nested-points", "2"});
    EXPECT_EQ(states.status, 0) << states.output;
  }
  fs::remove_all(folder);
}

TEST(SevenSystems, ThePageShowsTheProgram) {
  const fs::path home = core::home_directory();
  std::set<std::string> lines;
  std::ifstream source(home / "workloads" / "gpm" / "seven_systems.cu");
  for (std::string line; std::getline(source, line);) lines.insert(without_blanks(line));
  std::ifstream page(home / "docs" / "seven-systems.md");
  bool inside = false;
  int shown = 0;
  for (std::string line; std::getline(page, line);) {
    const bool fence = line.starts_with("```");
    if (inside && !fence) {
      EXPECT_TRUE(lines.contains(without_blanks(line))) << line;
      ++shown;
    }
    if (fence) inside = line == "```cuda";
  }
  EXPECT_GT(shown, 50);
}

}  // namespace
}  // namespace ew::cli
