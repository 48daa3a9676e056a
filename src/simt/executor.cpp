#include "simt/executor.hpp"

#include "simt/assist.hpp"
#include "simt/grid_barrier.hpp"
#include "simt/lane_values.hpp"
#include "simt/parting.hpp"

namespace ew::simt {

Executor::Executor(Performer& performer, DeviceServices& services, memory::AddressSpace& space, const GpuLimits& limits)
    : services_(services),
      space_(space),
      limits_(limits),
      faults_(space),
      deadlocks_(performer, space),
      syncs_(performer, faults_, spins_, limits),
      system_calls_(services, space, faults_, limits.assist),
      flow_(faults_, spins_, syncs_, system_calls_),
      memory_(performer, faults_, spins_),
      textures_(performer, services, space, faults_) {}

bool Executor::control(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  using ptx::Op;
  switch (instr.op) {
    case Op::brx:
      return flow_.branch_table(warp, instr, mask);
    case Op::call:
      return flow_.call(warp, instr, mask);
    case Op::ret:
      return flow_.return_from(warp, mask);
    case Op::exit:
      return flow_.exit(warp, mask);
    case Op::trap:
      return faults_.refuse(
          warp, FaultKind::trap, mask,
          grid_barrier::synchronizes_grid(warp, warp.split())
              ? "a grid-wide barrier in a launch that is not cooperative (cudaLaunchCooperativeKernel)"
              : "the kernel ended itself");
    case Op::barrier:
      return syncs_.barrier(warp, kernel.barriers[instr.imm], mask);
    case Op::warp_sync:
    case Op::shfl:
    case Op::vote:
    case Op::match:
    case Op::redux:
    case Op::elect:
      return syncs_.warp_sync(warp, instr, mask);
    case Op::activemask: {
      u32* to = warp.rows.data() + (std::size_t{warp.frame().row_base} + instr.dst) * warp_lanes;
      for (u32 i = 0; i < warp_lanes; ++i) to[i] = (mask >> i) & 1 ? mask : to[i];
      return go_on(warp, warp.split().pc + 1);
    }
    case Op::fence:
    case Op::async_commit:
    case Op::async_wait:
      return syncs_.order(warp, instr, mask);
    case Op::mbarrier:
      if (memory_.mbarrier(warp, instr, mask)) return go_on(warp, warp.split().pc + 1);
      return !faults_.pending() && another(warp);
    case Op::texture:
      if (textures_.execute(warp, instr, mask)) return go_on(warp, warp.split().pc + 1);
      return !faults_.pending() && another(warp);
    case Op::frame_address:
      frame_address(warp, instr, mask);
      return go_on(warp, warp.split().pc + 1);
    case Op::address_query:
      address_query(warp, instr, mask, space_);
      return go_on(warp, warp.split().pc + 1);
    case Op::nanosleep:
      return syncs_.sleep(warp, instr, mask);
    case Op::region: {
      const ptx::RegionForm& region = kernel.regions[instr.imm];
      if (asks_for_assist(*warp.block, instr)) ask_for_assist(*warp.block);
      return go_on(warp, services_.region(region.name, mask) ? region.end : warp.split().pc + 1);
    }
    case Op::brkpt:
      return go_on(warp, warp.split().pc + 1);
    default:
      return faults_.refuse(warp, FaultKind::illegal_instruction, mask, "instruction that the SM does not execute");
  }
}

bool Executor::finish(const MemoryOp& op, Performed outcome) {
  Warp& warp = *op.warp;
  --warp.under_way;
  if (outcome == Performed::faulted) return faults_.refuse_access(op);
  if (op.texture && !textures_.finish_texel(*op.texture)) return true;
  if (op.plan->polls) note_poll(op);
  if (!op.parks) return true;
  Split& split = parked(warp, op.pc, op.lanes);
  split.state = SplitState::running;
  ++split.pc;
  wake(warp);
  return true;
}

Fault Executor::deadlock(const Block& block, std::string_view what, FaultKind kind) const {
  return deadlocks_.report(block, what, kind);
}

Fault Executor::deadlock(const Block& block) const {
  return deadlocks_.report(block);
}

}  // namespace ew::simt
