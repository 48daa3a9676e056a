#include "simt/control_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "core/symbol_name.hpp"
#include "simt/assist.hpp"
#include "simt/local_bytes.hpp"
#include "simt/parting.hpp"
#include "simt/warp_sync.hpp"

namespace ew::simt {
namespace {

constexpr u32 most_frames = 1u << 16;
constexpr u32 least_frame_bytes = 16;  // a call takes this much stack even when nothing of it is in memory

}  // namespace

ControlFlow::ControlFlow(FaultReports& faults, SpinDetector& spins, SyncUnit& syncs, SystemCalls& system_calls)
    : faults_(faults), spins_(spins), syncs_(syncs), system_calls_(system_calls) {}

bool ControlFlow::branch(Warp& warp, const ptx::Instr& instr, LaneMask taken) {
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

bool ControlFlow::branch_table(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const std::vector<ptx::Pc>& targets = kernel.branch_tables[instr.imm];
  const ptx::Pc pc = warp.split().pc;
  keep_only(warp, mask);
  const u32* index = instr.a & ptx::constant_row
                         ? kernel.constants.data() + (instr.a & 0x7fff) * warp_lanes
                         : warp.rows.data() + (std::size_t{warp.frame().row_base} + instr.a) * warp_lanes;
  bool backward = false;
  for (;;) {
    Split& split = warp.split();
    const u32 wanted = index[std::countr_zero(split.mask)];
    if (wanted >= targets.size())
      return faults_.refuse(warp, FaultKind::illegal_instruction, LaneMask{1} << std::countr_zero(split.mask),
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

bool ControlFlow::backward_branch(Warp& warp, ptx::Pc from) {
  const bool polled = spins_.went_back(warp, from);
  // Who polls gives way at once: lanes of the same warp may have the answer.
  if (warp.split_count > 1 && (polled || --warp.branches_until_turn == 0)) return warp.pick();
  return true;
}

bool ControlFlow::call(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  const ptx::CallForm& form = warp.block->grid->kernel->calls[instr.imm];
  if (form.system != ptx::SystemCall::none)
    return system_calls_.call(warp, form, mask) && go_on(warp, warp.split().pc + 1);
  keep_only(warp, mask);
  u32 function = form.function;
  if (form.target != ptx::no_row && !find_target(warp, form, mask, function)) return false;
  return enter(warp, form, function);
}

/// Of an indirect call: of the lanes that call what the first of them calls. The others come back to the instruction.
bool ControlFlow::find_target(Warp& warp, const ptx::CallForm& form, LaneMask mask, u32& function) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const u64* address =
      reinterpret_cast<const u64*>(warp.rows.data() + (std::size_t{warp.frame().row_base} + form.target) * warp_lanes);
  const u64 wanted = address[std::countr_zero(mask)];
  LaneMask same = 0;
  for (u32 i = 0; i < warp_lanes; ++i) same |= LaneMask{address[i] == wanted} << i;
  for (function = 1; function < kernel.functions.size() && kernel.functions[function].address != wanted;) ++function;
  if (function == kernel.functions.size()) {
    return faults_.refuse_at(wanted, warp, FaultKind::illegal_instruction, mask & same,
                             fmt::format("indirect call of {:#x}, {}", wanted,
                                         wanted ? "which is no function of this module" : "a null pointer"));
  }
  if ((mask & same) != mask) {  // the others come back to this instruction and call theirs
    const u32 meeting = warp.meet_at(warp.split().pc + 1);
    warp.split().reconvergence = meeting;
    warp.part(mask & ~same, warp.split().pc, meeting);
  }
  return true;
}

bool ControlFlow::enter(Warp& warp, const ptx::CallForm& form, u32 function) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
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
    return faults_.refuse(warp, FaultKind::stack_overflow, warp.split().mask,
                          "call of " + core::readable_name(callee.name) + " takes the stack to " +
                              std::to_string(stack) + " bytes; the limit is " + std::to_string(limit) +
                              " (cudaLimitStackSize)");
  }
  warp.rows.grow((fresh.row_base + callee.rows) * warp_lanes);
  warp.predicates.grow(fresh.predicate_base + callee.predicates);
  warp.local.grow(static_cast<u32>((fresh.local_base + callee.frame_bytes + 3) / 4 * warp_lanes));
  const u32 arguments = static_cast<u32>(std::min(form.argument_offsets.size(), callee.parameter_offsets.size()));
  for (u32 i = 0; i < arguments; ++i)
    copy_local(warp, caller.local_base + form.argument_offsets[i], fresh.local_base + callee.parameter_offsets[i],
               callee.parameter_sizes[i], warp.split().mask);
  warp.split().frame = frame;
  return go_on(warp, callee.begin);
}

bool ControlFlow::return_from(Warp& warp, LaneMask mask) {
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
    copy_local(warp, callee.local_base + function.return_offsets[i],
               warp.frames[callee.parent].local_base + form.result_offsets[i], function.return_sizes[i], mask);
  warp.frames.leave(frame, mask);
  split->frame = callee.parent;
  return go_on(warp, callee.call_pc + 1);
}

bool ControlFlow::exit(Warp& warp, LaneMask mask) {
  Block& block = *warp.block;
  if (!is_assist(warp)) block.live_threads -= static_cast<u32>(std::popcount(mask));
  ++warp.split().pc;
  spins_.changed();
  const bool kept = warp.exit(mask);
  complete_warp_syncs(warp);
  syncs_.threads_exited(block);
  return kept || another(warp);
}

}  // namespace ew::simt
