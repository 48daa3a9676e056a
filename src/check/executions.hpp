// The executions of a litmus test under sequential consistency. Two interleavings are one execution if they differ only
// in the order of steps that do not conflict (steps without a common location, or that only read it). Persistency
// models see only the order of conflicting accesses. Explored with sleep sets (Godefroid, "Partial-Order Methods for
// the Verification of Concurrent Systems", 1996).
#pragma once

#include <functional>

#include "check/event_graph.hpp"
#include "check/program.hpp"

namespace ew::check {

struct Execution {
  EventGraph graph;     // events in the order of one of its interleavings, without initial writes
  Relation reads_from;  // write -> read; a read without one has the initial value
  Relation conflict;    // in their order: two accesses of one location, one a write; two outputs of one name
  Relation coherence;   // the pairs of `conflict` that are two writes
  Relation barriers;    // threads' arrivals at one barrier, in both directions

  /// An event can have happened only if the events before it have happened (program order, reads-from and barriers;
  /// transitive). So a crash keeps this order.
  Relation happened_before() const;
};

/// Calls visit for every execution, also for those in which a thread waits for ever. An await counts as its last,
/// successful read alone. Throws core::UserError when the test is too large.
void each_execution(const Program&, const std::function<void(const Execution&)>& visit);

}  // namespace ew::check
