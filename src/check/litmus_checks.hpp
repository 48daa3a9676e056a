// What a litmus test must keep to beyond its grammar. For the parser and program.cpp.
#pragma once

#include <string>

#include "check/litmus.hpp"

namespace ew::check {

/// Empty, or why the tags do not suit the statement in a test of this kind.
std::string wrong_tag(TestKind, const Statement&);

/// Names that conditions and expressions use exist; what the kind cannot say is not there. Throws core::UserError.
void check_litmus(const Litmus&, const std::string& file);

/// Every location that a statement of the test names, in the order of appearance, outputs not among them.
std::vector<std::string> locations_of(const Litmus&);
/// Every name that `out` writes, in the order of appearance.
std::vector<std::string> outputs_of(const Litmus&);

}  // namespace ew::check
