// One instruction at a time, for a GPU that asks before each whether it may issue.
#include <bit>

#include "simt/alu.hpp"
#include "simt/executor.hpp"
#include "simt/parting.hpp"

namespace ew::simt {

bool Executor::make_ready(Warp& warp) {
  if (warp.split_count == 0) return false;
  if (warp.split().state != SplitState::running && !another(warp)) return false;
  if (warp.split_count > 1) warp.merge();
  while (warp.split().pc == warp.stop())
    if (!warp.arrive() && !another(warp)) return false;
  return true;
}

void Executor::step(Warp& warp) {
  Split& split = warp.split();
  const Frame& frame = warp.frames[split.frame];
  Grid& grid = *warp.block->grid;
  const ptx::Kernel& kernel = *grid.kernel;
  const ptx::Instr& instr = kernel.code[split.pc];
  u32* const predicates = warp.predicates.data() + frame.predicate_base;
  LaneMask mask = split.mask;
  if (instr.guard != ptx::always) {
    const LaneMask guard = predicates[instr.guard & 0x7fff];
    mask &= instr.guard & ptx::negated ? ~guard : guard;
  }
  ++split.pc;
  ++grid.counters.warp_instructions;
  grid.counters.thread_instructions += mask == all_lanes ? warp_lanes : static_cast<u32>(std::popcount(mask));
  if (mask == 0) return;
  alignas(64) u32 blend[warp_lanes];
  if (mask != all_lanes)
    for (u32 i = 0; i < warp_lanes; ++i) blend[i] = -((mask >> i) & 1);
  execute_alu(instr, {.rows = warp.rows.data() + std::size_t{frame.row_base} * warp_lanes,
                      .constants = kernel.constants.data(),
                      .predicates = predicates,
                      .mask = mask,
                      .blend = blend,
                      .kernel = &kernel});
}

}  // namespace ew::simt
