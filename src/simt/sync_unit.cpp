#include "simt/sync_unit.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "simt/assist.hpp"
#include "simt/parting.hpp"
#include "simt/warp_sync.hpp"

namespace ew::simt {
namespace {

using ptx::BarrierKind;

constexpr u32 longest_sleep = 1'000'000;  // nanoseconds: PTX ISA, "nanosleep"

const u32* row_of(const Warp& warp, u32 frame, ptx::Row row) {
  if (row & ptx::constant_row) return warp.block->grid->kernel->constants.data() + (row & 0x7fff) * warp_lanes;
  return warp.rows.data() + (std::size_t{warp.frames[frame].row_base} + row) * warp_lanes;
}

LaneMask predicate_of(const Warp& warp, u32 frame, ptx::Predicate predicate) {
  if (predicate == ptx::always) return all_lanes;
  const LaneMask value = warp.predicates.data()[warp.frames[frame].predicate_base + (predicate & 0x7fff)];
  return predicate & ptx::negated ? ~value : value;
}

}  // namespace

SyncUnit::SyncUnit(Performer& performer, FaultReports& faults, SpinDetector& spins, const GpuLimits& limits)
    : performer_(performer), faults_(faults), spins_(spins), limits_(limits) {}

void SyncUnit::finish(const SyncOp& op) {
  Warp& warp = *op.warp;
  --warp.under_way;
  Split& split = parked(warp, op.pc, op.lanes);
  split.state = SplitState::running;
  carry_out(warp, split, op);
  wake(warp);
}

/// False: the current split cannot go on, or not yet; no other has been made current.
bool SyncUnit::synchronise(Warp& warp, SyncOp& op) {
  if (performer_.sync(op) == Performed::pending) {
    ++warp.under_way;
    return park(warp, op.lanes);
  }
  carry_out(warp, warp.split(), op);
  return warp.split().state == SplitState::running;
}

void SyncUnit::carry_out(Warp& warp, Split& split, const SyncOp& op) {
  switch (op.kind) {
    case SyncKind::block_barrier:
      return arrive(warp, split, op);
    case SyncKind::warp_barrier:
      split.state = SplitState::at_warp_sync;
      complete_warp_syncs(warp);
      return;
    case SyncKind::sleep:
      return fall_asleep(warp, split, op);
    case SyncKind::fence:
    case SyncKind::async_commit:
    case SyncKind::async_wait:
      ++split.pc;
      return;
  }
}

bool SyncUnit::order(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  using ptx::Op;
  SyncOp op{.kind = instr.op == Op::fence        ? SyncKind::fence
                    : instr.op == Op::async_wait ? SyncKind::async_wait
                                                 : SyncKind::async_commit,
            .warp = &warp,
            .pc = warp.split().pc,
            .lanes = mask};
  if (instr.op == Op::async_wait) op.groups = instr.imm;
  if (instr.op == Op::fence) {
    const ptx::FenceForm& form = warp.block->grid->kernel->fences[instr.imm];
    op.order = form.order;
    op.sequentially_consistent = form.sequentially_consistent;
    op.scope = form.scope;
  }
  return synchronise(warp, op) || another(warp);
}

bool SyncUnit::warp_sync(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  if (instr.op == ptx::Op::warp_sync) {
    SyncOp op{.kind = SyncKind::warp_barrier,
              .warp = &warp,
              .pc = warp.split().pc,
              .lanes = mask,
              .barrier = members_at_warp_sync(warp, instr, mask)};
    if (performer_.sync(op) == Performed::pending) {
      ++warp.under_way;
      park(warp, mask);
      return another(warp);
    }
  }
  return arrive_at_warp_sync(warp, instr, mask);
}

bool SyncUnit::barrier(Warp& warp, const ptx::BarrierForm& form, LaneMask mask) {
  keep_only(warp, mask);
  Block& block = *warp.block;
  const u32 frame = warp.split().frame;
  const u32 lane = std::countr_zero(mask);
  const u32 id = row_of(warp, frame, form.id)[lane];
  if (id >= block.barriers.size())
    return faults_.refuse(warp, FaultKind::illegal_instruction, mask,
                          "barrier " + std::to_string(id) + " (there are 0 to 15)");
  u32 threads = 0;
  if (form.threads != ptx::no_row) {
    threads = row_of(warp, frame, form.threads)[lane];
    if (threads == 0 || threads % warp_lanes)
      return faults_.refuse(
          warp, FaultKind::illegal_instruction, mask,
          "barrier for " + std::to_string(threads) + " threads (a multiple of the warp size is needed)");
  }
  if (form.threads == ptx::no_row && is_assist(warp))
    return faults_.refuse(
        warp, FaultKind::illegal_instruction, mask,
        "an assist warp at a barrier of all threads of the block, of which it is none: give the barrier a "
        "number of threads");
  SyncOp op{.kind = SyncKind::block_barrier,
            .warp = &warp,
            .pc = warp.split().pc,
            .lanes = mask,
            .barrier = id,
            .threads = threads};
  if (!synchronise(warp, op)) return another(warp);
  warp.merge();
  return true;
}

void SyncUnit::arrive(Warp& warp, Split& split, const SyncOp& op) {
  Block& block = *warp.block;
  const ptx::Kernel& kernel = *block.grid->kernel;
  const ptx::BarrierForm& form = kernel.barriers[kernel.code[op.pc].imm];
  BlockBarrier& state = block.barriers[op.barrier];
  if (state.arrived == 0) state = BlockBarrier{.expected = op.threads};
  // A count that names every thread means every thread that is left; a producer that arrives and ends must still count.
  const u32 all = (block.grid->threads + warp_lanes - 1) / warp_lanes * warp_lanes;
  if (op.threads && (op.threads != all || form.kind == BarrierKind::arrive || is_assist(warp))) {
    state.all_threads = false;
    state.expected = op.threads;
  }
  state.arrived += static_cast<u32>(std::popcount(op.lanes));
  const LaneMask source = predicate_of(warp, split.frame, form.source) & op.lanes;
  state.popc += static_cast<u32>(std::popcount(source));
  state.any |= source != 0;
  state.all &= source == op.lanes;
  ++block.grid->counters.barriers;
  ++block.arrivals;
  warp.spin.spins &= ~op.lanes;
  spins_.changed();
  const bool waits = form.kind != BarrierKind::arrive;
  if (waits) {
    split.state = SplitState::at_barrier;
    split.barrier = static_cast<u8>(op.barrier);
  } else {
    ++split.pc;
  }
  if (state.arrived >= (state.all_threads ? block.live_threads : state.expected)) complete(block, op.barrier);
}

void SyncUnit::complete(Block& block, u32 id) {
  const BlockBarrier state = block.barriers[id];
  block.barriers[id] = BlockBarrier{};
  ++block.barriers_over;
  spins_.changed();
  if (block.grid->branches.trying()) block.grid->branches.barrier_over(block);
  const ptx::Kernel& kernel = *block.grid->kernel;
  for (Warp* warp : block.warps) {
    if (!warp) continue;
    for (u32 s = 0; s < warp->split_count; ++s) {
      Split& split = warp->splits[s];
      if (split.state != SplitState::at_barrier || split.barrier != id) continue;
      const ptx::BarrierForm& form = kernel.barriers[kernel.code[split.pc].imm];
      if (form.kind == BarrierKind::red_popc && form.dst != ptx::no_row) {
        u32* to = const_cast<u32*>(row_of(*warp, split.frame, form.dst));
        for (u32 i = 0; i < warp_lanes; ++i) to[i] = (split.mask >> i) & 1 ? state.popc : to[i];
      } else if (form.dst_predicate != ptx::always) {
        u32& to = warp->predicates.data()[warp->frames[split.frame].predicate_base + form.dst_predicate];
        const bool value = form.kind == BarrierKind::red_and ? state.all : state.any;
        to = (to & ~split.mask) | (value ? split.mask : 0);
      }
      split.state = SplitState::running;
      ++split.pc;
      block.ready |= u64{1} << warp->index;
    }
  }
}

void SyncUnit::threads_exited(Block& block) {
  if (block.live_threads == 0) return;
  for (u32 id = 0; id < block.barriers.size(); ++id) {
    const BlockBarrier& state = block.barriers[id];
    if (state.arrived && state.all_threads && state.arrived >= block.live_threads) complete(block, id);
  }
}

bool SyncUnit::sleep(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  keep_only(warp, mask);
  Split& split = warp.split();
  u32 longest = 0;
  const u32* nanoseconds = row_of(warp, split.frame, instr.a);
  for (LaneMask left = mask; left; left &= left - 1) longest = std::max(longest, nanoseconds[std::countr_zero(left)]);
  longest = std::min(longest, longest_sleep);
  SyncOp op{.kind = SyncKind::sleep, .warp = &warp, .pc = split.pc, .lanes = mask, .nanoseconds = longest};
  synchronise(warp, op);
  return another(warp);
}

void SyncUnit::fall_asleep(Warp& warp, Split& split, const SyncOp& op) const {
  ++split.pc;
  split.state = SplitState::asleep;
  split.wake = warp.block->sm->cycle + std::max<u64>(1, op.nanoseconds * limits_.clock_khz / 1'000'000);
  warp.block->asleep |= u64{1} << warp.index;
  warp.spin.polled |= op.lanes;
}

u64 SyncUnit::wake_sleepers(Block& block, u64 cycle) {
  u64 earliest = ~u64{0};
  for (u64 left = block.asleep; left; left &= left - 1) {
    const u32 index = std::countr_zero(left);
    Warp* warp = block.warps[index];
    bool asleep = false;
    for (u32 s = 0; warp && s < warp->split_count; ++s) {
      Split& split = warp->splits[s];
      if (split.state != SplitState::asleep) continue;
      if (split.wake > cycle) {
        asleep = true;
        earliest = std::min(earliest, split.wake);
        continue;
      }
      split.state = SplitState::running;
      block.ready |= u64{1} << index;
    }
    if (!asleep) block.asleep &= ~(u64{1} << index);
  }
  return earliest;
}

}  // namespace ew::simt
