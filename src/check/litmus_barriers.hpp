// What the barriers of a litmus test must keep to: PTX ISA, "barrier{.cta}".
#pragma once

#include <string>

#include "check/litmus.hpp"

namespace ew::check {

/// All uses of a barrier in a block name one thread count; a barrier without one is met by every thread of the block
/// equally often; who meets one with a count has a warp of its own. Throws core::UserError.
void check_barriers(const Litmus&, const std::string& file);

}  // namespace ew::check
