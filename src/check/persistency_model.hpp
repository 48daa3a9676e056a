// What a row of axioms (persistency/axioms.hpp) makes of one execution of a litmus test: the order in which its
// persists become durable, and what is durable when something has happened. execution_crashes.hpp makes of it the
// states that a crash may leave. Axioms and the letters of the readings (A1 ..) are those of docs/litmus.md.
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
  flag_after,     // a released flag in persistent memory is after what it publishes
  acquired_flag,  // an atomic that acquires is itself before what follows
  inter,          // a release before the one synchronises with an acquire before the other
  flag_before,    // a released flag in persistent memory is before what its acquirer writes
  coherence,      // writes of one location
  epoch,          // memory accesses on two sides of an epoch barrier
  conflict,       // conflicting accesses, one after the other
  volatile_order  // performed in this order
};
std::string_view text_of(Axiom);

/// What a model makes of one execution.
struct PersistOrder {
  struct Part {
    Axiom axiom;
    Relation pairs;
  };
  Relation order;                    // pmo: on persists, transitive
  std::vector<Part> parts;           // whose least transitive relation, on persists, is pmo
  std::vector<EventSet> durable_at;  // of each event: the persists that are durable once it has happened
};

PersistOrder persist_order(const Execution&, const PersistAxioms&);

/// The columns of `expect crash` and `expect images`.
std::span<const PersistAxioms* const> persistency_columns();
/// The number of a row among them.
u32 column_of(const PersistAxioms&);

/// One reading of SBRP changed.
struct ReadingChange {
  std::string_view id, sentence;
  void (*change)(PersistAxioms&);
  /// Settled, but for this.
  PersistAxioms axioms() const {
    PersistAxioms changed = persistency::sbrp_axioms;
    change(changed);
    return changed;
  }
};
std::span<const ReadingChange> reading_changes();

}  // namespace ew::check
