#include "simt/sm/memory_instructions.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/machine_part.hpp"

namespace ew::simt {
namespace {

using memory::AccessKind;
using ptx::MemoryKind;
using ptx::Window;

LaneMask global_lanes(const MemoryOp& op) {
  LaneMask found = 0;
  for (u32 i = 0; i < warp_lanes; ++i) {
    const u64 a = op.address[i];
    const bool window = a - memory::shared_window < memory::shared_window_bytes ||
                        a - memory::local_window < memory::local_window_bytes ||
                        a - memory::parameter_window < memory::parameter_window_bytes;
    found |= LaneMask{!window} << i;
  }
  return found & op.lanes;
}

AccessKind kind_of(const ptx::MemoryForm& form) {
  switch (form.kind) {
    case MemoryKind::store:
      return AccessKind::store;
    case MemoryKind::reduction:
      return AccessKind::reduction;
    case MemoryKind::atomic:
      return form.data[0] == ptx::no_row ? AccessKind::reduction : AccessKind::atomic;
    default:
      return AccessKind::load;
  }
}

void count_lines(const Access& a) {
  TimingStatistics& counts = *a.counts_of;
  ++counts.memory.requests;
  counts.memory.lines += a.parts_count;
  for (u32 p = 0; p < a.parts_count; ++p) counts.memory.sectors += sectors_of(a.parts[p].words);
}

}  // namespace

MemoryInstructions::MemoryInstructions(const SmSetup& setup, u32 sm, const Parts& parts)
    : setup_(setup),
      sm_(sm),
      with_(parts),
      constants_(setup.config.constant_cache.count, setup.config.constant_line, setup.config.constant_ways) {}

Performed MemoryInstructions::memory(MemoryOp& op) {
  const ptx::MemoryForm& form = *op.form;
  if (form.kind == MemoryKind::prefetch) return with_.flat.memory(op);
  if (warp().next.pc->order.flag != memory::PersistOrder::none) [[unlikely]]
    name_flags(op);
  if (op.texture) return texels(op);
  switch (form.window) {
    case Window::global:
      return global(op);
    case Window::shared:
      return form.kind == MemoryKind::async_copy ? async_copy(op) : shared(op);
    case Window::generic:
      return generic(op);
    default:
      break;
  }
  const Performed performed = with_.flat.memory(op);
  if (performed != Performed::done || form.window == Window::param) return performed;
  if (form.window == Window::constant)
    constant_time(op);
  else if (warp().next.pc->unit == Unit::memory)
    thread_local_time(op, 0);
  return performed;
}

/// Flags of pRel and pAcq are told apart by their lines, those in shared memory by the block, too.
void MemoryInstructions::name_flags(const MemoryOp& op) {
  const WarpSlot& w = warp();
  const u64 block = u64{w.block->place} + 1;
  u64 last = ~u64{0};
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    u64 at = op.address[first_of(left)];
    if (op.form->window == Window::shared)
      at |= block << 32;
    else if (at - memory::shared_window < memory::shared_window_bytes)
      at = (at - memory::shared_window) | block << 32;
    const u64 flag = at / setup_.line;
    if (flag != last) port_->flag(w.next.pc->order.flag, flag, with_.issuing.slot);
    last = flag;
  }
}

/// Lanes of one instruction may point into different windows.
Performed MemoryInstructions::generic(MemoryOp& op) {
  const LaneMask lanes = op.lanes, far = global_lanes(op), near = lanes & ~far;
  if (near) {
    op.lanes = near;
    const Performed performed = with_.local.perform(op, with_.issuing.slot);
    if (performed == Performed::done) near_time(op);
    op.lanes = lanes;
    if (performed != Performed::done || !far) return performed;
  }
  op.lanes = far;
  const Performed performed = global(op);
  if (op.lanes = near; near && performed == Performed::pending && op.plan->polls) Executor::note_poll(op);
  op.lanes = lanes;
  return performed;
}

/// Lanes of a generic access that point into windows.
void MemoryInstructions::near_time(MemoryOp& op) {
  const LaneMask lanes = op.lanes;
  LaneMask local = 0;
  for (u32 i = 0; i < warp_lanes; ++i)
    local |= LaneMask{op.address[i] - memory::local_window < memory::local_window_bytes} << i;
  local &= lanes;
  if (local != lanes) {
    op.lanes = lanes & ~local;
    shared_time(op);
  }
  if (local) {
    op.lanes = local;
    thread_local_time(op, memory::local_window);
  }
  op.lanes = lanes;
}

/// A thread's own memory has been accessed at once: nobody else can see it. Its time is that of the lines in which a
/// GPU keeps it, interleaved by words so that lanes at one offset share a line.
void MemoryInstructions::thread_local_time(const MemoryOp& op, u64 window) {
  const GridRun& run = warp().run();
  const u32 words = std::max(op.plan->bytes / 4, 1u);
  const u64 base = run.local_memory + (u64{sm_} * WarpTable::slots + with_.issuing.slot) * run.local_bytes * warp_lanes;
  for (u32 word = 0; word < words; ++word) {
    fetch_.lanes = op.lanes;
    for (LaneMask left = op.lanes; left; left &= left - 1) {
      const u32 lane = first_of(left);
      const u64 at = (op.address[lane] - window) / 4 + word;
      fetch_.address[lane] = base + (at * warp_lanes + lane) * 4;
      if (at * 4 >= run.local_bytes) fetch_.lanes &= ~(LaneMask{1} << lane);  // deeper than the launch's stack
    }
    if (fetch_.lanes && with_.accesses.room() > 0)
      shadow(fetch_, op.plan->writes ? AccessKind::store : AccessKind::load, Source::cached, true);
    else
      with_.unit.work(with_.unit.cycles_of(op.lanes), setup_.private_latency, Source::cached);
  }
}

Performed MemoryInstructions::shared(MemoryOp& op) {
  const Performed performed = with_.local.perform(op, with_.issuing.slot);
  if (performed == Performed::done) shared_time(op);
  return performed;
}

void MemoryInstructions::shared_time(const MemoryOp& op) {
  const LocalCost cost = with_.local.cost(op, *warp().counts);
  with_.unit.work(cost.busy, cost.latency, Source::from_shared);
}

void MemoryInstructions::constant_time(const MemoryOp& op) {
  // One word a cycle goes to all lanes that ask for it.
  const u32 bytes = std::max(op.plan->bytes, 1u), line = constants_.line();
  std::array<u64, warp_lanes> words;
  u32 count = 0;
  bool missing = false;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = first_of(left);
    const u64 word = op.address[lane] / std::max(bytes, 4u);
    if (std::find(words.begin(), words.begin() + count, word) != words.begin() + count) continue;
    words[count++] = word;
    if (constants_.look_up(op.address[lane])) continue;
    ++warp().counts->memory.constant_misses;
    if (!missing) {
      missing = true;
      fetch_ = op;
      fetch_.lanes = 0;
    }
    fetch_.address[lane] = op.address[lane] / line * line;
    fetch_.lanes |= LaneMask{1} << lane;
  }
  with_.unit.work(count, count - 1 + setup_.config.constant_latency, Source::constant);
  if (missing) shadow(fetch_, AccessKind::load, Source::constant);
}

/// An access whose values are known already: constants, which nobody writes while the kernel runs, and what
/// is a thread's own. Its lines are asked for, their bytes left as they are.
void MemoryInstructions::shadow(const MemoryOp& op, AccessKind what, Source source, bool of_thread) {
  if (with_.accesses.room() == 0) return with_.unit.work(1, setup_.private_latency, Source::constant);
  Access& a = with_.unit.begin(AccessPath::shadow);
  a.op.lanes = op.lanes;
  for (u32 i = 0; i < warp_lanes; ++i) a.op.address[i] = op.address[i] & ~u64{3};  // the word in which it begins
  a.source = source;
  a.writes = what == AccessKind::store;
  a.line = {};
  a.line.kind = what;
  a.line.read_only = source == Source::constant;
  a.line.of_thread = of_thread;
  a.parts_count = static_cast<u8>(coalesce(a.op, Shape::scattered, 4, setup_.line, a.parts));
  with_.unit.send(a);
}

// --- Accesses of global memory

Performed MemoryInstructions::global(MemoryOp& op) {
  Shape shape = Shape::scattered;
  const u32 bytes = op.plan->bytes;
  if (!with_.flat.may_touch(op, shape)) return Performed::faulted;
  if (op.plan->alignment < bytes && crosses_lines(op, bytes, setup_.line)) return at_once(op);
  Access& a = with_.unit.begin(AccessPath::line);
  describe(a, op);
  a.shape = shape;
  capture(a, op);
  a.op.parks = false;
  a.writes = a.line.kind == AccessKind::store || a.line.kind == AccessKind::reduction;
  a.acquires = a.instruction.pc->order.acquires;
  a.counts = true;
  a.finishes = !a.writes;
  a.parts_count = split(a, bytes);
  count_lines(a);
  if (op.plan->polls) [[unlikely]]
    a.line.poll = with_.steady_polls.may_be_held(a);
  if (with_.polls.watching() && a.instruction.pc->order.strong) [[unlikely]]
    with_.polls.give_way(a.slot, a.op, a.op.lanes);
  if (core::observation && with_.recorder) [[unlikely]]
    a.block = op.warp->block->number, a.warp = op.warp->index;
  const bool writes = a.writes;
  if (with_.unit.send(a) || writes) return Performed::done;
  op.parks = false;
  return Performed::pending;
}

/// Of a texture instruction: it weighs them when all are there.
Performed MemoryInstructions::texels(MemoryOp& op) {
  Shape shape = Shape::scattered;
  if (!with_.flat.may_touch(op, shape)) return Performed::faulted;
  Access& a = with_.unit.begin(AccessPath::line);
  describe(a, op);
  a.op = op;
  a.op.parks = false;
  a.shape = shape;
  a.source = Source::constant;
  a.finishes = true;
  a.parts_count = split(a, op.plan->bytes);
  if (with_.unit.send(a)) return Performed::done;
  op.parks = false;
  return Performed::pending;
}

/// A surface whose rows lie askew, so that a lane's access crosses lines: it is performed now, past all caches, and
/// takes the time of the lines that it begins in.
Performed MemoryInstructions::at_once(MemoryOp& op) {
  const core::WholeMachine all;
  const auto meet_image = [&](bool written) {
    for (LaneMask left = op.lanes; left && setup_.meet_image; left &= left - 1)
      setup_.meet_image(op.address[first_of(left)], op.plan->bytes, written);
  };
  meet_image(false);
  const Performed performed = with_.flat.memory(op);
  if (performed != Performed::done) return performed;
  if (op.plan->writes) meet_image(true);
  shadow(op, AccessKind::load, Source::constant);
  return performed;
}

Performed MemoryInstructions::async_copy(MemoryOp& op) {
  FlatMemory::Copy copy;
  if (!with_.flat.may_copy(op, copy)) return Performed::faulted;
  const WarpSlot& w = warp();
  u8* const to = w.block->block->shared_data();
  const u32 all = op.form->bytes;
  LaneMask lanes = 0;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = first_of(left);
    std::memset(to + op.address[lane] + copy.bytes[lane], 0, all - copy.bytes[lane]);
    if (copy.bytes[lane]) lanes |= LaneMask{1} << lane;
  }
  with_.unit.work(with_.unit.cycles_of(op.lanes), 1, Source::computed);
  if (!lanes) return Performed::done;
  Access& a = with_.unit.begin(AccessPath::line);
  describe(a, op);
  a.line.kind = AccessKind::load;
  a.op = op;
  a.op.lanes = lanes;
  a.shared = to;
  for (u32 i = 0; i < warp_lanes; ++i) {
    a.data[i] = static_cast<u32>(op.address[i]);
    a.data[warp_lanes + i] = copy.bytes[i];
    a.op.address[i] = copy.from[i];
  }
  a.shape = Shape::scattered;
  a.copies = true;
  a.group = with_.order.copy_begins(with_.issuing.slot);
  ++w.warp->under_way;
  a.parts_count = split(a, all);
  count_lines(a);
  with_.unit.send(a);
  return Performed::done;
}

void MemoryInstructions::describe(Access& a, const MemoryOp& op) const {
  const ptx::MemoryForm& form = *op.form;
  const Ordering& order = a.instruction.pc->order;
  const bool beyond = order.scope > setup_.consistency.widest_private;
  memory::LineAccess& line = a.line;
  line = {};
  line.kind = kind_of(form);
  line.strong = order.strong && beyond;
  line.at_home = form.hint == ptx::CacheHint::cg || form.hint == ptx::CacheHint::cv || form.order == ptx::Order::mmio ||
                 form.hint == ptx::CacheHint::wt;
  a.mmio = form.order == ptx::Order::mmio;
  line.streaming = form.hint == ptx::CacheHint::cs || form.hint == ptx::CacheHint::lu;
  line.read_only = (form.hint == ptx::CacheHint::nc && !order.strong) || order.declared;
  line.declared = order.declared;
  line.scope = order.scope;
  line.whole_words = line.kind == AccessKind::store && op.plan->bytes % memory::word_bytes == 0 &&
                     op.plan->alignment % memory::word_bytes == 0;
}

/// The access keeps the operation, and the data that it writes: the warp may go on and write these registers.
void MemoryInstructions::capture(Access& a, const MemoryOp& op) {
  a.op = op;
  const std::size_t plan = static_cast<std::size_t>(op.plan - a.grid->grid->plans.data());
  const CapturedForm& captured = a.instruction.timing->forms[plan];
  if (captured.rows.empty()) return;
  const u32* const rows = op.rows();
  for (const CapturedForm::Copy& copy : captured.rows)
    std::memcpy(a.data.data() + copy.to * warp_lanes,
                (copy.from & ptx::constant_row ? op.constants + (copy.from & 0x7fff) * warp_lanes
                                               : rows + copy.from * warp_lanes),
                warp_lanes * sizeof(u32));
  a.op.form = &captured.form;
  a.op.constants = a.data.data();
}

/// Lines of an access; of one to registers of devices every lane by itself, as nothing of it may be combined.
u8 MemoryInstructions::split(Access& a, u32 bytes) const {
  bool mmio = a.mmio;
  if (setup_.map && setup_.map->has_mmio())
    for (LaneMask left = a.op.lanes; left && !mmio; left &= left - 1)
      mmio = setup_.map->place(a.op.address[first_of(left)] & ~u64{setup_.line - 1}).mmio;
  if (!mmio) [[likely]]
    return static_cast<u8>(coalesce(a.op, a.shape, bytes, setup_.line, a.parts));
  MemoryOp& op = a.op;
  const LaneMask lanes = op.lanes;
  u8 count = 0;
  std::array<AccessPart, warp_lanes> one;
  for (LaneMask left = lanes; left; left &= left - 1) {
    op.lanes = left & (~left + 1);
    coalesce(op, Shape::scattered, bytes, setup_.line, one);
    a.parts[count++] = one[0];
  }
  op.lanes = lanes;
  return count;
}

}  // namespace ew::simt
