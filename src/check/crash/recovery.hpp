// Recoveries of images of pools, one after another in a folder of one's own: a process started anew for each, or a fork
// of one that was started once and stopped before main() (runtime/fork_server.hpp). One a thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check/crash/plan.hpp"
#include "process/scratch.hpp"

namespace ew::check {

/// A file of an image: where it belongs, and its bytes.
struct PoolFile {
  std::filesystem::path path;  // relative: in the folder; else where it says
  const std::string* bytes = nullptr;
};
using PoolFiles = std::vector<PoolFile>;

/// What a run leaves that began with `below` and has these files now, at the first of the paths.
PoolFiles overlaid(PoolFiles below, const std::vector<std::filesystem::path>&, std::span<const std::string> files);
/// Equal for equal images of which as much was acknowledged.
u64 digest_of(const PoolFiles&, u64 acknowledged);

class Recovery {
 public:
  /// `warm`: forks, if the recovery is a program of ours that lets itself be stopped; else every one is a process.
  Recovery(const CrashPlan&, bool warm);
  ~Recovery();
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  bool warm() const { return server_ > 0; }
  /// The files are put there, everything else is as before any run, the recovery runs and is told what was
  /// acknowledged. The output is only read when it did not succeed.
  process::Outcome run(std::span<const PoolFile>, u64 acknowledged = 0);
  /// The same by a process started anew, with more in its environment. What it leaves stays in folder().
  process::Outcome run_anew(std::span<const PoolFile>, u64 acknowledged, const process::Variables& more = {});
  /// Another one, on what that has left.
  process::Outcome run_again(u64 acknowledged);
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void take_given_files();
  void start_server();
  void stop_server();
  void tidy();
  void put(std::span<const PoolFile>);
  process::Outcome start_anew(u64 acknowledged, const process::Variables& more);
  process::Outcome fork_one(u64 acknowledged);

  const CrashPlan& plan_;
  process::Scratch scratch_, outputs_;
  std::filesystem::path folder_, output_;
  struct Given {  // a file or folder that the trial starts with, beside pools
    std::filesystem::path path;
    std::filesystem::file_time_type written;
  };
  std::vector<Given> given_;
  pid_t server_ = 0;
  int to_ = -1, from_ = -1;
};

}  // namespace ew::check
