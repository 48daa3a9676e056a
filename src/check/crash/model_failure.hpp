// A failed crash state of `ew crash --states model`, as it is reported: its class, the two lines of the program, and
// what to do about it. advice.cpp finds the words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/blame.hpp"
#include "check/host_calls.hpp"

namespace ew::check {

/// The cause of a failure.
enum class FailureClass : u8 {
  recovery_bug,          // the recovery fails on a state that the run itself has passed through
  missing_order,         // the state is possible with any scopes: an order is missing
  torn_store,            // of the bytes that one instruction stores only some are durable
  scope_bug,             // the state would be impossible if every scope were that of the system
  early_acknowledgement  // the program has acknowledged something before the model promised that it is durable
};
std::string_view name_of(FailureClass);

struct ModelFailure {
  std::string state;
  std::string nested;  // the state of the recovery's own persists in which it was crashed; empty: it was not crashed
  FailureClass kind = FailureClass::missing_order;
  /// A persist that is durable and one that is not, and the lines of both. Empty: there is none.
  std::string durable, durable_at, not_durable, not_durable_at;
  std::string release_at, acquire_at;  // two accesses between them that do not synchronise, or too narrowly
  std::vector<std::string> widen;      // scope_bug: the accesses whose scope is too narrow
  std::string happened, advice;        // in plain words: why it fails, and what to do
  u64 acknowledged = 0;                // the progress that the recovery was told, if that matters
  int status = 0;
  std::string output;
  u64 alike = 1;  // failed states that end in the same place of the program
};

/// The run whose persists explain a failure: the program's, or that of a recovery which was crashed.
struct ExplainedRun {
  const EventFile& events;
  const PersistGraph& graph;
  const PersistAxioms& axioms;
  bool of_recovery;
  HostCalls calls{events, axioms};
};
/// Fills in a failure's class, lines and advice, from the persists that are to blame. `fails` judges states of the run.
void explain_blame(const ExplainedRun&, Blame, const Fails&, ModelFailure&);
/// The same for an acknowledgement that came too early: before `absent` was durable, or (`later`) before it was stored.
void explain_early_acknowledgement(const ExplainedRun&, u32 absent, bool later, ModelFailure&);

}  // namespace ew::check
