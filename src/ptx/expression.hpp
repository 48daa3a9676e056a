// Constant expressions (PTX ISA, section 4.5 "Constants"): 64-bit integers, signed unless an operand is unsigned, and
// doubles.
#pragma once

#include <string_view>

#include "core/types.hpp"
#include "ptx/tokens.hpp"

namespace ew::ptx {

struct Constant {
  bool is_float = false;
  bool is_unsigned = false;
  u64 bits = 0;  // integer, or the double's bits
};

Constant parse_constant(TokenReader&);
i64 parse_constant_integer(TokenReader&, std::string_view what);
/// A single constant with what stands before it, as the 4 of x + -4: no operator between two constants.
Constant parse_signed_constant(TokenReader&);

}  // namespace ew::ptx
