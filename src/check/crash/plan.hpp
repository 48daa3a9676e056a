// The input of a crash campaign: the program, its recovery, and how both are run.
#pragma once

#include <filesystem>
#include <string>

#include "core/types.hpp"
#include "process/run.hpp"

namespace ew::check {

struct CrashPlan {
  process::Variables environment;    // of every process: the machine, and other settings of a run
  u64 seed = 0;                      // chooses points and states
  process::Words program, recovery;  // first word: an absolute path; "{}" in a word stands for the trial's folder
  unsigned nested = 1;               // 2: the recovery is crashed as well, and started once more
  std::size_t nested_points = 8;     // the largest number of moments at which a recovery is crashed
  std::string nested_at;             // only this moment; empty: as many as nested_points says
  double timeout_seconds = 300;
  // The machine has drives: a recovery is crashed behind any instruction, not behind stores to pools.
  bool drives = false;
  bool cycles =
      false;  // with drives: the program is killed in a cycle of simulated time, not behind a warp instruction
  std::filesystem::path keep;  // folders of failed trials go here; empty: they are removed
};

}  // namespace ew::check
