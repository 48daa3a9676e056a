#include "simt/memory_ops.hpp"

#include <bit>

#include "simt/flat_memory.hpp"
#include "simt/parting.hpp"
#include "simt/spinning.hpp"

namespace ew::simt {
namespace {

using ptx::Window;

/// What a lane found: all elements of its access.
u64 found_by(const MemoryOp& op, u32 lane) {
  u64 found = 0;
  for (u32 e = 0; e < op.form->count; ++e) {
    const ptx::Row r = op.form->data[e];
    if (r == ptx::no_row) continue;
    const u32* row = op.rows() + r * warp_lanes;
    const u64 value = op.form->register_bytes >= 8 ? reinterpret_cast<const u64*>(row)[lane] : row[lane];
    found = found * 0x9e3779b97f4a7c15 + value;
  }
  return found;
}

}  // namespace

bool MemoryOps::access(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  Grid& grid = *warp.block->grid;
  const ptx::MemoryForm& form = grid.kernel->memory[instr.imm];
  const Split& split = warp.split();
  const Frame& frame = warp.frames[split.frame];
  MemoryOp& op = op_;
  op.form = &form;
  op.warp = &warp;
  op.pc = split.pc;
  op.lanes = mask;
  op.plan = &grid.plans[instr.imm];
  op.frame = split.frame;
  op.bank = &warp.rows;
  op.row_base = frame.row_base;
  op.constants = grid.kernel->constants.data();
  op.uniform = instr.a == ptx::no_row || (instr.a & ptx::constant_row);
  op.shaped = 0;
  const u64 offset = form.offset + (form.window == Window::frame ? frame.local_base : 0);
  if (instr.a == ptx::no_row) {
    for (u64& address : op.address) address = offset;
  } else {
    const u32* row =
        instr.a & ptx::constant_row ? op.constants + (instr.a & 0x7fff) * warp_lanes : op.rows() + instr.a * warp_lanes;
    add_offset(op, row, form.address_bytes, offset);
  }
  warp.spin.wrote |= op.plan->writes;
  ++grid.counters.memory_instructions;
  grid.counters.memory_lanes += mask == all_lanes ? warp_lanes : static_cast<u32>(std::popcount(mask));
  switch (performer_.memory(op)) {
    case Performed::done:
      break;
    case Performed::pending:
      return wait_for(op, mask);
    case Performed::faulted:
      return faults_.refuse_access(op);
  }
  if (op.plan->polls) [[unlikely]]
    note_poll(op);
  return true;
}

bool reads_parameters(const Grid& grid, const ptx::Instr& instr) {
  if (instr.op != ptx::Op::memory || instr.a != ptx::no_row) return false;
  const ptx::MemoryForm& form = grid.kernel->memory[instr.imm];
  if (form.window != Window::param || form.kind != ptx::MemoryKind::load) return false;
  const u64 offset = form.offset, bytes = grid.plans[instr.imm].bytes, all = grid.launch.parameters.size();
  return bytes <= all && offset <= all - bytes && offset % bytes == 0;
}

void MemoryOps::read_parameters(Warp& warp, const ptx::Instr& instr, LaneMask mask, u32 row_base) {
  Grid& grid = *warp.block->grid;
  const AccessPlan& plan = grid.plans[instr.imm];
  op_.form = &grid.kernel->memory[instr.imm];
  op_.warp = &warp;
  op_.lanes = mask;
  op_.bank = &warp.rows;
  op_.row_base = row_base;
  op_.address[static_cast<u32>(std::countr_zero(mask))] = op_.form->offset;
  ++grid.counters.memory_instructions;
  grid.counters.memory_lanes += static_cast<u32>(std::popcount(mask));
  load(op_, plan, Shape::uniform, reinterpret_cast<u64>(grid.launch.parameters.data()));
}

void begin_access(MemoryOp& op, Warp& warp, LaneMask mask, u32 made) {
  Grid& grid = *warp.block->grid;
  const Split& split = warp.split();
  op.form = &grid.made[made];
  op.plan = &grid.plans[grid.kernel->memory.size() + made];
  op.warp = &warp;
  op.pc = split.pc;
  op.lanes = mask;
  op.frame = split.frame;
  op.bank = &warp.rows;
  op.row_base = warp.frames[split.frame].row_base;
  op.constants = grid.kernel->constants.data();
  op.uniform = false;
  op.shaped = 0;
}

void note_poll(const MemoryOp& op) {
  Spinning& spin = op.warp->spin;
  BranchMemory& branches = op.warp->block->grid->branches;
  ++spin.polls;
  u64 all = 0;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    const u64 place = place_of(op, lane), found = found_by(op, lane);
    spin.note(lane, place, found);
    all = all * 31 + place * 0x9e3779b9u + found;
    if (branches.trying()) [[unlikely]]
      branches.polled(place, found);
  }
  spin.news += spin.by_lane().known.add(all);
}

}  // namespace ew::simt
