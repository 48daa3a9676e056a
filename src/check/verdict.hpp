// The verdict on one litmus test: what its author expects, what the axioms allow, and what a machine showed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/litmus_run.hpp"
#include "check/persistency_litmus.hpp"

namespace ew::check {

/// The answer to one `expect final` row under one consistency model. There is an answer for each model that the row
/// names, and for the machine's model.
struct Answer {
  std::string question, model;
  std::optional<bool> expected;  // what the author expects; none: the row does not say
  bool allowed = false;          // the model's axioms allow it
  bool ran = false;              // the machine has this model
  u64 seen = 0, first_seed = 0;  // the machine's runs that ended in this state
  bool must_be_shown = false;    // the row says so for the machine's protocol
  bool agrees() const { return !expected || *expected == allowed; }
  bool missing() const { return must_be_shown && seen == 0; }
};

/// A final state that the machine showed, though the axioms of its consistency model forbid it.
struct Forbidden {
  std::string state;
  u64 runs = 0, first_seed = 0;
};

struct Verdict {
  std::string test;
  u32 line = 0;
  std::string not_judged;  // why the test is not judged (tests of kind drf are not executed yet); else empty
  std::string not_run;     // why no machine ran it; empty if one ran it, or if none was asked for
  std::vector<Answer> answers;
  std::vector<Forbidden> forbidden;
  std::optional<PersistencyVerdict> persistency;  // of a test of kind pm
  Histogram histogram;
  Program program;         // names the states in the histogram
  u64 allowed_states = 0;  // the number of final states that the machine's model allows
  u64 weak_runs = 0;       // runs whose final state no interleaving has
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

/// Without a plan the axioms alone are asked.
Verdict judge(const Litmus&, const std::string& file, const std::optional<RunPlan>& plan);

}  // namespace ew::check
