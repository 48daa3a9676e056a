// What a program could do if loads could return any value that somebody writes: the event graphs among which a memory
// model chooses. Each thread runs alone, once for every value of every load; graphs are the combinations of such runs
// in which each value read has a write.
#pragma once

#include <functional>
#include <vector>

#include "check/event_graph.hpp"
#include "check/program.hpp"

namespace ew::check {

/// Calls visit(graph, registers) for every candidate; registers: values of all register slots at the end. An await is
/// its last, successful read: an execution in which it has read before allows no more than one in which it has not.
/// Throws core::UserError when the test is too large to enumerate.
void each_candidate(const Program&, const std::function<void(const EventGraph&, const std::vector<Value>&)>& visit);

}  // namespace ew::check
