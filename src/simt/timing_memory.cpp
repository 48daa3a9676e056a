// Memory instructions of the timing machine: checked and taken over at issue, sent through the load/store unit in
// order, performed where the hierarchy says.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "memory/address_map.hpp"
#include "simt/timing_sm.hpp"

namespace ew::simt {
namespace {

using memory::AccessKind;
using memory::ServedBy;
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

}  // namespace

Performed TimingSm::memory(MemoryOp& op) {
  const ptx::MemoryForm& form = *op.form;
  if (form.kind == MemoryKind::prefetch) return with_.flat.memory(op);
  if (table_[issuing_].next.pc->order.flag != memory::PersistOrder::none) [[unlikely]]
    name_flags(op);
  if (op.texture) {
    const Performed performed = with_.flat.memory(op);
    if (performed == Performed::done) shadow(op, AccessKind::load, Source::constant);
    return performed;
  }
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
  else if (table_[issuing_].next.pc->unit == Unit::memory)
    local_time(op, 0);
  return performed;
}

/// Flags of pRel and pAcq are told apart by their lines, those in shared memory by the block, too.
void TimingSm::name_flags(const MemoryOp& op) {
  const WarpSlot& w = table_[issuing_];
  const u64 block = u64{w.block->place} + 1;
  u64 last = ~u64{0};
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    u64 at = op.address[static_cast<u32>(std::countr_zero(left))];
    if (op.form->window == Window::shared)
      at |= block << 32;
    else if (at - memory::shared_window < memory::shared_window_bytes)
      at = (at - memory::shared_window) | block << 32;
    const u64 flag = at / setup_.line;
    if (flag != last) port_->flag(w.next.pc->order.flag, flag, issuing_);
    last = flag;
  }
}

u32 TimingSm::lane_cycles(const MemoryOp& op) const {
  const u32 at_once = setup_.config.load_store_lanes;
  return (static_cast<u32>(std::popcount(op.lanes)) + at_once - 1) / at_once;
}

/// Lanes of one instruction may point into different windows.
Performed TimingSm::generic(MemoryOp& op) {
  const LaneMask lanes = op.lanes, far = global_lanes(op), near = lanes & ~far;
  if (near) {
    op.lanes = near;
    const Performed performed = flat(op);
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
void TimingSm::near_time(MemoryOp& op) {
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
    local_time(op, memory::local_window);
  }
  op.lanes = lanes;
}

/// A thread's own memory has been accessed at once: nobody else can see it. Its time is that of the lines in which a
/// GPU keeps it, interleaved by words so that lanes at one offset share a line.
void TimingSm::local_time(const MemoryOp& op, u64 window) {
  const GridRun& run = *table_[issuing_].grid;
  const u32 words = std::max(op.plan->bytes / 4, 1u);
  const u64 base = run.local_memory + (u64{sm_.index} * WarpTable::slots + issuing_) * run.local_bytes * warp_lanes;
  for (u32 word = 0; word < words; ++word) {
    fetch_.lanes = op.lanes;
    for (LaneMask left = op.lanes; left; left &= left - 1) {
      const u32 lane = static_cast<u32>(std::countr_zero(left));
      const u64 at = (op.address[lane] - window) / 4 + word;
      fetch_.address[lane] = base + (at * warp_lanes + lane) * 4;
      if (at * 4 >= run.local_bytes) fetch_.lanes &= ~(LaneMask{1} << lane);  // deeper than the launch's stack
    }
    if (fetch_.lanes && accesses_.room() > 0)
      shadow(fetch_, op.plan->writes ? AccessKind::store : AccessKind::load, Source::cached);
    else
      unit_time(lane_cycles(op), setup_.private_latency, Source::cached);
  }
}

/// At once, where it stands.
Performed TimingSm::flat(MemoryOp& op) {
  if (polls_.watching() && table_[issuing_].next.pc->order.strong) [[unlikely]]
    return flat_watched(op);
  return flat_now(op);
}

/// The same; words of shared memory are watched.
Performed TimingSm::flat_watched(MemoryOp& op) {
  Block& block = *op.warp->block;
  LaneMask shared = 0;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = first_of(left);
    if (shared_offset(place_of(op, lane), block) + op.plan->bytes <= block.grid->shared_bytes)
      shared |= LaneMask{1} << lane;
  }
  return polls_.watched(
      issuing_, op, shared, [&](u32 lane) { return place_of(op, lane); },
      [&](u32 lane) { return block.shared_data() + shared_offset(place_of(op, lane), block); },
      [&] { return flat_now(op); });
}

Performed TimingSm::flat_now(MemoryOp& op) {
  return core::observation && with_.recording ? with_.recording->memory(op) : with_.flat.memory(op);
}

Performed TimingSm::shared(MemoryOp& op) {
  const Performed performed = flat(op);
  if (performed == Performed::done) shared_time(op);
  return performed;
}

/// The access has been performed: accesses of shared memory take effect in the order of issue, which is the order of
/// the unit. What remains is how long it takes.
void TimingSm::shared_time(const MemoryOp& op) {
  const bool atomic = op.form->kind == MemoryKind::atomic || op.form->kind == MemoryKind::reduction ||
                      op.form->kind == MemoryKind::update;
  const u32 bytes = std::max(op.plan->bytes, 1u);
  const u32 passes = shared_passes(op, shape_of(op, bytes), bytes, setup_.config.shared_banks, atomic);
  TimingStatistics& counts = *table_[issuing_].counts;
  ++counts.shared_requests;
  counts.shared_passes += passes;
  unit_time(std::max(passes, lane_cycles(op)), passes - 1 + setup_.config.shared_latency, Source::from_shared);
}

void TimingSm::constant_time(const MemoryOp& op) {
  // One word a cycle goes to all lanes that ask for it.
  const u32 bytes = std::max(op.plan->bytes, 1u), line = constants_.line();
  std::array<u64, warp_lanes> words;
  u32 count = 0;
  MemoryOp* missing = nullptr;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    const u64 word = op.address[lane] / std::max(bytes, 4u);
    if (std::find(words.begin(), words.begin() + count, word) != words.begin() + count) continue;
    words[count++] = word;
    if (constants_.look_up(op.address[lane])) continue;
    ++table_[issuing_].counts->constant_misses;
    if (!missing) {
      missing = &fetch_;
      fetch_ = op;
      fetch_.lanes = 0;
    }
    fetch_.address[lane] = op.address[lane] / line * line;
    fetch_.lanes |= LaneMask{1} << lane;
  }
  unit_time(count, count - 1 + setup_.config.constant_latency, Source::constant);
  if (missing) shadow(fetch_, AccessKind::load, Source::constant);
}

/// The unit is busy for a while, and the result comes so many cycles after it began.
void TimingSm::unit_time(u32 busy, u32 latency, Source source) {
  const Cycle now = with_.wheel.now();
  if (queue_count_ == 0 || accesses_.room() == 0) {
    const Cycle begin = std::max(now, unit_free_);
    unit_free_ = begin + busy;
    if (!waits_for_access(result_)) result_ = std::max(result_, ready_at(begin + latency, source));
    return;
  }
  const u32 id = take_access(AccessPath::shared);
  Access& a = accesses_[id];
  a.busy = busy;
  a.latency = latency;
  a.source = source;
  a.parts_count = a.to_complete = 1;
  retain(id);
  enqueue(id);
}

// --- Accesses that go through the private cache

u32 TimingSm::take_access(AccessPath path) {
  const u32 id = accesses_.take();
  Access& a = accesses_[id];
  WarpSlot& w = table_[issuing_];
  a.grid = w.grid;
  ++a.grid->accesses;
  a.instruction = w.next;
  a.slot = issuing_;
  a.counts_of = w.counts;
  a.begun = with_.wheel.now();
  a.generation = w.generation;
  a.path = path;
  a.ready = 0;
  a.stalled = 0;
  a.others = 0;
  a.next_part = 0;
  a.served_by = ServedBy::none;
  a.source = Source::cached;
  a.counts = a.writes = a.finishes = a.copies = a.acquires = a.mmio = a.retained = a.done = false;
  return id;
}

/// Lines of an access; of one to registers of devices every lane by itself, as nothing of it may be combined.
u8 TimingSm::split(Access& a, u32 bytes) const {
  bool mmio = a.mmio;
  if (setup_.map && setup_.map->has_mmio())
    for (LaneMask left = a.op.lanes; left && !mmio; left &= left - 1)
      mmio = setup_.map->kind(a.op.address[static_cast<u32>(std::countr_zero(left))] & ~u64{setup_.line - 1}).mmio;
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

void TimingSm::describe(Access& a, const MemoryOp& op) {
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
  line.read_only = form.hint == ptx::CacheHint::nc && !order.strong;
  line.scope = order.scope;
}

Performed TimingSm::global(MemoryOp& op) {
  Shape shape = Shape::scattered;
  const u32 bytes = op.plan->bytes;
  if (!with_.flat.may_touch(op, shape)) return Performed::faulted;
  if (op.plan->alignment < bytes && crosses_lines(op, bytes, setup_.line)) return crossing(op);
  const u32 id = take_access(AccessPath::line);
  Access& a = accesses_[id];
  describe(a, op);
  a.op = op;
  a.shape = shape;
  const std::size_t plan = static_cast<std::size_t>(op.plan - a.grid->grid->plans.data());
  const CapturedForm& captured = a.instruction.timing->forms[plan];
  if (!captured.rows.empty()) {
    const u32* const rows = op.rows();
    for (const CapturedForm::Copy& copy : captured.rows)
      std::memcpy(a.data.data() + copy.to * warp_lanes,
                  (copy.from & ptx::constant_row ? op.constants + (copy.from & 0x7fff) * warp_lanes
                                                 : rows + copy.from * warp_lanes),
                  warp_lanes * sizeof(u32));
    a.op.form = &captured.form;
    a.op.constants = a.data.data();
  }
  a.op.parks = false;
  a.writes = a.line.kind == AccessKind::store || a.line.kind == AccessKind::reduction;
  a.acquires = a.instruction.pc->order.acquires;
  a.counts = true;
  a.finishes = !a.writes;
  a.parts_count = split(a, bytes);
  count_lines(a);
  if (polls_.watching() && a.instruction.pc->order.strong) [[unlikely]]
    polls_.give_way(a.slot, a.op, a.op.lanes);
  if (core::observation && with_.recorder) [[unlikely]]
    a.block = op.warp->block->number, a.warp = op.warp->index;
  const bool over = send(id);
  if (over || a.writes) return Performed::done;
  op.parks = false;
  return Performed::pending;
}

/// A surface whose rows lie askew: its access is performed at once and takes the time of the lines that it begins in.
Performed TimingSm::crossing(MemoryOp& op) {
  const Performed performed = with_.flat.memory(op);
  if (performed == Performed::done) shadow(op, AccessKind::load, Source::constant);
  return performed;
}

void TimingSm::count_lines(const Access& a) {
  TimingStatistics& counts = *a.counts_of;
  ++counts.requests;
  counts.lines += a.parts_count;
  for (u32 p = 0; p < a.parts_count; ++p) counts.sectors += sectors_of(a.parts[p].words);
}

/// An access whose values are known already: constants and texels, which nobody writes while the kernel runs, and what
/// is a thread's own. Its lines are asked for, their bytes left as they are.
void TimingSm::shadow(const MemoryOp& op, AccessKind what, Source source) {
  if (accesses_.room() == 0) return unit_time(1, setup_.private_latency, Source::constant);
  const u32 id = take_access(AccessPath::shadow);
  Access& a = accesses_[id];
  a.op.lanes = op.lanes;
  for (u32 i = 0; i < warp_lanes; ++i) a.op.address[i] = op.address[i] & ~u64{3};  // the word in which it begins
  a.source = source;
  a.writes = what == AccessKind::store;
  a.line = {};
  a.line.kind = what;
  a.line.read_only = source == Source::constant;
  a.parts_count = static_cast<u8>(coalesce(a.op, Shape::scattered, 4, setup_.line, a.parts));
  send(id);
}

Performed TimingSm::async_copy(MemoryOp& op) {
  FlatMemory::Copy copy;
  if (!with_.flat.may_copy(op, copy)) return Performed::faulted;
  WarpSlot& w = table_[issuing_];
  u8* const to = w.block->block->shared_data();
  const u32 all = op.form->bytes;
  LaneMask lanes = 0;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    std::memset(to + op.address[lane] + copy.bytes[lane], 0, all - copy.bytes[lane]);
    if (copy.bytes[lane]) lanes |= LaneMask{1} << lane;
  }
  unit_time(lane_cycles(op), 1, Source::computed);
  if (!lanes) return Performed::done;
  const u32 id = take_access(AccessPath::line);
  Access& a = accesses_[id];
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
  a.group = order_.copy_begins(issuing_);
  ++w.warp->under_way;
  a.parts_count = split(a, all);
  count_lines(a);
  send(id);
  return Performed::done;
}

/// True: it is over already, and what it read is in the registers. Else the scoreboard waits for it.
bool TimingSm::send(u32 id) {
  Access& a = accesses_[id];
  a.to_perform = a.to_complete = a.parts_count;
  if (a.counts) {
    order_.sent(issuing_, a.instruction.pc->order.as);
  }
  a.line.access = id;
  a.line.warp = static_cast<u8>(a.slot);
  a.line.account = a.grid->account;
  const Cycle now = with_.wheel.now();
  const u32 serial = a.serial;
  if (held_.at_accesses() >> a.slot & 1) [[unlikely]] {  // by an earlier part of the same instruction
    retain(id);
    set_aside(id);
    return false;
  }
  if (queue_count_ == 0 && unit_free_ <= now) {
    const Sent sent = proceed(id, now);
    if (a.serial != serial) return true;  // over, and the access may be another's
    retain(id);
    if (sent == Sent::later) enqueue(id);
    return false;
  }
  retain(id);
  enqueue(id);
  return false;
}

/// From now on registers wait for the access, not for the instruction.
void TimingSm::retain(u32 id) {
  Access& a = accesses_[id];
  a.retained = true;
  if (a.writes || a.copies) {
    a.leader = id;
    return;
  }
  if (leader_ == no_access) {
    leader_ = id;
    result_ = ready_with(id);
  } else {
    ++accesses_[leader_].others;
  }
  a.leader = leader_;
}

void TimingSm::enqueue(u32 id) {
  queue_[(queue_first_ + queue_count_++) % queue_.size()] = id;
}

void TimingSm::step_queue(Cycle now) {
  while (queue_count_ && !head_stalled_ && unit_free_ <= now) {
    const u32 id = queue_[queue_first_];
    if (proceed(id, now) == Sent::later) return;
    queue_first_ = (queue_first_ + 1) % static_cast<u32>(queue_.size());
    --queue_count_;
  }
}

/// The head of the unit.
TimingSm::Sent TimingSm::proceed(u32 id, Cycle now) {
  Access& a = accesses_[id];
  if (a.path == AccessPath::shared) {
    unit_free_ = now + a.busy;
    a.ready = now + a.latency;
    a.to_complete = 0;
    finish(id);
    return Sent::over;
  }
  const u32 busy = lane_cycles(a.op);
  for (;;) {
    const AccessPart& part = a.parts[a.next_part];
    a.line.line = part.line;
    a.line.words = part.words;
    if (setup_.map) {
      const memory::AddressMap::Kind kind = setup_.map->kind(part.line);
      a.line.host_memory = kind.host;
      a.line.persistent = setup_.map->persistent(part.line);
      a.line.mmio = kind.mmio || (a.mmio && !a.line.persistent);
      with_.polls.met_host(kind.host | a.line.persistent);
    }
    a.line.part = a.next_part;
    a.line.lanes = static_cast<u8>(std::popcount(part.lanes));
    const bool last = a.next_part + 1 == a.parts_count;
    memory::Stall why = memory::Stall::none;
    switch (port_->access(a.line, why)) {
      case memory::Accepted::stalled:
        unit_free_ = now + 1;
        if (memory::holds_the_warp(why)) {
          hold(a.slot, why, id, true);
          return Sent::held;
        }
        stall_ = why;
        head_stalled_ = why != memory::Stall::bank;
        return Sent::later;
      case memory::Accepted::performed:
        ++a.next_part;
        ++a.counts_of->parts;
        a.ready = std::max(a.ready, now + setup_.private_latency);
        part_over(id, ServedBy::private_cache);
        break;
      case memory::Accepted::pending:
        ++a.next_part;
        ++a.counts_of->parts;
        if (why == memory::Stall::persist_durable) hold(a.slot, why, id, false);
        break;
    }
    if (last) break;
  }
  unit_free_ = now + busy;
  return Sent::over;
}

/// The warp is held: it issues nothing, and its younger accesses leave the queue, so that those of other warps pass.
void TimingSm::hold(u32 slot, memory::Stall why, u32 access, bool aside) {
  const bool first = held_.hold(slot, why);
  if (aside) set_aside(access);
  if (!first) return;
  u32 kept = 0;
  for (u32 i = 0; i < queue_count_; ++i) {
    const u32 id = queue_[(queue_first_ + i) % queue_.size()];
    if (id == access || accesses_[id].slot != slot || accesses_[id].path == AccessPath::shared)
      queue_[(queue_first_ + kept++) % queue_.size()] = id;
    else
      set_aside(id);
  }
  queue_count_ = kept;
}

void TimingSm::set_aside(u32 id) {
  Access& a = accesses_[id];
  Aside& aside = aside_[a.slot];
  a.next_held = no_access;
  (aside.first == no_access ? aside.first : accesses_[aside.last].next_held) = id;
  aside.last = id;
}

void TimingSm::resume(u64 warps) {
  held_.resume_at_order(warps);
  for (u64 left = warps; left; left &= left - 1) {
    const u32 slot = first_of(left);
    for (u32 id = std::exchange(aside_[slot].first, no_access), next; id != no_access; id = next) {
      next = accesses_[id].next_held;
      enqueue(id);
    }
    table_.look_again(slot, Wait::order);
  }
  held_.resume_at_accesses(warps);
  alarm_.wake_now();
}

void TimingSm::released(u32 token) {
  if (token & AccessOrder::tokens_end)
    flushes_.over();
  else
    order_.released(token);
}

void TimingSm::wake() {
  head_stalled_ = false;
  alarm_.wake_now();
}

// --- What the hierarchy answers

memory::ByteMask TimingSm::perform(u32 id, u32 number, u8* bytes) {
  Access& a = accesses_[id];
  if (!a.grid) return {};
  if (a.path == AccessPath::shadow) return a.writes ? bytes_of(a.op, a.parts[number], 4) : memory::ByteMask{};
  const bool watched = polls_.watching() && a.instruction.pc->order.strong;
  const memory::ByteMask written = watched ? perform_watched(a, number, bytes) : perform_now(a, number, bytes);
  if (trace_.on()) [[unlikely]]
    trace_.access(core::TraceKind::performed, a, id, number);
  if (--a.to_perform == 0 && a.writes && a.counts) forget_order(a, true, false);
  return written;
}

memory::ByteMask TimingSm::perform_watched(Access& a, u32 number, u8* bytes) {
  const AccessPart& part = a.parts[number];
  return polls_.watched(
      a.slot, a.op, part.lanes, [&](u32 lane) { return a.op.address[lane]; },
      [&](u32 lane) { return bytes + (a.op.address[lane] - part.line); },
      [&] { return perform_now(a, number, bytes); });
}

memory::ByteMask TimingSm::perform_now(Access& a, u32 number, u8* bytes) {
  const AccessPart& part = a.parts[number];
  const LaneMask lanes = a.op.lanes;
  const Shape shape = part.lanes == lanes ? a.shape : Shape::scattered;
  const u64 bias = reinterpret_cast<u64>(bytes) - part.line;
  memory::ByteMask written;
  if (a.copies) {
    for (LaneMask left = part.lanes; left; left &= left - 1) {
      const u32 lane = static_cast<u32>(std::countr_zero(left));
      std::memcpy(a.shared + a.data[lane], reinterpret_cast<const void*>(a.op.address[lane] + bias),
                  a.data[warp_lanes + lane]);
    }
  } else if (core::observation && with_.recorder && with_.recorder->wants(a.op)) [[unlikely]] {
    written = perform_recorded(a, part, shape, bias, bytes == reinterpret_cast<const u8*>(part.line));
  } else {
    a.op.lanes = part.lanes;
    switch (a.op.form->kind) {
      case MemoryKind::load:
        load(a.op, *a.op.plan, shape, bias);
        break;
      case MemoryKind::store:
        store(a.op, *a.op.plan, shape, bias);
        written = bytes_of(a.op, part, a.op.plan->bytes);
        break;
      default:
        atomic(a.op, bias, bytes == reinterpret_cast<const u8*>(part.line));
        written = bytes_of(a.op, part, a.op.plan->bytes);
        break;
    }
    a.op.lanes = lanes;
  }
  return written;
}

/// The same, handed to the recorder; atomics lane by lane, each with what it found.
memory::ByteMask TimingSm::perform_recorded(Access& a, const AccessPart& part, Shape shape, u64 bias, bool in_place) {
  const auto guard = with_.recorder->lock();
  const EventRecorder::Origin origin{a.grid->grid, a.block, a.warp};
  const LaneMask lanes = a.op.lanes;
  a.op.lanes = part.lanes;
  const MemoryKind kind = a.op.form->kind;
  if (kind == MemoryKind::load || kind == MemoryKind::store) {
    (kind == MemoryKind::load ? load : store)(a.op, *a.op.plan, shape, bias);
    with_.recorder->performed(a.op, origin, bias);
  } else {
    for (LaneMask left = part.lanes; left; left &= left - 1) {
      const u32 lane = static_cast<u32>(std::countr_zero(left));
      a.op.lanes = LaneMask{1} << lane;
      u64 old = 0;
      std::memcpy(&old, reinterpret_cast<const void*>(a.op.address[lane] + bias), std::min(a.op.plan->bytes, 8u));
      atomic(a.op, bias, in_place);
      with_.recorder->performed(a.op, origin, bias, old);
    }
  }
  a.op.lanes = lanes;
  return kind == MemoryKind::load ? memory::ByteMask{} : bytes_of(a.op, part, a.op.plan->bytes);
}

void TimingSm::complete(u32 id, u32 part, ServedBy by) {
  Access& a = accesses_[id];
  a.served_by = by;
  if (trace_.on()) [[unlikely]]
    trace_.access(core::TraceKind::visible, a, id, part);
  part_over(id, by);
}

void TimingSm::part_over(u32 id, ServedBy by) {
  Access& a = accesses_[id];
  a.served_by = by;
  if (a.grid && !a.writes) count_latency(a, by);
  if (--a.to_complete == 0) finish(id);
}

/// The warp's order counters: an access has become performed, visible, or both.
void TimingSm::forget_order(Access& a, bool performed, bool visible) {
  if (table_[a.slot].generation != a.generation) return;
  const memory::OrderClass as = a.instruction.pc->order.as;
  if (performed) order_.performed(a.slot, as);
  if (visible) order_.visible(a.slot, as);
}

void TimingSm::finish(u32 id) {
  Access& a = accesses_[id];
  const Cycle now = with_.wheel.now();
  if (!a.grid) return release(id);  // its grid has failed
  if (a.counts) forget_order(a, !a.writes, true);
  if (a.acquires) {  // before anything else of this SM: in the step, as this may be the private cache's call
    order_.acquire_soon(a.instruction.pc->order.scope, a.grid->account);
    alarm_.wake(now);
  }
  WarpSlot& w = table_[a.slot];
  const bool mine = w.generation == a.generation;
  if (a.copies && mine) {
    order_.copy_over(a.slot, a.group);
    --w.warp->under_way;
    table_.look_again(a.slot, Wait::order);
  }
  if (!a.retained) {  // within its own instruction
    if (!waits_for_access(result_)) result_ = std::max(result_, ready_at(std::max(a.ready, now), a.source));
    return release(id);
  }
  if (a.finishes) with_.executor.finish(a.op, Performed::done);
  if (mine) residents_.one_less_under_way(a.slot);
  alarm_.wake(now);
  const u32 leader_id = a.leader;
  Access& leader = accesses_[leader_id];
  a.done = true;
  if (a.leader != id) {
    leader.ready = std::max(leader.ready, a.ready);
    leader.served_by = a.served_by;
    --leader.others;
    release(id);
  }
  if (leader.done && leader.others == 0) conclude(leader_id);
}

/// All that an instruction asked for is there: its registers can be read.
void TimingSm::conclude(u32 id) {
  Access& a = accesses_[id];
  const Cycle now = with_.wheel.now();
  move_charges(id, a);
  WarpSlot& w = table_[a.slot];
  if (!a.writes && !a.copies && w.generation == a.generation) {
    w.scoreboard.answer(a.instruction, id, ready_at(std::max(a.ready, now), a.source));
    if (w.warp && w.wait == Wait::memory && w.access == id) table_.look_again(a.slot, Wait::memory);
  }
  release(id);
}

void TimingSm::release(u32 id) {
  Access& a = accesses_[id];
  if (a.grid) --a.grid->accesses;
  if (a.grid && a.grid->accesses == 0) with_.endings.one_more();
  a.grid = nullptr;
  ++a.serial;
  accesses_.give_back(id);
}

void TimingSm::forget_accesses(const GridRun& run) {
  u32 kept = 0;
  for (u32 i = 0; i < queue_count_; ++i) {
    const u32 id = queue_[(queue_first_ + i) % queue_.size()];
    Access& a = accesses_[id];
    if (a.grid != &run) {
      queue_[(queue_first_ + kept++) % queue_.size()] = id;
      continue;
    }
    a.to_complete = static_cast<u8>(a.to_complete - (a.parts_count - a.next_part));
    a.parts_count = a.next_part;
    if (i == 0) head_stalled_ = false;
  }
  queue_count_ = kept;
  forget_held(run);
  for (u32 id = 0; id < accesses_.made(); ++id) {
    Access& a = accesses_[id];
    if (a.grid != &run) continue;
    a.counts_of->data_unserved += std::exchange(a.stalled, 0);
    a.grid = nullptr;
    if (a.to_complete == 0) release(id);
  }
}

void TimingSm::forget_held(const GridRun& run) {
  for (Aside& aside : aside_)
    for (u32 id = std::exchange(aside.first, no_access), next; id != no_access; id = next) {
      Access& a = accesses_[id];
      next = a.next_held;
      if (a.grid != &run) {
        set_aside(id);
        continue;
      }
      a.to_complete = static_cast<u8>(a.to_complete - (a.parts_count - a.next_part));
      a.parts_count = a.next_part;
    }
}

std::string TimingSm::what_is_under_way() const {
  std::string text;
  if (held_.at_accesses() | held_.at_order())
    text +=
        fmt::format("\n  SM {}: the persistency model holds warp slots {:#x} at accesses and {:#x} at order operations",
                    sm_.index, held_.at_accesses(), held_.at_order());
  if (queue_count_)
    text += fmt::format(
        "\n  SM {}: {} accesses wait for the load/store unit{}", sm_.index, queue_count_,
        head_stalled_ ? fmt::format("; the first is stalled by the private cache (reason {})", static_cast<u32>(stall_))
                      : "");
  u32 listed = 0;
  for (u32 id = 0; id < accesses_.made() && listed < 8; ++id) {
    const Access& a = accesses_[id];
    if (!a.grid) continue;
    ++listed;
    text += fmt::format(
        "\n  SM {}: access {} of warp slot {} to line {:#x}: {} of {} parts accepted, {} unanswered, {} others behind "
        "it",
        sm_.index, id, a.slot, a.parts[0].line, a.next_part, a.parts_count, a.to_complete, a.others);
  }
  const std::string below = port_->what_is_under_way();
  if (!below.empty()) text += fmt::format("\n  private cache of SM {}:\n{}", sm_.index, below);
  return text;
}

}  // namespace ew::simt
