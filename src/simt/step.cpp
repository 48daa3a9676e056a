// For a GPU that asks before each instruction whether it may issue: one at a time, but for straight arithmetic.
#include <bit>

#include "simt/alu.hpp"
#include "simt/executor.hpp"
#include "simt/lane_values.hpp"
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

void Executor::compute(Warp& warp, const ptx::Instr* first, u32 count, u32 row_base, u32 predicate_base) {
  Split& split = warp.split();
  Grid& grid = *warp.block->grid;
  split.pc += count;
  grid.counters.warp_instructions += count;
  alignas(64) u32 blend[warp_lanes];
  Lanes lanes{.rows = warp.rows.data() + std::size_t{row_base} * warp_lanes,
              .constants = grid.kernel->constants.data(),
              .predicates = warp.predicates.data() + predicate_base,
              .mask = split.mask,
              .blend = blend,
              .kernel = grid.kernel};
  const LaneMask running = split.mask;
  LaneMask expanded = all_lanes;
  u64 threads = 0;
  for (const ptx::Instr *instr = first, *const end = first + count; instr != end; ++instr) {
    LaneMask mask = running;
    if (instr->guard != ptx::always) {
      const LaneMask guard = lanes.predicates[instr->guard & 0x7fff];
      mask &= instr->guard & ptx::negated ? ~guard : guard;
      if (mask == 0) continue;
    }
    lanes.mask = mask;
    threads += static_cast<u32>(std::popcount(mask));
    if (mask != all_lanes && mask != expanded) [[unlikely]] {
      for (u32 i = 0; i < warp_lanes; ++i) blend[i] = -((mask >> i) & 1);
      expanded = mask;
    }
    if (instr->op >= ptx::Op::alu) [[likely]]
      execute_alu(*instr, lanes);
    else
      value(warp, *instr, mask, row_base);
  }
  grid.counters.thread_instructions += threads;
}

bool Executor::is_arithmetic(const Grid& grid, const ptx::Instr& instr) {
  switch (instr.op) {
    case ptx::Op::mov_special:
      return !is_clock(static_cast<ptx::Special>(instr.imm));
    case ptx::Op::convert_address:
    case ptx::Op::nop:
      return true;
    case ptx::Op::memory:
      return reads_parameters(grid, instr);
    default:
      return instr.op >= ptx::Op::alu;
  }
}

void Executor::value(Warp& warp, const ptx::Instr& instr, LaneMask mask, u32 row_base) {
  switch (instr.op) {
    case ptx::Op::mov_special:
      return special_register(warp, instr, mask, limits_, 1);
    case ptx::Op::convert_address:
      return convert_address(warp, instr, mask);
    case ptx::Op::memory:
      return memory_.read_parameters(warp, instr, mask, row_base);
    default:
      return;
  }
}

bool Executor::other(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  const ptx::Pc pc = warp.split().pc;
  switch (instr.op) {
    case ptx::Op::memory:
      if (memory_.access(warp, instr, mask)) return go_on(warp, pc + 1);
      return !faults_.pending() && another(warp);
    case ptx::Op::bra:
      if (mask == warp.split().mask && SpinDetector::is_plain(warp, pc, instr.imm)) return go_on(warp, instr.imm);
      return flow_.branch(warp, instr, mask);
    case ptx::Op::mov_special:
      special_register(warp, instr, mask, limits_, 1);
      return go_on(warp, pc + 1);
    case ptx::Op::nop:
      return go_on(warp, pc + 1);
    case ptx::Op::convert_address:
      convert_address(warp, instr, mask);
      return go_on(warp, pc + 1);
    default:
      return control(warp, instr, mask);
  }
}

Outcome Executor::run_alone(Warp& warp) {
  Split& split = warp.split();
  Grid& grid = *warp.block->grid;
  const ptx::Instr& instr = grid.kernel->code[split.pc];
  LaneMask mask = split.mask;
  if (instr.guard != ptx::always) {
    const LaneMask guard = warp.predicates.data()[warp.frames[split.frame].predicate_base + (instr.guard & 0x7fff)];
    mask &= instr.guard & ptx::negated ? ~guard : guard;
  }
  spins_.begin();
  ++grid.counters.warp_instructions;
  grid.counters.thread_instructions += mask == all_lanes ? warp_lanes : static_cast<u32>(std::popcount(mask));
  if (!mask)
    ++split.pc;
  else if (!other(warp, instr, mask))
    return stuck(warp);
  if (warp.split().pc == warp.stop() && !warp.arrive() && !another(warp)) return stuck(warp);
  return spins_.yields() ? Outcome::spinning : Outcome::running;
}

Outcome Executor::stuck(const Warp& warp) const {
  if (faults_.pending()) return Outcome::faulted;
  if (!warp.live) return Outcome::ended;
  return warp.spin.spins & warp.live ? Outcome::spinning : Outcome::blocked;
}

}  // namespace ew::simt
