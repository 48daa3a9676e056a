// A job array of Slurm: the command that this process is, once a slice. It is submitted with sbatch and watched with
// squeue; what it leaves stands in slurm/ of the batch's folder. Values; the array itself lives in Slurm and outlives
// the command that submitted it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "process/run.hpp"

namespace ew::process {

struct SlurmRequest {
  unsigned slices = 0;  // tasks at most; 0: one for each run
  Words sbatch;         // further options of sbatch: "--partition=long"
};

class SlurmArray {
 public:
  /// Tasks 0 .. `slices` - 1, each with `cpus` processors. REQUIRES: `folder`/slurm exists. Throws core::UserError with
  /// what sbatch said.
  static SlurmArray submit(const std::filesystem::path& folder, std::string_view name, unsigned slices, unsigned cpus,
                           const SlurmRequest&);
  /// The array that an earlier command submitted for this folder and that is still in Slurm's queue.
  static std::optional<SlurmArray> still_queued(const std::filesystem::path& folder);

  const std::string& job() const { return job_; }
  unsigned slices() const { return slices_; }
  /// "2 running, 3 pending"; nothing when the queue has none of its tasks any more.
  std::optional<std::string> in_queue() const;
  /// What task K has said.
  std::filesystem::path output_of(unsigned slice) const;

 private:
  SlurmArray() = default;

  std::filesystem::path folder_;  // slurm/ of the batch
  std::string job_;
  unsigned slices_ = 0;
};

/// This process's command with `--slice SLICE` behind its verb, as a line of the shell. SLICE is taken as it is.
std::string own_command_with_slice(std::string_view slice);

}  // namespace ew::process
