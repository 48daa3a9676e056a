// The rules for a litmus test beyond its grammar. Used by the parser and program.cpp.
#pragma once

#include <string>

#include "check/litmus.hpp"

namespace ew::check {

/// Says why the statement cannot have these tags in a test of this kind; empty if it can.
std::string wrong_tag(TestKind, const Statement&);

/// Throws core::UserError if a condition or expression uses a name that does not exist, or if the test has something
/// that its kind does not permit.
void check_litmus(const Litmus&, const std::string& file);

/// Every location that a statement of the test names, without outputs, in the order of appearance.
std::vector<std::string> locations_of(const Litmus&);
/// Every name that `out` writes, in the order of appearance.
std::vector<std::string> outputs_of(const Litmus&);

}  // namespace ew::check
