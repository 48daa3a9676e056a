// SIGINT, SIGTERM and SIGHUP: the command's children get the signal, and its temporary folders go. What killed
// processes have left is swept by later ones.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "process/run.hpp"
#include "process/scratch.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Interrupt : public testing::Test {
 protected:
  Interrupt() {
    folder_ = testing::TempDir() + "/ew-interrupt-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/temporary");
    std::ofstream(folder_ + "/wait") << "#!/bin/sh\ntrap 'echo told > told; exit 7' INT TERM HUP\n"
                                        "echo > begun\nwhile :; do sleep 0.05; done\n";
    fs::permissions(folder_ + "/wait", fs::perms::owner_all);
  }
  ~Interrupt() override { fs::remove_all(folder_); }

  /// The wait status of `ew` with these words, which is sent the signal once its child has begun.
  int interrupted(Words words, int signal) {
    words.insert(words.begin(), EW_PROGRAM);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      for (const int one : {SIGINT, SIGTERM, SIGHUP}) ::signal(one, SIG_DFL);  // a shell's background job ignores some
      setenv("TMPDIR", (folder_ + "/temporary").c_str(), 1);
      if (chdir(folder_.c_str()) == 0) execv(EW_PROGRAM, arguments.data());
      _exit(127);
    }
    for (int i = 0; i < 2000 && !begun(); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_TRUE(begun());
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
  /// The program may run in a scratch folder.
  bool begun() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.path().filename() == "begun") return true;
    return false;
  }
  std::string folder_;
};

TEST_F(Interrupt, TakesTheFoldersAway) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = interrupted({"crash", "--states", "model", "--recover", "./wait", "--", "./wait"}, signal);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << ": " << status;
    EXPECT_TRUE(fs::is_empty(folder_ + "/temporary")) << signal;
  }
}

TEST_F(Interrupt, IsHeardByTheChild) {
  const int status = interrupted({"run", "--json", "./wait"}, SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  EXPECT_TRUE(fs::exists(folder_ + "/told"));
  EXPECT_TRUE(fs::is_empty(folder_ + "/temporary"));
}

TEST_F(Interrupt, FoldersOfProcessesThatAreGoneAreSwept) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const fs::path where = folder_ + "/temporary";
  const auto old = where / ("ew-" + std::to_string(gone) + "-abcdef");
  const auto mine = where / ("ew-" + std::to_string(getpid()) + "-abcdef");
  const auto foreign = where / "ew-notes-abcdef";
  for (const fs::path& path : {old, mine, foreign}) fs::create_directories(path / "inside");
  sweep_scratch(where);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(mine));
  EXPECT_TRUE(fs::exists(foreign));
}

}  // namespace
}  // namespace ew::cli
