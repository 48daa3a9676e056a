// The rows of a test, `expect …`: what its author expects of each model. Private to the parser.
#pragma once

#include <functional>

#include "check/litmus.hpp"
#include "check/litmus_lexer.hpp"

namespace ew::check {

/// Reads the rest of a line behind `expect`. `condition` reads an expression from the lexer.
void parse_row(LineLexer&, Litmus&, const std::function<Expression()>& condition);

}  // namespace ew::check
