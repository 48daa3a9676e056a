// The page of `ew demo`: how long the program takes under each persistency model, which crashes it has recovered from,
// and the planted bug as the crash checker found it. `ew demo` prints the same numbers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/html_text.hpp"
#include "report/reproduction.hpp"

namespace ew::report {

/// A persistency model on a machine: a configuration of the study, which the program was timed and crashed on.
struct DemoConfiguration {
  std::string name;          // in the study: "sbrp_far"
  std::string model, place;  // "SBRP"; "far"
  const FinishedRun* run = nullptr;
  std::optional<double> microseconds, speedup, paper, persisted_bytes, read_misses;
  u64 instructions = 0;  // of the run that is crashed, in warps
  std::size_t crashes = 0, recovered = 0;
  std::vector<std::string> failures;  // one text a crash that was not recovered
  std::string label() const { return model + ", " + place; }
};

/// One place of the program that the checker blames.
struct DemoBlame {
  std::string kind;  // the class: "missing order"
  std::string durable, durable_at, not_durable, not_durable_at, happened, advice, recovery_says;
  u64 alike = 1;  // failed states that end here
};

/// Crash states that a persistency model allows of one run, each recovered.
struct DemoStates {
  u64 tried = 0, failed = 0;
};

struct DemoBug {
  std::string says;              // what is planted
  std::string build;             // the option that plants it
  std::filesystem::path source;  // its lines are shown
  DemoStates without, with;
  std::vector<DemoBlame> blames;
  /// The program fails in some state with the bug, and in none without it.
  bool found() const { return without.failed == 0 && with.failed > 0; }
};

struct DemoStory {
  const Reproduction* study = nullptr;
  std::string study_page;  // the study's own page, beside this one
  std::string program, timed_size, crashed_size;
  std::vector<DemoConfiguration> configurations;
  DemoBug bug;
  std::size_t crashes() const;
  std::size_t recovered() const;
};

std::string demo_page(const DemoStory&, const ChartLibrary&);

}  // namespace ew::report
