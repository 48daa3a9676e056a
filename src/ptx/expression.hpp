// The value of a constant expression (PTX ISA, section 4.5 "Constants"): 64-bit integers, signed unless an operand is
// unsigned, and doubles.
#pragma once

#include "core/types.hpp"

namespace ew::ptx {

struct Constant {
  bool is_float = false;
  bool is_unsigned = false;
  u64 bits = 0;  // integer, or the double's bits
};

}  // namespace ew::ptx
