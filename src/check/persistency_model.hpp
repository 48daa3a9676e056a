// The axioms of the persistency models, one function each: what order of becoming durable an execution promises, and
// what has become durable when something has happened. execution_crashes.hpp makes of it the states that a crash may
// leave. The columns of tests of kind pm stand here in one table. Axioms and the letters of the readings (A1 ..) are
// those of docs/litmus.md.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "check/executions.hpp"

namespace ew::check {

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

/// The places where the text of SBRP leaves room, each set as docs/litmus.md settles it.
struct SbrpReading {
  bool coherence = true;          // A1: persists of one location are ordered
  bool release_waits = false;     // A3: a pRel is visible only when what precedes it is durable
  bool flag_after = true;         // A4
  bool flag_before = false;       // A5
  bool equal_scopes = false;      // A6: pRel and pAcq must name the same scope
  bool cumulative = true;         // A7: what was acquired is released on, also without a persist between
  bool any_release = false;       // A8: an earlier pRel of the variable is enough; it need not be the one read
  bool other_thread = false;      // A9: of another thread
  bool two_way = false;           // A10: pRel and pAcq order all persists around them
  bool fences = true;             // A11: conventional fences order persists of their thread
  bool durable_fences = false;    // A11: and those of scope sys make them durable
  bool barriers = true;           // A12
  bool conventional = true;       // A13: conventional synchronisation orders persists across threads
  bool mixed = false;             // A13: pRel pairs with a conventional acquire, pAcq with a conventional release
  bool acquired_durable = false;  // A14: dFence covers what its thread has acquired
  bool widened = false;           // every scope is sys
};
PersistOrder sbrp_order(const Execution&, const SbrpReading&);
PersistOrder epoch_order(const Execution&);
PersistOrder gpm_order(const Execution&, bool ddio);
PersistOrder strict_order(const Execution&);

/// A column of `expect crash` and `expect images`.
struct PersistencyModel {
  std::string_view name, sentence;
  std::optional<SbrpReading> reading;                 // of a model that is SBRP
  PersistOrder (*other)(const Execution&) = nullptr;  // of one that is not
  PersistOrder order(const Execution& x) const { return reading ? sbrp_order(x, *reading) : other(x); }
};
std::span<const PersistencyModel> persistency_models();

/// One reading of SBRP changed.
struct ReadingChange {
  std::string_view id, sentence;
  bool SbrpReading::*member;
  /// Settled, but for this.
  SbrpReading reading() const {
    SbrpReading changed;
    changed.*member = !(changed.*member);
    return changed;
  }
};
std::span<const ReadingChange> reading_changes();

}  // namespace ew::check
