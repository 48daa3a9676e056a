// The runs of a litmus test under sequential consistency, one of each kind: two interleavings that differ only in the
// order of steps that do not meet (no common location, or only reads of it) are one execution, for every persistency
// model sees the order of conflicting accesses only. Explored with sleep sets (Godefroid, "Partial-Order Methods for
// the Verification of Concurrent Systems", 1996).
#pragma once

#include <functional>

#include "check/event_graph.hpp"
#include "check/program.hpp"

namespace ew::check {

struct Execution {
  EventGraph graph;     // events in the order of one of its interleavings; initial writes are none of them
  Relation reads_from;  // write -> read; a read without one has the initial value
  Relation conflict;    // accesses of one location, a write among them, and outputs of one name, as they followed
  Relation coherence;   // of these, writes of one location
  Relation barriers;    // threads' arrivals at one barrier, both ways

  /// What a crash cannot part: an event has happened only if those before it have (po, reads-from, barriers;
  /// transitive).
  Relation happened_before() const;
};

/// Calls visit for every execution, also for those that end with a thread that waits for ever. An await is its last,
/// successful read. Throws core::UserError when the test is too large.
void each_execution(const Program&, const std::function<void(const Execution&)>& visit);

}  // namespace ew::check
