// The candidate executions of a program: what it could do if a load could return any value that some thread writes. A
// memory model chooses among these event graphs. Each thread runs alone, once for every value of every load. A
// candidate is a combination of such runs in which some write has each value that is read.
#pragma once

#include <functional>
#include <vector>

#include "check/event_graph.hpp"
#include "check/program.hpp"

namespace ew::check {

/// Calls visit(graph, registers) for every candidate. `registers` has the values of all register slots at the end. An
/// await counts as its last, successful read alone: its earlier reads allow no further final state. Throws
/// core::UserError when the test is too large to enumerate.
void each_candidate(const Program&, const std::function<void(const EventGraph&, const std::vector<Value>&)>& visit);

}  // namespace ew::check
