// A limit of registers that a build or a program sets for a whole module (-maxrregcount, CU_JIT_MAX_REGISTERS).
#pragma once

#include <string>
#include <string_view>

#include "core/types.hpp"

namespace ew::ptx {

/// The assembler raises a lower limit to this: a call needs so many (ptxas 13.0 for sm_80 and sm_90).
inline constexpr u32 fewest_registers_allowed = 24;

/// PTX in which each kernel has .maxnreg `most`. Kernels with .maxntid or .maxnreg stay as they are.
std::string with_most_registers(std::string_view ptx, u32 most);

}  // namespace ew::ptx
