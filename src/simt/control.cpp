// Branches, calls, returns, exits: what parts and joins the lanes of a warp.
#include <fmt/format.h>

#include <bit>

#include "core/symbol_name.hpp"
#include "simt/executor.hpp"
#include "simt/grid_barrier.hpp"

namespace ew::simt {
namespace {

constexpr u32 most_frames = 1u << 16;
constexpr u32 least_frame_bytes = 16;  // a call takes this much stack even when nothing of it is in memory

}  // namespace

bool Executor::control(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  using ptx::Op;
  switch (instr.op) {
    case Op::brx:
      return branch_table(warp, instr, mask);
    case Op::call:
      return call(warp, instr, mask);
    case Op::ret:
      return return_from(warp, mask);
    case Op::exit:
      return exit(warp, mask);
    case Op::trap:
      return refuse(warp, FaultKind::trap, mask,
                    grid_barrier::synchronizes_grid(warp, warp.split())
                        ? "a grid-wide barrier in a launch that is not cooperative (cudaLaunchCooperativeKernel)"
                        : "the kernel ended itself");
    case Op::barrier:
      return barrier(warp, kernel.barriers[instr.imm], mask);
    case Op::warp_sync:
    case Op::shfl:
    case Op::vote:
    case Op::match:
    case Op::redux:
    case Op::elect:
      return warp_sync(warp, instr, mask);
    case Op::activemask: {
      u32* to = warp.rows.data() + (std::size_t{warp.frame().row_base} + instr.dst) * warp_lanes;
      for (u32 i = 0; i < warp_lanes; ++i) to[i] = (mask >> i) & 1 ? mask : to[i];
      return go_on(warp, warp.split().pc + 1);
    }
    case Op::fence:
    case Op::async_commit:
    case Op::async_wait: {
      SyncOp op{.kind = instr.op == Op::fence        ? SyncKind::fence
                        : instr.op == Op::async_wait ? SyncKind::async_wait
                                                     : SyncKind::async_commit,
                .warp = &warp,
                .pc = warp.split().pc,
                .lanes = mask};
      if (instr.op == Op::async_wait) op.groups = instr.imm;
      if (instr.op == Op::fence) {
        const ptx::FenceForm& form = kernel.fences[instr.imm];
        op.order = form.order;
        op.sequentially_consistent = form.sequentially_consistent;
        op.scope = form.scope;
      }
      return synchronise(warp, op) || another(warp);
    }
    case Op::mbarrier:
      if (mbarrier(warp, instr, mask)) return go_on(warp, warp.split().pc + 1);
      return !fault_ && another(warp);
    case Op::texture:
      if (texture(warp, instr, mask)) return go_on(warp, warp.split().pc + 1);
      return !fault_ && another(warp);
    case Op::frame_address:
      frame_address(warp, instr, mask);
      return go_on(warp, warp.split().pc + 1);
    case Op::address_query:
      address_query(warp, instr, mask);
      return go_on(warp, warp.split().pc + 1);
    case Op::nanosleep:
      return sleep(warp, instr, mask);
    case Op::region: {
      const ptx::RegionForm& region = kernel.regions[instr.imm];
      return go_on(warp, services_.region(region.name, mask) ? region.end : warp.split().pc + 1);
    }
    case Op::brkpt:
      return go_on(warp, warp.split().pc + 1);
    default:
      return refuse(warp, FaultKind::illegal_instruction, mask, "instruction that the SM does not execute");
  }
}

bool Executor::another(Warp& warp) {
  if (warp.pick()) return true;
  // Lanes that wait for others of their own warp can only be met if those do not wait elsewhere.
  bool waits_for_own = false, at_performer = false;
  for (u32 i = 0; i < warp.split_count; ++i) {
    waits_for_own |= warp.splits[i].state == SplitState::at_warp_sync;
    at_performer |= warp.splits[i].state == SplitState::at_performer;
  }
  return waits_for_own && !at_performer && warp.release_waiting() && warp.pick();
}

bool Executor::go_on(Warp& warp, ptx::Pc pc) {
  warp.split().pc = pc;
  return true;
}

void Executor::only(Warp& warp, LaneMask mask) {
  Split& split = warp.split();
  if (split.mask == mask) return;
  if (warp.block->grid->branches.separates(split.pc) && warp.stop() != split.pc + 1)
    warp.part(split.mask & ~mask, split.pc + 1, split.reconvergence);
  else
    warp.leave_waiting(split.mask & ~mask, warp.meet_at(split.pc + 1));
}

/// Where lanes that part at this branch meet again. Nobody waits behind a branch that separates.
u32 Executor::meeting_of(Warp& warp, ptx::Pc branch) {
  const Grid& grid = *warp.block->grid;
  const u32& where = warp.split().reconvergence;
  while (where != nothing && grid.branches.separates(warp.reconvergences[where].branch)) warp.leave_meeting();
  return grid.branches.separates(branch) ? where : warp.meet_at(grid.kernel->reconverge[branch]);
}

bool Executor::branch(Warp& warp, const ptx::Instr& instr, LaneMask taken) {
  Split& split = warp.split();
  const ptx::Pc pc = split.pc, target = instr.imm;
  const LaneMask rest = split.mask & ~taken;
  if (rest) {
    ++warp.block->grid->counters.divergent_branches;
    const u32 meeting = meeting_of(warp, pc);
    split.reconvergence = meeting;
    const ptx::Pc stop = warp.stop();
    if (target == stop) {
      warp.leave_waiting(taken, meeting);
      split.pc = pc + 1;
      return true;
    }
    if (pc + 1 == stop)
      warp.leave_waiting(rest, meeting);
    else
      warp.part(rest, pc + 1, meeting);
  }
  split.pc = target;
  return target > pc || backward_branch(warp, pc);
}

bool Executor::backward_branch(Warp& warp, ptx::Pc from) {
  Spinning& spin = warp.spin;
  const bool polled = spin.polled & warp.split().mask;
  if (polled)
    after_poll(warp, from);
  else if (spin.plain_branches++ % plain_branches_between_looks < looks_at_plain_branches)
    look_at_loop(warp, from);
  spin.timed = false;
  // Who polls gives way at once: lanes of the same warp may have the answer.
  if (warp.split_count > 1 && (polled || --warp.branches_until_turn == 0)) return warp.pick();
  return true;
}

bool Executor::branch_table(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const std::vector<ptx::Pc>& targets = kernel.branch_tables[instr.imm];
  const ptx::Pc pc = warp.split().pc;
  only(warp, mask);
  const u32* index = instr.a & ptx::constant_row
                         ? kernel.constants.data() + (instr.a & 0x7fff) * warp_lanes
                         : warp.rows.data() + (std::size_t{warp.frame().row_base} + instr.a) * warp_lanes;
  bool backward = false;
  for (;;) {
    Split& split = warp.split();
    const u32 wanted = index[std::countr_zero(split.mask)];
    if (wanted >= targets.size())
      return refuse(warp, FaultKind::illegal_instruction, LaneMask{1} << std::countr_zero(split.mask),
                    "index " + std::to_string(wanted) + " of an indirect branch with " +
                        std::to_string(targets.size()) + " targets");
    LaneMask same = 0;
    for (u32 i = 0; i < warp_lanes; ++i)
      same |= LaneMask{targets[std::min<std::size_t>(index[i], targets.size() - 1)] == targets[wanted]} << i;
    same &= split.mask;
    backward |= targets[wanted] <= pc;
    if (same == split.mask) {
      split.pc = targets[wanted];
      break;
    }
    ++warp.block->grid->counters.divergent_branches;
    const u32 meeting = meeting_of(warp, pc);
    split.reconvergence = meeting;
    if (targets[wanted] == warp.stop())
      warp.leave_waiting(same, meeting);
    else
      warp.part(same, targets[wanted], meeting);
  }
  return !backward || backward_branch(warp, pc);
}

bool Executor::call(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const ptx::CallForm& form = kernel.calls[instr.imm];
  if (form.system != ptx::SystemCall::none) return system_call(warp, form, mask) && go_on(warp, warp.split().pc + 1);
  only(warp, mask);
  u32 function = form.function;
  if (form.target != ptx::no_row) {
    const u64* address = reinterpret_cast<const u64*>(warp.rows.data() +
                                                      (std::size_t{warp.frame().row_base} + form.target) * warp_lanes);
    const u64 wanted = address[std::countr_zero(mask)];
    LaneMask same = 0;
    for (u32 i = 0; i < warp_lanes; ++i) same |= LaneMask{address[i] == wanted} << i;
    for (function = 1; function < kernel.functions.size() && kernel.functions[function].address != wanted;) ++function;
    if (function == kernel.functions.size()) {
      refuse(warp, FaultKind::illegal_instruction, mask & same,
             fmt::format("indirect call of {:#x}, {}", wanted,
                         wanted ? "which is no function of this module" : "a null pointer"));
      fault_->address = wanted;
      return false;
    }
    if ((mask & same) != mask) {  // the others come back to this instruction and call theirs
      const u32 meeting = warp.meet_at(warp.split().pc + 1);
      warp.split().reconvergence = meeting;
      warp.part(mask & ~same, warp.split().pc, meeting);
    }
  }
  const ptx::Function& callee = kernel.functions[function];
  const Split& now = warp.split();
  const u32 frame = warp.frames.enter(
      kernel, {.parent = now.frame, .function = function, .call_pc = now.pc, .lanes = now.mask}, warp.live);
  const Frame& fresh = warp.frames[frame];
  const Frame& caller = warp.frame();
  const u64 stack = fresh.local_base + std::max(least_frame_bytes, callee.frame_bytes);
  const u64 limit = u64{kernel.functions[0].frame_bytes} + std::max(warp.block->grid->launch.stack_bytes, 1024u);
  if ((kernel.recursive && stack > limit) || warp.frames.size() > most_frames) {
    warp.frames.leave(frame, warp.split().mask);
    return refuse(warp, FaultKind::stack_overflow, warp.split().mask,
                  "call of " + core::readable_name(callee.name) + " takes the stack to " + std::to_string(stack) +
                      " bytes; the limit is " + std::to_string(limit) + " (cudaLimitStackSize)");
  }
  warp.rows.grow((fresh.row_base + callee.rows) * warp_lanes);
  warp.predicates.grow(fresh.predicate_base + callee.predicates);
  warp.local.grow(static_cast<u32>((fresh.local_base + callee.frame_bytes + 3) / 4 * warp_lanes));
  const u32 arguments = static_cast<u32>(std::min(form.argument_offsets.size(), callee.parameter_offsets.size()));
  for (u32 i = 0; i < arguments; ++i)
    copy_frame(warp, caller.local_base + form.argument_offsets[i], fresh.local_base + callee.parameter_offsets[i],
               callee.parameter_sizes[i], warp.split().mask);
  warp.split().frame = frame;
  return go_on(warp, callee.begin);
}

bool Executor::return_from(Warp& warp, LaneMask mask) {
  const u32 frame = warp.split().frame;
  const Frame callee = warp.frames[frame];
  if (callee.parent == nothing) return exit(warp, mask);
  Split* split = &warp.split();
  const LaneMask rest = split->mask & ~mask;
  if (rest) {
    const bool separates = warp.block->grid->branches.separates(split->pc);
    const u32 meeting = separates ? split->reconvergence : warp.meet_at(ptx::no_pc);
    split->reconvergence = meeting;
    warp.part(rest, split->pc + 1, meeting);
  }
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const ptx::Function& function = kernel.functions[callee.function];
  const ptx::CallForm& form = kernel.calls[kernel.code[callee.call_pc].imm];
  const u32 results = static_cast<u32>(std::min(form.result_offsets.size(), function.return_offsets.size()));
  for (u32 i = 0; i < results; ++i)
    copy_frame(warp, callee.local_base + function.return_offsets[i],
               warp.frames[callee.parent].local_base + form.result_offsets[i], function.return_sizes[i], mask);
  warp.frames.leave(frame, mask);
  split->frame = callee.parent;
  return go_on(warp, callee.call_pc + 1);
}

bool Executor::exit(Warp& warp, LaneMask mask) {
  Block& block = *warp.block;
  block.live_threads -= static_cast<u32>(std::popcount(mask));
  ++warp.split().pc;
  ++watch_.changes;
  const bool kept = warp.exit(mask);
  complete_warp_syncs(warp);
  check_barriers(block);
  return kept || another(warp);
}

}  // namespace ew::simt
