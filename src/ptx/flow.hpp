// Control flow and liveness of one function: basic blocks, immediate post-dominators, which registers share a row.
#pragma once

#include <vector>

#include "ptx/ast.hpp"
#include "ptx/kernel.hpp"
#include "ptx/register_need.hpp"

namespace ew::ptx {

struct Flow {
  std::vector<Pc> reconverge;  // per instruction (function-relative): for bra/brx the immediate post-dominator's first
                               // instruction, no_pc when that is the function's exit; for lanes of a kernel
                               // whose others return early, that of the lanes that stay
  std::vector<Row> row_of;     // per register: first row (aligned to its size), no_row when never used
  std::vector<u16> predicate_of;  // per register of type pred
  u32 rows = 0, predicates = 0;   // how many of each an activation needs
  RegisterNeed need;              // of a real GPU's registers
  std::vector<bool> reachable;    // per instruction
};

/// Registers whose live ranges do not meet share rows (linear scan; a guarded write keeps the old value live).
Flow analyse(const ast::Function&);

}  // namespace ew::ptx
