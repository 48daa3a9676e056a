// The verdict on a test of kind pm. It finds every crash image of every execution under every model, and compares each
// row of the test with them. Each answer has its evidence: a crash that leaves the image, or the order that forbids it.
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
  std::vector<WitnessStep> steps;  // one execution, in its order, before the crash and after it
  std::vector<std::string> order;  // allowed: the persist order that is missing; forbidden: the order that forbids it
};

/// Why sbrp allows an image (docs/litmus.md).
enum class CrashClass : u8 { forbidden, logic, order, scope, order_by_reading, scope_by_reading };
std::string_view text_of(CrashClass);

struct CrashAnswer {
  struct Cell {
    std::optional<bool> expected;  // true: allowed; none: the row does not say
    bool allowed = false;
    Evidence evidence;
    bool agrees() const { return !expected || *expected == allowed; }
  };
  std::string question;
  u32 line = 0;
  std::vector<Cell> cells;  // in the order of persistency_columns()
  CrashClass class_of = CrashClass::forbidden;
  std::vector<u32> readings;  // numbers in reading_changes(): changes with which sbrp has the other answer
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

/// The images that crashes on a machine left, compared with those that the machine's persistency model allows.
struct PersistencyRuns {
  struct Image {
    std::string text;
    u64 crashes = 0, first_seed = 0;
  };
  std::string column;
  u64 runs = 0, unfinished = 0, crashes = 0;
  u64 allowed = 0;               // images that the axioms allow
  u64 shown = 0, weak = 0;       // allowed images that were shown; those among them that strict persistency forbids
  std::vector<Image> forbidden;  // images that were shown, though the axioms forbid them
};

/// How tests of kind pm run, and the column that judges the images of their crashes.
struct PersistencyRunPlan {
  std::string column;
  std::function<Histogram(const Program&)> run;
};

struct PersistencyVerdict {
  std::vector<CrashAnswer> crashes;
  std::vector<ImagesAnswer> images;
  std::vector<std::string> races;  // if there are any, the verdicts are about interleavings only
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
