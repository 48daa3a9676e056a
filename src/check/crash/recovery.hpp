// Runs recoveries of pool images, one after another, in a folder of its own. Each is a new process, or a fork of a
// process that was started once and stopped before main() (runtime/fork_server.hpp). Each thread has its own Recovery.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check/crash/plan.hpp"
#include "process/scratch.hpp"

namespace ew::check {

/// A file of an image: its path and its bytes.
struct PoolFile {
  std::filesystem::path path;  // a relative path is in the trial's folder
  const std::string* bytes = nullptr;
};
using PoolFiles = std::vector<PoolFile>;

/// The files after a run that began with the files `below`, and has written `files`, which belong to the first paths.
PoolFiles overlaid(PoolFiles below, const std::vector<std::filesystem::path>&, std::span<const std::string> files);
/// A digest of an image and what was acknowledged.
u64 digest_of(const PoolFiles&, u64 acknowledged);

class Recovery {
 public:
  /// `warm`: recoveries are forks, if the program can be stopped before main() (it was built with `ew build`). Else
  /// each is a new process.
  Recovery(const CrashPlan&, bool warm);
  ~Recovery();
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  bool warm() const { return server_ > 0; }
  /// Puts the files into the folder, restores everything else there, and runs the recovery, which is told what was
  /// acknowledged. The output of a fork is read only if it did not succeed.
  process::Outcome run(std::span<const PoolFile>, u64 acknowledged = 0);
  /// The same by a new process, with `more` in its environment. Its files stay in folder().
  process::Outcome run_anew(std::span<const PoolFile>, u64 acknowledged, const process::Variables& more = {});
  /// Runs one more recovery, on the files that the last one has left.
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
  struct Given {  // a file that the trial starts with, beside pools
    std::filesystem::path path;
    std::filesystem::file_time_type written;
  };
  std::vector<Given> given_;
  pid_t server_ = 0;
  int to_ = -1, from_ = -1;
};

}  // namespace ew::check
