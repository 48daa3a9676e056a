// How many registers of a thread would a compiler for a GPU give a function? An estimate: such compilers are not
// public. docs/semantics/execution.md has what it rests on, and how far it is from NVIDIA's ptxas.
#pragma once

#include <vector>

#include "ptx/ast.hpp"
#include "ptx/graph.hpp"

namespace ew::ptx {

/// 32-bit registers, a 64-bit value takes two; predicates have registers of their own.
struct RegisterNeed {
  struct Call {
    u32 instruction = 0;
    u32 kept = 0;  // in use before and behind it
  };
  u32 most = 0;  // in use at one point of the function, without what it calls
  std::vector<Call> calls;
};

/// Not counted: what lies in the constant bank or in registers of a warp (parameters of a kernel, constants, block and
/// grid sizes, and integers computed from these alone). A copy, or an address with a constant offset, has the register
/// of what it comes from.
RegisterNeed register_need(const ast::Function&, const Graph&);

/// What a kernel gets that needs so many: compilers for GPUs begin loads early while that costs no occupancy.
u32 registers_given(u32 needed);

}  // namespace ew::ptx
