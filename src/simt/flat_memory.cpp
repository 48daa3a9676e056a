#include "simt/flat_memory.hpp"

#include <bit>
#include <cstring>

// The loops over lanes that every access runs: compiled for x86-64-v3 too, chosen when the library is loaded.
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
#define EW_CLONES
#else
#define EW_CLONES [[gnu::target_clones("arch=x86-64-v3", "default")]]
#endif

namespace ew::simt {
namespace {

using memory::local_window;
using memory::local_window_bytes;
using memory::parameter_window;
using memory::parameter_window_bytes;
using memory::shared_window;
using memory::shared_window_bytes;
using ptx::MemoryKind;
using ptx::Window;

u64 keep(LaneMask lanes, u32 lane) {
  return -u64{(lanes >> lane) & 1};
}

Stretch shared_stretch(const MemoryOp& op, u64 window) {
  Block& block = *op.warp->block;
  return {window, window + block.grid->shared_bytes, reinterpret_cast<u64>(block.shared_data()) - window};
}

Stretch parameter_stretch(const MemoryOp& op, u64 window) {
  const std::vector<u8>& bytes = op.warp->block->grid->launch.parameters;
  return {window, window + bytes.size(), reinterpret_cast<u64>(bytes.data()) - window};
}

bool update_words(MemoryOp& op, u64 bias) {
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    if (!update(op, lane, *reinterpret_cast<u64*>(op.address[lane] + bias))) return false;
  }
  return true;
}

Performed perform(MemoryOp& op, const AccessPlan& plan, Shape shape, u64 bias, bool shared_with_host) {
  switch (op.form->kind) {
    case MemoryKind::load:
      load(op, plan, shape, bias);
      break;
    case MemoryKind::store:
      store(op, plan, shape, bias);
      break;
    case MemoryKind::atomic:
    case MemoryKind::reduction:
      atomic(op, bias, shared_with_host);
      break;
    case MemoryKind::update:
      return update_words(op, bias) ? Performed::done : Performed::faulted;
    default:
      break;
  }
  return Performed::done;
}

Performed perform_within(MemoryOp& op, const Stretch& stretch) {
  const AccessPlan& plan = *op.plan;
  const Shape shape = shape_of(op, plan.bytes);
  op.shaped = op.lanes;
  op.shape = shape;
  if (!within(op, shape, plan.bytes, stretch)) return Performed::faulted;
  return perform(op, plan, shape, stretch.bias, false);
}

enum class Place : u8 { global, shared, local, parameter };

Place place_of(u64 address) {
  if (address - shared_window < shared_window_bytes) return Place::shared;
  if (address - local_window < local_window_bytes) return Place::local;
  if (address - parameter_window < parameter_window_bytes) return Place::parameter;
  return Place::global;
}

LaneMask lanes_in(const MemoryOp& op, Place place) {
  LaneMask found = 0;
  for (u32 i = 0; i < warp_lanes; ++i) found |= LaneMask{place_of(op.address[i]) == place} << i;
  return found & op.lanes;
}

}  // namespace

bool refuse(MemoryOp& op, FaultKind kind, u32 lane, u64 bytes) {
  op.refusal = {kind, lane, op.address[lane], static_cast<u32>(bytes)};
  return false;
}

EW_CLONES void add_offset(MemoryOp& op, const u32* row, u32 address_bytes, u64 offset) {
  if (address_bytes == 4) {
    for (u32 i = 0; i < warp_lanes; ++i) op.address[i] = static_cast<u32>(row[i] + static_cast<u32>(offset));
  } else {
    const u64* wide = reinterpret_cast<const u64*>(row);
    for (u32 i = 0; i < warp_lanes; ++i) op.address[i] = wide[i] + offset;
  }
}

EW_CLONES Shape shape_of(const MemoryOp& op, u64 bytes) {
  if (op.uniform) return Shape::uniform;
  const u64* address = op.address.data();
  u64 difference = 0;
  if (op.lanes == all_lanes) {
    const u64 base = address[0];
    if (address[1] == base + bytes && address[warp_lanes - 1] == base + (warp_lanes - 1) * bytes) {
      for (u32 i = 0; i < warp_lanes; ++i) difference |= address[i] ^ (base + i * bytes);
      return difference ? Shape::scattered : Shape::consecutive;
    }
    if (address[1] != base || address[warp_lanes - 1] != base) return Shape::scattered;
    for (u32 i = 0; i < warp_lanes; ++i) difference |= address[i] ^ base;
    return difference ? Shape::scattered : Shape::uniform;
  }
  const u32 first = std::countr_zero(op.lanes), last = warp_lanes - 1 - std::countl_zero(op.lanes);
  const u64 base = address[first] - first * bytes;
  if (address[last] == base + last * bytes) {
    for (u32 i = 0; i < warp_lanes; ++i) difference |= (address[i] ^ (base + i * bytes)) & keep(op.lanes, i);
    return difference ? Shape::scattered : Shape::consecutive;
  }
  if (address[last] != address[first]) return Shape::scattered;
  for (u32 i = 0; i < warp_lanes; ++i) difference |= (address[i] ^ address[first]) & keep(op.lanes, i);
  return difference ? Shape::scattered : Shape::uniform;
}

EW_CLONES bool scattered_within(const MemoryOp& op, u64 bytes, u64 begin, u64 end, u64 misaligned) {
  if (end - begin < bytes) return false;
  // A difference below zero sets the sign; no valid address has it.
  const u64* address = op.address.data();
  const u64 highest = end - bytes;
  u64 sign = 0, low = 0;
  if (op.lanes == all_lanes) {
    for (u32 i = 0; i < warp_lanes; ++i) {
      const u64 a = address[i];
      sign |= a | (a - begin) | (highest - a);
      low |= a;
    }
  } else {
    for (u32 i = 0; i < warp_lanes; ++i) {
      const u64 a = address[i], k = keep(op.lanes, i);
      sign |= (a | (a - begin) | (highest - a)) & k;
      low |= a & k;
    }
  }
  return !(sign >> 63) && !(low & misaligned);
}

bool aligned(MemoryOp& op, u64 bytes) {
  u64 low = 0;
  for (u32 i = 0; i < warp_lanes; ++i) low |= op.address[i] & keep(op.lanes, i);
  if (!(low & (bytes - 1))) return true;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    if (op.address[lane] & (bytes - 1)) return refuse(op, FaultKind::misaligned_address, lane, bytes);
  }
  return true;
}

bool within(MemoryOp& op, Shape shape, u64 bytes, const Stretch& stretch) {
  const u32 first = std::countr_zero(op.lanes);
  if (shape != Shape::scattered) {
    const u32 last = shape == Shape::uniform ? first : warp_lanes - 1 - std::countl_zero(op.lanes);
    const u64 low = op.address[first], high = op.address[last];
    if (low >= stretch.begin && high <= stretch.end && stretch.end - high >= bytes && low <= high &&
        !(low & (bytes - 1)))
      return true;
  } else if (scattered_within(op, bytes, stretch.begin, stretch.end, bytes - 1)) {
    return true;
  }
  if (!aligned(op, bytes)) return false;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const u64 address = op.address[lane];
    if (address < stretch.begin || address >= stretch.end || stretch.end - address < bytes)
      return refuse(op, FaultKind::illegal_address, lane, bytes);
  }
  return true;
}

Performed FlatMemory::memory(MemoryOp& op) {
  switch (op.form->window) {
    case Window::global:
    case Window::constant:
      if (op.form->kind == MemoryKind::prefetch) return Performed::done;
      return global(op);
    case Window::shared:
      if (op.form->kind == MemoryKind::async_copy) return async_copy(op);
      return perform_within(op, shared_stretch(op, 0));
    case Window::param:
      return perform_within(op, parameter_stretch(op, 0));
    case Window::local:
    case Window::frame:
      return local_access(op);
    case Window::generic:
      break;
  }
  if (op.form->kind == MemoryKind::prefetch) return Performed::done;
  return generic(op);
}

Performed FlatMemory::generic(MemoryOp& op) {
  const LaneMask lanes = op.lanes;
  bool performed_all = false;
  for (LaneMask left = lanes; left;) {
    const Place place = place_of(op.address[std::countr_zero(left)]);
    op.lanes = lanes_in(op, place);
    left &= ~op.lanes;
    Performed performed = Performed::done;
    switch (place) {
      case Place::shared:
        performed = perform_within(op, shared_stretch(op, shared_window));
        break;
      case Place::local:
        for (u64& address : op.address) address -= local_window;
        performed = local_access(op);
        for (u64& address : op.address) address += local_window;
        if (performed == Performed::faulted) op.refusal.address += local_window;
        break;
      case Place::parameter:
        if (op.plan->writes) refuse(op, FaultKind::write_to_constant, std::countr_zero(op.lanes), op.plan->bytes);
        performed = op.plan->writes ? Performed::faulted : perform_within(op, parameter_stretch(op, parameter_window));
        break;
      case Place::global:
        performed = global(op);
        break;
    }
    op.lanes = left;
    if (performed == Performed::faulted) break;
    if (!left) performed_all = true;
  }
  op.lanes = lanes;
  return performed_all ? Performed::done : Performed::faulted;
}

bool FlatMemory::may_touch(MemoryOp& op, Shape& shape) {
  Grid& grid = *op.warp->block->grid;
  const u64 generation = space_.generation();
  if (grid.bounds_generation != generation) {
    for (AccessPlan& plan : grid.plans) plan.bounds = {};
    grid.bounds_generation = generation;
  }
  AccessPlan& plan = *op.plan;
  const u32 bytes = plan.bytes;
  const bool writes = plan.writes;
  const u64 misaligned = plan.alignment - 1;
  shape = misaligned || bytes == 1 ? shape_of(op, bytes) : Shape::scattered;
  auto& cached = plan.bounds;
  const u32 first = std::countr_zero(op.lanes);
  const u32 last = shape == Shape::uniform ? first : warp_lanes - 1 - std::countl_zero(op.lanes);
  const u64 low = op.address[first];
  if (low < cached.begin || low >= cached.end) cached = space_.bounds(low);
  if (writes && cached.read_only) return refuse(op, FaultKind::write_to_constant, first, bytes);
  if (shape != Shape::scattered) {
    const u64 high = op.address[last];
    if (high < cached.end && cached.end - high >= bytes && !(low & misaligned)) return true;
  } else if (scattered_within(op, bytes, cached.begin, cached.end, misaligned)) {
    return true;
  }
  if (misaligned && !aligned(op, bytes)) return false;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const u64 address = op.address[lane];
    if (address < cached.begin || address >= cached.end) cached = space_.bounds(address);
    if (address < cached.begin || address >= cached.end || cached.end - address < bytes)
      return refuse(op, FaultKind::illegal_address, lane, bytes);
    if (writes && cached.read_only) return refuse(op, FaultKind::write_to_constant, lane, bytes);
  }
  shape = Shape::scattered;
  return true;
}

Performed FlatMemory::global(MemoryOp& op) {
  Shape shape;
  if (!may_touch(op, shape)) return Performed::faulted;
  if (space_.registers().any() && of_registers(op)) [[unlikely]]
    return registers(op);
  return perform(op, *op.plan, shape, 0, true);
}

bool FlatMemory::of_registers(const MemoryOp& op) const {
  for (LaneMask left = op.lanes; left; left &= left - 1)
    if (space_.registers().find(op.address[std::countr_zero(left)])) return true;
  return false;
}

/// Registers of devices: each lane by itself.
Performed FlatMemory::registers(MemoryOp& op) {
  const memory::RegisterWindows& windows = space_.registers();
  const LaneMask lanes = op.lanes;
  Performed performed = Performed::done;
  for (LaneMask left = lanes; left && performed == Performed::done; left &= left - 1) {
    const u64 address = op.address[std::countr_zero(left)];
    const bool of_device = windows.find(address);
    op.lanes = left & -left;
    if (of_device && op.form->kind != MemoryKind::store) windows.before_load(address, op.plan->bytes);
    performed = perform(op, *op.plan, Shape::scattered, 0, true);
    if (of_device && op.plan->writes) windows.after_store(address, op.plan->bytes);
  }
  op.lanes = lanes;
  return performed;
}

bool FlatMemory::may_copy(MemoryOp& op, Copy& copy) {
  const ptx::MemoryForm& form = *op.form;
  if (!within(op, Shape::scattered, form.bytes, shared_stretch(op, 0))) return false;
  const auto row = [&](ptx::Row r) {
    return r & ptx::constant_row ? op.constants + (r & 0x7fff) * warp_lanes : op.rows() + r * warp_lanes;
  };
  const u64* from = reinterpret_cast<const u64*>(row(form.b));
  const u32* size = form.c == ptx::no_row ? nullptr : row(form.c);
  for (u32 i = 0; i < warp_lanes; ++i) {
    copy.from[i] = from[i] + form.source_offset;
    copy.bytes[i] = size && size[i] < form.bytes ? size[i] : form.bytes;
  }
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left), bytes = copy.bytes[lane];
    const auto bounds = bytes ? space_.bounds(copy.from[lane]) : memory::AddressSpace::Bounds{};
    if (bytes && (copy.from[lane] & (form.bytes - 1)))
      op.refusal = {FaultKind::misaligned_address, lane, copy.from[lane], bytes};
    else if (bytes && (!bounds.end || bounds.end - copy.from[lane] < bytes))
      op.refusal = {FaultKind::illegal_address, lane, copy.from[lane], bytes};
    else
      continue;
    return false;
  }
  return true;
}

/// cp.async: bytes go from global to shared memory now; commit and wait find them there.
Performed FlatMemory::async_copy(MemoryOp& op) {
  const u32 all = op.form->bytes;
  Copy copy;
  if (!may_copy(op, copy)) return Performed::faulted;
  const u64 bias = shared_stretch(op, 0).bias;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left), bytes = copy.bytes[lane];
    u8* to = reinterpret_cast<u8*>(op.address[lane] + bias);
    if (bytes) std::memcpy(to, reinterpret_cast<const void*>(copy.from[lane]), bytes);
    std::memset(to + bytes, 0, all - bytes);
  }
  return Performed::done;
}

}  // namespace ew::simt
