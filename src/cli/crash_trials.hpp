// Crash points and their trials: a program is really killed after its Nth warp instruction, then started again to
// recover.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/run_settings.hpp"

namespace ew::cli {

struct CrashPlan {
  RunSettings settings;
  process::Words program, recovery;  // first word: an absolute path; "{}" in a word stands for the trial's folder
  unsigned nested = 1;               // 2: the recovery is crashed as well, and what that left recovered
  std::size_t nested_points = 8;     // moments at which a recovery is crashed, at most
  std::string nested_at;             // only this one; empty: as many as nested_points says
  double timeout_seconds = 300;
  std::filesystem::path keep;  // folders of failed trials go here; empty: removed
};

enum class TrialEnd {
  recovered,  // killed, and the recovery succeeded
  finished,   // the program ended by itself before the crash point; its recovery succeeded
  recovery_failed,
  program_failed,  // it ended before the crash point with an error
};

struct Trial {
  unsigned long long instruction = 0;
  TrialEnd end = TrialEnd::recovered;
  int recovery_status = 0;
  double seconds = 0;
  u64 acknowledged = 0;   // what the killed program had told to be durable
  u64 nested = 0;         // moments at which its recovery was killed
  u64 nested_at = 0;      // of them, the one behind which that could not be recovered; 0: none
  std::string last_line;  // of what the recovery printed
  std::string output;     // all of it, when the trial failed
  bool passed() const { return end == TrialEnd::recovered || end == TrialEnd::finished; }
  /// The process was really killed at the instruction, as it is unless it ends before.
  bool killed() const { return end == TrialEnd::recovered || end == TrialEnd::recovery_failed; }
};

struct CleanRun {
  unsigned long long instructions = 0;
  bool own_files = true;  // it made or changed a file in its folder
};

/// Runs the program once without a crash, and the recovery after it. A failure of either is a core::UserError with its
/// output.
CleanRun count_instructions(const CrashPlan&);

/// Moments 1 .. total of a recovery at which it is crashed: all of them, or `most`, spread over the whole of it.
std::vector<u64> spread_points(u64 total, std::size_t most, u64 seed);
/// The same for a plan: the one that it names, or spread ones. Throws core::UserError for one that there is not.
std::vector<u64> nested_points(const CrashPlan&, u64 total, u64 seed);

/// One trial in a folder of its own. Thread-safe.
Trial crash_at(const CrashPlan&, unsigned long long instruction);

/// `count` different points in 1 .. total (all of them if there are fewer), ascending; the same for the same seed.
std::vector<unsigned long long> random_points(unsigned long long total, std::size_t count, unsigned long long seed);

/// All trials, `jobs` at once, in the order of the points. `done` is told of each (from one thread at a time).
std::vector<Trial> run_trials(const CrashPlan&, const std::vector<unsigned long long>& points, unsigned jobs,
                              const std::function<void(std::size_t finished, std::size_t failed)>& done);

std::string_view name_of(TrialEnd);

}  // namespace ew::cli
