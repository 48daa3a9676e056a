// The instruction loop. What it keeps in variables (pc, lanes, row pointers) is the current split's; whatever may
// change the splits gets them written back first and read again afterwards.
#include <bit>

#include "simt/alu.hpp"
#include "simt/executor.hpp"
#include "simt/lane_values.hpp"
#include "simt/parting.hpp"

namespace ew::simt {
namespace {

void expand(LaneMask mask, u32* blend) {
  for (u32 i = 0; i < warp_lanes; ++i) blend[i] = -((mask >> i) & 1);
}

}  // namespace

Outcome Executor::run(Warp& warp, u64 budget, u64& executed) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const ptx::Instr* const code = kernel.code.data();
  alignas(64) u32 blend[warp_lanes];
  Lanes lanes{.constants = kernel.constants.data(), .blend = blend, .kernel = &kernel};
  LaneMask expanded = 0, active = 0;
  expand(0, blend);
  ptx::Pc pc = 0, stop = 0;
  u64 left = budget, threads = 0;
  spins_.begin();

  const auto read_split = [&] {
    const Split& split = warp.split();
    const Frame& frame = warp.frames[split.frame];
    pc = split.pc;
    active = split.mask;
    stop = warp.stop();
    lanes.rows = warp.rows.data() + std::size_t{frame.row_base} * warp_lanes;
    lanes.predicates = warp.predicates.data() + frame.predicate_base;
  };
  const auto done = [&](Outcome outcome) {
    executed = budget - left;
    Counters& counters = warp.block->grid->counters;
    counters.warp_instructions += executed;
    counters.thread_instructions += threads;
    return outcome;
  };

  if (warp.split().state != SplitState::running && !another(warp)) return done(stuck(warp));
  if (warp.split_count > 1) warp.merge();
  read_split();
  for (;;) {
    while (pc == stop) {  // the split that goes on may stand at its own meeting, too
      warp.split().pc = pc;
      if (!warp.arrive() && !another(warp)) return done(stuck(warp));
      read_split();
    }
    if (left == 0 || spins_.yields()) [[unlikely]] {
      warp.split().pc = pc;
      return done(spins_.yields() ? Outcome::spinning : Outcome::running);
    }
    --left;
    const ptx::Instr& instr = code[pc];
    LaneMask mask = active;
    if (instr.guard != ptx::always) {
      const LaneMask guard = lanes.predicates[instr.guard & 0x7fff];
      mask &= instr.guard & ptx::negated ? ~guard : guard;
    }
    threads += mask == all_lanes ? warp_lanes : static_cast<u32>(std::popcount(mask));
    if (mask == 0) {
      ++pc;
      continue;
    }
    if (instr.op >= ptx::Op::alu) [[likely]] {
      if (mask != expanded) {
        expand(mask, blend);
        expanded = mask;
      }
      lanes.mask = mask;
      execute_alu(instr, lanes);
      ++pc;
      continue;
    }
    warp.split().pc = pc;
    switch (instr.op) {
      case ptx::Op::memory:
        if (!memory_.access(warp, instr, mask)) {
          if (faults_.pending()) return done(stuck(warp));
          if (!another(warp)) return done(stuck(warp));
          read_split();
          break;
        }
        ++pc;
        break;
      case ptx::Op::bra:
        if (mask == active && SpinDetector::is_plain(warp, pc, instr.imm)) {
          pc = instr.imm;
          break;
        }
        if (!flow_.branch(warp, instr, mask)) return done(stuck(warp));
        read_split();
        break;
      case ptx::Op::mov_special:
        special_register(warp, instr, mask, limits_, budget - left);
        ++pc;
        break;
      case ptx::Op::nop:
        ++pc;
        break;
      case ptx::Op::convert_address:
        convert_address(warp, instr, mask);
        ++pc;
        break;
      default:
        if (!control(warp, instr, mask)) return done(stuck(warp));
        read_split();
    }
  }
}

}  // namespace ew::simt
