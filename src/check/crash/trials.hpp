// Trials at crash points. A program is really killed after its Nth warp instruction, or in its Nth cycle. Then the
// recovery is started.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/crash/plan.hpp"

namespace ew::check {

enum class TrialEnd {
  recovered,  // killed, and the recovery succeeded
  finished,   // the program ended by itself before the crash point; its recovery succeeded
  recovery_failed,
  program_failed,  // it ended before the crash point with an error
};

struct Trial {
  unsigned long long moment = 0;  // a warp instruction, or a cycle (CrashPlan::cycles)
  TrialEnd end = TrialEnd::recovered;
  int recovery_status = 0;
  double seconds = 0;
  u64 acknowledged = 0;   // the progress that the killed program had acknowledged
  u64 nested = 0;         // the number of moments at which its recovery was killed
  u64 nested_at = 0;      // the moment at which a killed recovery was not recovered; 0: there is none
  std::string last_line;  // the last line that the recovery printed
  std::string output;     // all that it printed, if the trial failed
  bool killed = false;    // the program was killed at that moment; else it had ended before
  bool passed() const { return end == TrialEnd::recovered || end == TrialEnd::finished; }
};

struct CleanRun {
  unsigned long long moments = 0;  // warp instructions, or cycles
  bool own_files = true;           // the program made or changed a file in its folder, and no pool is elsewhere
};

/// Runs the program once without a crash, and then the recovery. If one of them fails, throws core::UserError with the
/// output.
CleanRun run_once(const CrashPlan&);

/// One trial in a folder of its own. Thread-safe.
Trial crash_at(const CrashPlan&, unsigned long long moment);

/// Runs all trials, `jobs` at the same time. Returns them in the order of the points. Calls `done` after each, from one
/// thread at a time.
std::vector<Trial> run_trials(const CrashPlan&, const std::vector<unsigned long long>& points, unsigned jobs,
                              const std::function<void(std::size_t finished, std::size_t failed)>& done);

std::string_view name_of(TrialEnd);

}  // namespace ew::check
