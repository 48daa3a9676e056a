// A failed crash state of `ew crash --states model` as it is told: what it is, between which lines of the program, and
// what to do about it. advice.cpp finds the words for the persists that are to blame.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/blame.hpp"

namespace ew::check {

/// Where a failure comes from.
enum class FailureClass : u8 {
  recovery_bug,          // it fails on a state that the run itself has passed through
  missing_order,         // no scope would make the state impossible
  scope_bug,             // with every scope widened to the system the state is impossible
  early_acknowledgement  // recovered, but something is missing that was acknowledged before the model promised it
};
std::string_view name_of(FailureClass);

struct ModelFailure {
  std::string state;
  std::string nested;  // the recovery was crashed in this state of its own; empty: it was not crashed
  FailureClass kind = FailureClass::missing_order;
  /// A persist that is durable and one that is not: what they are, and their lines. Empty: there is none.
  std::string durable, durable_at, not_durable, not_durable_at;
  std::string release_at, acquire_at;  // the synchronisation between them that is none, or too narrow
  std::vector<std::string> widen;      // scope_bug: what is too narrow
  std::string happened, advice;        // in plain words: why it fails, and what to do
  u64 acknowledged = 0;                // what the recovery was told, where that matters
  int status = 0;
  std::string output;
  u64 alike = 1;  // failed states that end in the same place of the program
};

/// A run whose persists a failure is explained by: the program's, or that of a recovery which was crashed.
struct ExplainedRun {
  const EventFile& events;
  const PersistGraph& graph;
  const PersistAxioms& axioms;
  bool of_recovery;
};
/// Class, lines and advice of a failure, from the persists that are to blame. `fails` judges states of the run.
void explain_blame(const ExplainedRun&, Blame, const Fails&, ModelFailure&);
/// The same of an acknowledgement that came too early: before `absent` was durable, or (`later`) stored.
void explain_early_acknowledgement(const ExplainedRun&, u32 absent, bool later, ModelFailure&);

}  // namespace ew::check
