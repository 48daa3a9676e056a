// Applies a row of axioms (persistency/axioms.hpp) to one execution of a litmus test. The result is the order in which
// its persists become durable, and what is durable once an event has happened. execution_crashes.hpp makes the crash
// states from it. docs/litmus.md has the axioms and the readings (A1 ..).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "check/executions.hpp"
#include "persistency/axioms.hpp"

namespace ew::check {

using persistency::PersistAxioms;

/// Why one persist is before another.
enum class Axiom : u8 {
  intra,          // a fence of the thread stands between them
  flag_after,     // the second is a released flag in persistent memory, which publishes the first
  acquired_flag,  // the first is an atomic that acquires; the second follows it
  inter,          // a release behind the first synchronises with an acquire before the second
  flag_before,    // the first is a released flag in persistent memory; the second follows its acquire
  coherence,      // both write one location
  epoch,          // they are accesses on two sides of an epoch barrier
  conflict,       // they are conflicting accesses
  volatile_order  // they were performed in this order
};
std::string_view text_of(Axiom);

/// The result for one execution.
struct PersistOrder {
  struct Part {
    Axiom axiom;
    Relation pairs;
  };
  Relation order;                    // persist memory order (pmo): between persists, transitive
  std::vector<Part> parts;           // pmo is the transitive closure of these, between persists
  std::vector<EventSet> durable_at;  // for each event: the persists that are durable once it has happened
};

PersistOrder persist_order(const Execution&, const PersistAxioms&);

/// The columns of `expect crash` and `expect images`.
std::span<const PersistAxioms* const> persistency_columns();
/// The number of a row among them.
u32 column_of(const PersistAxioms&);

/// A change of one reading of SBRP.
struct ReadingChange {
  std::string_view id, sentence;
  void (*change)(PersistAxioms&);
  /// Our readings of SBRP, with this change.
  PersistAxioms axioms() const {
    PersistAxioms changed = persistency::sbrp_axioms;
    change(changed);
    return changed;
  }
};
std::span<const ReadingChange> reading_changes();

}  // namespace ew::check
