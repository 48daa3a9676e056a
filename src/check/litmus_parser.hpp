// Reads .glt text. A mistake is a core::UserError with file, line, what was expected and the nearest valid word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/litmus.hpp"

namespace ew::check {

/// `file` stands in messages. Names of tests are unique in a file; conditions name what their test has.
std::vector<Litmus> parse_litmus(std::string_view text, const std::string& file);

}  // namespace ew::check
