// One litmus test judged: what its author expects, what the axioms say, and what a machine showed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/litmus_run.hpp"
#include "check/persistency_litmus.hpp"

namespace ew::check {

/// One `expect final` row under one consistency model: each that the row names, and the machine's.
struct Answer {
  std::string question, model;
  std::optional<bool> expected;  // by the author; none: he does not say
  bool allowed = false;          // by the model's axioms
  bool ran = false;              // the machine has this model
  u64 seen = 0, first_seed = 0;  // its runs that ended so
  bool must_be_shown = false;    // under this protocol
  bool agrees() const { return !expected || *expected == allowed; }
  bool missing() const { return must_be_shown && seen == 0; }
};

/// A final state that the machine showed and the axioms of its consistency model forbid.
struct Forbidden {
  std::string state;
  u64 runs = 0, first_seed = 0;
};

struct Verdict {
  std::string test;
  u32 line = 0;
  std::string not_judged;  // why not: a kind that is not executed yet
  std::string not_run;     // why no machine ran it; empty also when none was asked for
  std::vector<Answer> answers;
  std::vector<Forbidden> forbidden;
  std::optional<PersistencyVerdict> persistency;  // of a test of kind pm
  Histogram histogram;
  Program program;         // names of the states in the histogram
  u64 allowed_states = 0;  // under the machine's model
  u64 weak_runs = 0;       // that no interleaving explains
  bool may_wait = false;   // a run may wait for ever: no failure
  bool failed() const;
};

struct RunPlan {
  LitmusMachine machine;
  std::string protocol;             // whose `expect shown` rows count
  std::string consistency = "ptx";  // the machine's model: what its axioms forbid must not be seen
  std::string persistency_column;   // empty: tests of kind pm do not run
  u64 first_seed = 0, seeds = 200;
};

/// `plan`: none: the axioms alone.
Verdict judge(const Litmus&, const std::string& file, const std::optional<RunPlan>& plan);

}  // namespace ew::check
