#include "simt/event_recorder.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "core/diagnostics.hpp"

namespace ew::simt {
namespace {

using memory::local_window;
using memory::local_window_bytes;
using memory::parameter_window;
using memory::parameter_window_bytes;
using memory::shared_window;
using memory::shared_window_bytes;
using ptx::MemoryKind;
using ptx::Order;
using ptx::Window;

EventAction action_of(Order order) {
  switch (order) {
    case Order::weak:
      return EventAction::weak;
    case Order::acquire:
      return EventAction::acquire;
    case Order::release:
      return EventAction::release;
    case Order::acq_rel:
      return EventAction::acq_rel;
    case Order::relaxed:
    case Order::is_volatile:
    case Order::mmio:
      return EventAction::relaxed;
  }
  return EventAction::weak;
}

/// Does it show, or may it be part of synchronisation?
bool is_strong(const ptx::MemoryForm& form) {
  return form.order != Order::weak || form.kind == MemoryKind::atomic || form.kind == MemoryKind::reduction ||
         form.kind == MemoryKind::update;
}

Scope scope_of(const ptx::MemoryForm& form) {
  if (form.order == Order::is_volatile || form.order == Order::mmio) return Scope::sys;
  // PTX ISA, "atom": without a scope it is .gpu.
  return form.scope == Scope::none ? Scope::gpu : form.scope;
}

/// What a lane's store writes, from its registers: another lane may have written the same bytes since.
void stored_bytes(const MemoryOp& op, u32 lane, u8* to) {
  const ptx::MemoryForm& form = *op.form;
  const AccessPlan& plan = *op.plan;
  for (u32 e = 0; e < form.count; ++e) {
    const ptx::Row r = form.data[e];
    const u32* row = r & ptx::constant_row ? op.constants + (r & 0x7fff) * warp_lanes : op.rows() + r * warp_lanes;
    for (u32 part = 0; part < plan.element; part += plan.piece) {
      const u32* cells = row + part / 4 * warp_lanes;
      const u64 value =
          form.register_bytes >= 8 || plan.piece == 8 ? reinterpret_cast<const u64*>(cells)[lane] : u64{cells[lane]};
      std::memcpy(to + e * plan.element + part, &value, plan.piece);
    }
  }
}

/// Where the lane points: an address, an offset in shared memory with shared_address set, or 0 for what is its own.
u64 location_of(const MemoryOp& op, u32 lane) {
  const u64 address = op.address[lane];
  switch (op.form->window) {
    case Window::global:
      return address;
    case Window::shared:
      return address | shared_address;
    case Window::generic:
      if (address - shared_window < shared_window_bytes) return (address - shared_window) | shared_address;
      if (address - local_window < local_window_bytes || address - parameter_window < parameter_window_bytes) return 0;
      return address;
    default:
      return 0;
  }
}

EventKind kind_of(const ptx::MemoryForm& form) {
  switch (form.kind) {
    case MemoryKind::load:
      return EventKind::load;
    case MemoryKind::atomic:
    case MemoryKind::reduction:
      return EventKind::atomic;
    default:
      return EventKind::store;
  }
}

}  // namespace

EventRecorder::EventRecorder(const std::string& file, bool timing, PathsToPools paths)
    : writer_(file), launches_(writer_), pools_(writer_, timing), timing_(timing), paths_(paths) {}

EventRecorder::~EventRecorder() {
  try {
    close();
  } catch (const core::UserError& mistake) {
    std::fprintf(stderr, "everwarp: %s\n", mistake.what());
  }
}

void EventRecorder::close() {
  const auto guard = lock();
  writer_.close();
}

EventRecord EventRecorder::record_of(EventKind kind, const Origin& origin, ptx::Pc pc, LaneMask lanes) {
  return {.kind = kind,
          .lanes = lanes,
          .pc = pc,
          .launch = launches_.of(*origin.grid).number,
          .block = origin.block,
          .warp = origin.warp};
}

bool EventRecorder::is_persist(const MemoryOp& op, u32 lane) const {
  const Window window = op.form->window;
  return (window == Window::global || window == Window::generic) && pools_.contains(op.address[lane]);
}

LaneMask EventRecorder::lanes_worth_it(const MemoryOp& op) const {
  const bool strong = is_strong(*op.form);
  LaneMask worth = 0;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    const bool wanted = strong ? location_of(op, lane) != 0 : op.plan->writes && is_persist(op, lane);
    worth |= LaneMask{wanted} << lane;
  }
  return worth;
}

bool EventRecorder::wants(const MemoryOp& op) const {
  const ptx::MemoryForm& form = *op.form;
  if (form.kind == MemoryKind::prefetch || form.kind == MemoryKind::async_copy || op.texture) return false;
  if (is_strong(form)) return form.window != Window::param && form.window != Window::constant;
  return op.plan->writes && lanes_worth_it(op) != 0;
}

void EventRecorder::set_order(EventRecord& record, const MemoryOp& op, const Origin& origin) {
  const ptx::MemoryForm& form = *op.form;
  record.action = action_of(form.order);
  record.scope = scope_of(form);
  if (record.kind == EventKind::atomic && record.action == EventAction::weak) record.action = EventAction::relaxed;
  const RecordedRegion& region = launches_.of(*origin.grid).kernel->regions[op.pc];
  if (region.kind == RegionKind::none) return;
  if (region.kind == RegionKind::prel && record.kind != EventKind::load) record.action = EventAction::prel;
  if (region.kind == RegionKind::pacq && record.kind == EventKind::load) record.action = EventAction::pacq;
  record.scope = region.scope;
}

/// Behind the lane's address: what it found, what it wrote.
void EventRecorder::put_values(const EventRecord& record, const MemoryOp& op, u32 lane, u64 bias, u64 old) {
  const u32 bytes = record.bytes;
  const auto put = [&](u64 from) {
    for (u32 at = 0; at < bytes; at += 8) writer_.put(bytes_at(from + at, std::min(bytes - at, 8u)));
  };
  if (op.form->kind == MemoryKind::update) {
    if (record.kind == EventKind::atomic) writer_.put(0);
    writer_.put(0);  // the order of arrivals decides, not what the word holds
  } else if (record.kind == EventKind::store) {
    u8 stored[32] = {};
    stored_bytes(op, lane, stored);
    put(reinterpret_cast<u64>(stored));
  } else {
    const u64 location = location_of(op, lane);
    const bool in_shared = (location & shared_address) != 0;
    if (record.kind == EventKind::atomic) writer_.put(old);
    put(in_shared ? reinterpret_cast<u64>(op.warp->block->shared_data()) + (location & ~shared_address)
                  : op.address[lane] + bias);
  }
}

void EventRecorder::performed(const MemoryOp& op, const Origin& origin, u64 bias, u64 old) {
  const LaneMask lanes = lanes_worth_it(op);
  if (!lanes || !writer_.is_open()) return;
  EventRecord record = record_of(kind_of(*op.form), origin, op.pc, lanes);
  record.bytes = static_cast<u8>(op.plan->bytes);
  set_order(record, op, origin);
  if (op.form->kind == MemoryKind::update) {  // an mbarrier: arriving releases, a wait that succeeds acquires
    const bool waits =
        op.mbarrier->kind == ptx::MbarrierKind::test_wait || op.mbarrier->kind == ptx::MbarrierKind::try_wait;
    if (waits && !(op.completed & lanes)) return;
    record.kind = waits ? EventKind::load : EventKind::atomic;
    record.action = waits ? EventAction::acquire : EventAction::acq_rel;
    if (waits) record.lanes = lanes & op.completed;
  }
  writer_.begin(record);
  bool changes = false;
  for (LaneMask left = record.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    const u64 location = location_of(op, lane);
    writer_.put(location);
    put_values(record, op, lane, bias, old);
    if (record.kind == EventKind::load || !pools_.contains(location)) continue;
    changes = true;
    pools_.device_wrote(location, record.bytes);
  }
  changes ? writer_.finish_change() : writer_.finish();
}

void EventRecorder::order(const SyncOp& op, EventAction action, Scope scope) {
  EventRecord record = record_of(EventKind::order, origin_of(*op.warp), op.pc, op.lanes);
  record.action = action;
  record.scope = scope;
  writer_.begin(record);
  writer_.finish();
}

void EventRecorder::performed(const SyncOp& op) {
  if (!writer_.is_open()) return;
  if (op.kind == SyncKind::block_barrier) {
    EventRecord record = record_of(EventKind::arrive, origin_of(*op.warp), op.pc, op.lanes);
    const ptx::Kernel& kernel = *op.warp->block->grid->kernel;
    const bool waits = kernel.barriers[kernel.code[op.pc].imm].kind != ptx::BarrierKind::arrive;
    record.action = waits ? EventAction::sync_and_wait : EventAction::sync_only;
    writer_.begin(record);
    writer_.put(op.barrier);
    writer_.finish();
    return;
  }
  if (op.kind == SyncKind::warp_barrier && op.barrier) {
    EventRecord record = record_of(EventKind::arrive, origin_of(*op.warp), op.pc, op.lanes);
    record.action = EventAction::sync_warp;
    writer_.begin(record);
    writer_.put(u64{1} << 63 | u64{record.warp} << 32 | op.barrier);
    writer_.finish();
    return;
  }
  if (op.kind != SyncKind::fence) return;
  switch (launches_.of(*op.warp->block->grid).kernel->regions[op.pc].kind) {
    case RegionKind::ofence:
      return order(op, EventAction::ofence, Scope::none);
    case RegionKind::dfence:
      return order(op, EventAction::dfence, Scope::none);
    case RegionKind::prel:
    case RegionKind::pacq:
      return;  // the region's access says it all
    case RegionKind::none:
      return order(op, EventAction::fence, op.scope);
  }
}

}  // namespace ew::simt
