// One instruction at a time, for a GPU that asks before each whether it may issue.
#include <bit>

#include "simt/alu.hpp"
#include "simt/executor.hpp"
#include "simt/parting.hpp"

namespace ew::simt {

bool Executor::find_ready(Warp& warp) {
  if (warp.split_count == 0) return false;
  if (warp.split().state != SplitState::running && !another(warp)) return false;
  if (warp.split_count > 1) warp.merge();
  while (warp.split().pc == warp.stop())
    if (!warp.arrive() && !another(warp)) return false;
  return true;
}

void Executor::step(Warp& warp, const ptx::Instr& instr, u32 row_base, u32 predicate_base) {
  Split& split = warp.split();
  Grid& grid = *warp.block->grid;
  const ptx::Kernel& kernel = *grid.kernel;
  u32* const predicates = warp.predicates.data() + predicate_base;
  LaneMask mask = split.mask;
  if (instr.guard != ptx::always) {
    const LaneMask guard = predicates[instr.guard & 0x7fff];
    mask &= instr.guard & ptx::negated ? ~guard : guard;
  }
  ++split.pc;
  ++grid.counters.warp_instructions;
  Lanes lanes{.rows = warp.rows.data() + std::size_t{row_base} * warp_lanes,
              .constants = kernel.constants.data(),
              .predicates = predicates,
              .mask = mask,
              .kernel = &kernel};
  if (mask == all_lanes) [[likely]] {
    grid.counters.thread_instructions += warp_lanes;
    return execute_alu(instr, lanes);
  }
  if (mask == 0) return;
  grid.counters.thread_instructions += static_cast<u32>(std::popcount(mask));
  alignas(64) u32 blend[warp_lanes];
  for (u32 i = 0; i < warp_lanes; ++i) blend[i] = -((mask >> i) & 1);
  lanes.blend = blend;
  execute_alu(instr, lanes);
}

}  // namespace ew::simt
