// Executes an instruction that computes on registers only: every Op from Op::alu up.
//
// The bodies (alu/) are compiled twice, for any x86-64 and for x86-64-v3, with results that are equal to the bit; the
// faster that the processor can run is chosen once, when the program starts. No state, any thread.
#pragma once

#include <string_view>

#include "core/types.hpp"
#include "ptx/kernel.hpp"

namespace ew::simt {

/// What an ALU instruction sees of its warp: the registers of one activation, and which lanes take part.
struct Lanes {
  u32* rows = nullptr;
  const u32* constants = nullptr;
  u32* predicates = nullptr;
  LaneMask mask = 0;
  const u32* blend =
      nullptr;  // u32[32], 64-byte aligned: ~0 for the lanes of mask, else 0; read only when mask is not all ones
  const ptx::Kernel* kernel = nullptr;
};

using AluBody = void (*)(const ptx::Instr&, const Lanes&);

namespace alu::baseline {
const AluBody* bodies();
}
namespace alu::v3 {
const AluBody* bodies();
}

extern const AluBody* const alu_bodies;

/// REQUIRES: instr.op >= Op::alu; the guard is folded into lanes.mask, which is not 0. Lanes outside the mask keep all
/// their values.
inline void execute_alu(const ptx::Instr& instr, const Lanes& lanes) {
  alu_bodies[static_cast<u32>(instr.op) - static_cast<u32>(ptx::Op::alu)](instr, lanes);
}

/// "x86-64-v3" or "x86-64": what execute_alu runs.
std::string_view alu_clone();

}  // namespace ew::simt
