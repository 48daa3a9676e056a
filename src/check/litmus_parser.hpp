// Reads .glt text. A mistake is a core::UserError with file, line, what was expected and the nearest valid word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/litmus.hpp"

namespace ew::check {

/// `file` is the name for messages. The names of tests are different within a file. Conditions use only names of their
/// test.
std::vector<Litmus> parse_litmus(std::string_view text, const std::string& file);

}  // namespace ew::check
