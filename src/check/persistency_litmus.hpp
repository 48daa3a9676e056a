// A test of kind pm judged: every crash image of every execution under every model, what its rows expect beside what
// was found, and for each answer the evidence: a crash that shows it, or the order that forbids it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/litmus_run.hpp"

namespace ew::check {

/// One step of an execution that a crash ends, and what became of it.
struct WitnessStep {
  enum class Fate : u8 { happened, durable, lost, not_yet };
  std::string text;  // T0: st A 1
  u32 line = 0;      // of the file
  Fate fate = Fate::happened;
  bool operator==(const WitnessStep&) const = default;
};
std::string_view text_of(WitnessStep::Fate);

/// Why a model allows a crash image, or does not.
struct Evidence {
  std::string image;               // A=0 B=1; empty: no execution has values that the question asks for
  std::vector<WitnessStep> steps;  // one execution, as it happened, up to and beyond the crash
  std::vector<std::string> order;  // the persist order that is missing, or that stands in the way
};

/// What distinguishes an image that sbrp allows (memory-models' lattice, docs/litmus.md).
enum class CrashClass : u8 { forbidden, logic, order, scope, order_by_reading, scope_by_reading };
std::string_view text_of(CrashClass);

struct CrashAnswer {
  struct Cell {
    std::optional<bool> expected;  // allowed; none: the row does not say
    bool allowed = false;
    Evidence evidence;
    bool agrees() const { return !expected || *expected == allowed; }
  };
  std::string question;
  u32 line = 0;
  std::vector<Cell> cells;  // in the order of persistency_columns()
  CrashClass class_of = CrashClass::forbidden;
  std::vector<u32> readings;  // of reading_changes(): those with which sbrp answers otherwise
  bool agrees() const;
};

struct ImagesAnswer {
  struct Cell {
    std::optional<u64> expected;
    u64 found = 0;
    bool agrees() const { return !expected || *expected == found; }
  };
  u32 line = 0;
  std::vector<Cell> cells;
  bool agrees() const;
};

/// What crashes of runs on a machine left, beside what the column of its persistency model allows.
struct PersistencyRuns {
  struct Image {
    std::string text;
    u64 crashes = 0, first_seed = 0;
  };
  std::string column;
  u64 runs = 0, unfinished = 0, crashes = 0;
  u64 allowed = 0;               // images, by the axioms
  u64 shown = 0, weak = 0;       // of these; and of those, that strict persistency forbids
  std::vector<Image> forbidden;  // shown all the same
};

/// Where tests of kind pm run, and the column that judges what their crashes leave.
struct PersistencyRunPlan {
  std::string column;
  std::function<Histogram(const Program&)> run;
};

struct PersistencyVerdict {
  std::vector<CrashAnswer> crashes;
  std::vector<ImagesAnswer> images;
  std::vector<std::string> races;  // accesses that make the verdicts those of interleavings only
  u64 executions = 0;
  std::optional<PersistencyRuns> runs;
  bool agrees() const;
  /// A forbidden image was shown, though the program has no race that could explain it.
  bool broken() const { return runs && !runs->forbidden.empty() && races.empty(); }
};

/// REQUIRES: kind pm. Throws core::UserError when the test is too large, or asks for what a crash does not leave.
PersistencyVerdict judge_persistency(const Litmus&, const std::string& file,
                                     const std::optional<PersistencyRunPlan>& = {});

}  // namespace ew::check
