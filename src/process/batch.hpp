// Many runs as processes: side by side on this computer, or as a job array of Slurm. `ew reproduce`, `ew sweep` and the
// campaigns of `ew crash` are batches.
//
// A run is known by its name, which ends in a digest of all that decides its result. It works in runs/.part-NAME. The
// folder becomes runs/NAME when the run is complete, so a batch that was killed goes on from what is there. A run that
// failed leaves failed/NAME with all that it has said. Owned by the verb; one batch works in a folder at a time.
//
// A job array is the same command several times, each with --slice K/N: it plans the same runs, makes its share, and
// leaves the results in the same folder. So the folder must be one that every node sees.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "process/run.hpp"
#include "process/slurm.hpp"

namespace ew::process {

/// "3/8": the runs 3, 11, 19, ... of those that the array is to make.
struct Slice {
  unsigned number = 0, of = 1;
};

struct BatchRun {
  std::string name;   // of its folder
  std::string label;  // for people: "gpKVS on far"
  double weight = 1;  // how long it is expected to take, beside the others: the longest begin first
};

/// Why a run left no folder.
struct RunFailure {
  int status = 0;       // exit status; 128 + signal
  std::string how;      // "ended with status 1"
  std::string command;  // that makes the run again, as someone types it
  std::string output;   // what it said
};

struct BatchOptions {
  std::string verb;              // "ew sweep": begins what is shown
  std::filesystem::path folder;  // absolute
  std::string runs = "runs";     // what the batch consists of
  unsigned jobs = 1;             // runs at once, here or in each task of the array
  unsigned cpus = 0;             // of each task; 0: as many as jobs
  bool resume = false;           // take the finished runs that are there
  std::optional<Slice> slice;    // this process is a task of an array
  std::optional<SlurmRequest> slurm;
  /// Whether a folder holds all that a finished run leaves.
  std::function<bool(const std::filesystem::path&)> is_complete;
};

class Batch {
 public:
  /// Locks the folder, unless this is a task of an array, and removes what a killed batch has begun there.
  explicit Batch(BatchOptions);
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Fills the folder of a run. Nothing when it succeeded. Called from several threads.
  using Make = std::function<std::optional<RunFailure>(std::size_t run, const std::filesystem::path& part)>;
  /// The failure of each run that left no folder; nothing at the place of the others.
  std::vector<std::optional<RunFailure>> carry_out(const std::vector<BatchRun>&, const Make&);

  std::filesystem::path folder_of(const std::string& name) const { return options_.folder / "runs" / name; }
  /// Finished runs that were there already.
  std::size_t taken() const { return taken_; }

 private:
  class Tally;
  using Numbers = std::vector<std::size_t>;

  bool is_complete(const std::string& name) const;
  std::optional<RunFailure> make_one(const BatchRun&, std::size_t number, const Make&) const;
  void make_here(const std::vector<BatchRun>&, Numbers, const Make&) const;
  void make_on_slurm(const std::vector<BatchRun>&, const Numbers&) const;
  SlurmArray submit(const std::vector<BatchRun>&, const Numbers&) const;
  void wait_and_judge(const SlurmArray&, const std::vector<BatchRun>&, const Numbers&) const;
  void wait_for(const SlurmArray&, const std::vector<BatchRun>&, const Numbers&) const;
  Numbers of_slice(const std::vector<BatchRun>&) const;
  std::optional<RunFailure> failure_of(const BatchRun&) const;

  const BatchOptions options_;
  std::optional<SlurmArray> queued_;  // that an earlier command submitted
  int lock_ = -1;
  std::size_t taken_ = 0;
};

/// The last lines of a text.
std::string last_lines(const std::string& text, std::size_t lines);

}  // namespace ew::process
