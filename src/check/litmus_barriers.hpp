// The rules for the barriers of a litmus test: PTX ISA, "barrier{.cta}".
#pragma once

#include <string>

#include "check/litmus.hpp"

namespace ew::check {

/// Throws core::UserError if a rule is broken:
/// - all uses of a barrier in a block name the same thread count, or none;
/// - every thread of the block comes to a barrier without a count equally often;
/// - a thread that comes to a barrier with a count has a warp of its own.
void check_barriers(const Litmus&, const std::string& file);

}  // namespace ew::check
