// What an atomic does to its cell. PTX ISA, "atom" and "red".
#pragma once

#include "core/types.hpp"

namespace ew::core {

enum class AtomicOp : u8 { none, exch, cas, add, inc, dec, min, max, bit_and, bit_or, bit_xor };

}  // namespace ew::core
