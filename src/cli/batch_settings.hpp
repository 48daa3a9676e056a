// What every verb that makes many runs can be told about how: how many at once, where, whether to go on, on Slurm.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "process/batch.hpp"

namespace ew::cli {

struct BatchSettings {
  unsigned jobs = 0;  // 0: not given
  std::string out;    // empty: not given
  bool resume = false;
  bool slurm = false;
  process::SlurmRequest slurm_request;
  std::string slice;  // "K/N": this process is a task of an array

  /// `folder`: what --out is without the option.
  void add_options(CLI::App&, const std::string& folder);
  /// -j: so many runs at once.
  void add_jobs(CLI::App&);
  /// The results are to stand in a folder, though the verb can do without.
  bool asked() const { return !out.empty() || resume || slurm || is_slice(); }
  bool is_slice() const { return !slice.empty(); }
  /// Runs at once: one in a task of Slurm or here so many as there are cores, unless it was said.
  unsigned jobs_or_default() const;
  /// `otherwise`: the folder without --out.
  process::BatchOptions options(const std::string& verb, const std::string& otherwise) const;
};

}  // namespace ew::cli
