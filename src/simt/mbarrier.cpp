// mbarriers: an operation is one access to the barrier's word, and update() is what it does there.
#include <bit>

#include "simt/memory_ops.hpp"
#include "simt/parting.hpp"
#include "simt/spinning.hpp"

namespace ew::simt {
namespace {

using ptx::MbarrierKind;

// The 64-bit object of an mbarrier: its layout is opaque in PTX.
struct MbarrierWord {
  u64 pending : 20, expected : 20, phase : 1;
  i64 bytes : 23;  // of transactions still to come
};
static_assert(sizeof(MbarrierWord) == 8);

void end_phase_if_complete(MbarrierWord& word) {
  if (word.pending != 0 || word.bytes != 0) return;
  word.phase ^= 1;
  word.pending = word.expected;
}

const u32* row_of(const MemoryOp& op, ptx::Row row) {
  return row & ptx::constant_row ? op.constants + (row & 0x7fff) * warp_lanes : op.rows() + row * warp_lanes;
}

u64 wide(const u32* row, u32 lane) {
  return reinterpret_cast<const u64*>(row)[lane];
}

bool arrive(MemoryOp& op, u32 lane, MbarrierWord& word, u32 count) {
  if (count > word.pending) {
    op.refusal = {FaultKind::illegal_instruction, lane, op.address[lane], sizeof word, count,
                  static_cast<u32>(word.pending)};
    return false;
  }
  const u64 before = std::bit_cast<u64>(word);
  word.pending -= count;
  if (op.mbarrier->kind == MbarrierKind::arrive_drop) word.expected -= count;
  end_phase_if_complete(word);
  if (op.mbarrier->dst != ptx::no_row) reinterpret_cast<u64*>(op.rows() + op.mbarrier->dst * warp_lanes)[lane] = before;
  return true;
}

/// test_wait and try_wait.
void test(MemoryOp& op, u32 lane, MbarrierWord word) {
  const ptx::MbarrierForm& form = *op.mbarrier;
  Warp& warp = *op.warp;
  const u32* state = row_of(op, form.state);
  const u64 phase = form.parity ? state[lane] & 1 : std::bit_cast<MbarrierWord>(wide(state, lane)).phase;
  const LaneMask here = LaneMask{1} << lane;
  if (word.phase != phase) op.completed |= here;
  if (form.dst_predicate != ptx::always) {
    u32& to = warp.predicates.data()[warp.frames[op.frame].predicate_base + form.dst_predicate];
    to = (to & ~here) | (op.completed & here);
  }
  ++warp.spin.polls;
  const u64 place = place_of(op, lane);
  warp.spin.note(lane, place, std::bit_cast<u64>(word));
  BranchMemory& branches = warp.block->grid->branches;
  if (branches.trying()) branches.polled(place, std::bit_cast<u64>(word));
}

}  // namespace

ptx::MemoryForm access_of(const ptx::MbarrierForm& form) {
  ptx::MemoryForm access;
  access.kind = ptx::MemoryKind::update;
  access.window = form.shared ? ptx::Window::shared : ptx::Window::generic;
  access.type = ptx::Type::b64;
  access.register_bytes = 8;
  access.address_bytes = form.address_bytes;
  access.order = form.order;
  access.scope = form.scope;
  access.offset = form.offset;
  return access;
}

bool update(MemoryOp& op, u32 lane, u64& content) {
  const ptx::MbarrierForm& form = *op.mbarrier;
  auto word = std::bit_cast<MbarrierWord>(content);
  const u32 count = form.count == ptx::no_row ? 1 : row_of(op, form.count)[lane];
  switch (form.kind) {
    case MbarrierKind::init:
      word = {count, count, 0, 0};
      break;
    case MbarrierKind::inval:
      word = {};
      break;
    case MbarrierKind::expect_tx:
      word.bytes += count;
      break;
    case MbarrierKind::async_arrive:
      // Without .noinc its increment and its arrival meet, as the performer has performed the lane's copies before.
      if (form.noinc && !arrive(op, lane, word, count)) return false;
      break;
    case MbarrierKind::arrive:
    case MbarrierKind::arrive_no_complete:
    case MbarrierKind::arrive_drop:
      if (!arrive(op, lane, word, count)) return false;
      break;
    case MbarrierKind::test_wait:
    case MbarrierKind::try_wait:
      test(op, lane, word);
      break;
    case MbarrierKind::pending_count:
      break;
  }
  content = std::bit_cast<u64>(word);
  return true;
}

bool MemoryOps::mbarrier(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  Grid& grid = *warp.block->grid;
  const ptx::MbarrierForm& form = grid.kernel->mbarriers[instr.imm];
  begin_access(op_, warp, mask, static_cast<u32>(instr.imm));
  MemoryOp& op = op_;
  if (form.kind == MbarrierKind::pending_count) {  // of a state in a register: no access
    const u32* state = row_of(op, form.state);
    for (LaneMask left = mask; left; left &= left - 1) {
      const u32 lane = std::countr_zero(left);
      op.rows()[form.dst * warp_lanes + lane] =
          static_cast<u32>(std::bit_cast<MbarrierWord>(wide(state, lane)).pending);
    }
    return true;
  }
  op.mbarrier = &form;
  op.completed = 0;
  const u32* row = form.address == ptx::no_row ? nullptr : row_of(op, form.address);
  for (u32 i = 0; i < warp_lanes; ++i)
    op.address[i] = static_cast<u64>(form.offset) + (!row ? 0 : form.address_bytes == 4 ? row[i] : wide(row, i));
  for (LaneMask left = form.shared ? 0 : mask; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const u64 address = op.address[lane];
    if (address - memory::shared_window < memory::shared_window_bytes) continue;
    op.refusal = {address % 8 ? FaultKind::misaligned_address : FaultKind::illegal_address, lane, address, 8};
    return faults_.refuse_access(op);
  }
  switch (performer_.memory(op)) {
    case Performed::done:
      break;
    case Performed::pending:
      return wait_for(op, mask);
    case Performed::faulted:
      return faults_.refuse_access(op);
  }
  if (form.kind == MbarrierKind::try_wait && op.completed != mask) spins_.yield();
  return true;
}

}  // namespace ew::simt
