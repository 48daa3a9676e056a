// What a crash campaign is told: the program, its recovery, and how both are run.
#pragma once

#include <filesystem>
#include <string>

#include "core/types.hpp"
#include "process/run.hpp"

namespace ew::check {

struct CrashPlan {
  process::Variables environment;    // of every process: the machine and what else a run is told
  u64 seed = 0;                      // chooses points and states
  process::Words program, recovery;  // first word: an absolute path; "{}" in a word stands for the trial's folder
  unsigned nested = 1;               // 2: the recovery is crashed as well, and what that left recovered
  std::size_t nested_points = 8;     // moments at which a recovery is crashed, at most
  std::string nested_at;             // only this one; empty: as many as nested_points says
  double timeout_seconds = 300;
  std::filesystem::path keep;  // folders of failed trials go here; empty: removed
};

}  // namespace ew::check
