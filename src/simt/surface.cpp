// Surface loads and stores: one access of the lanes that lie inside.
#include <algorithm>
#include <bit>
#include <string>

#include "simt/parting.hpp"
#include "simt/texture_unit.hpp"

namespace ew::simt {
namespace {

using ptx::TextureKind;

/// Byte offset of a surface access; false: outside. Axis 0 counts bytes.
bool surface_offset(const TextureObject& o, const ptx::TextureForm& form, std::array<i64, 3> at, i64 layer, u64 bytes,
                    u64& offset) {
  const i64 width = i64{o.width} * o.channels * o.channel_bytes;
  const std::array<i64, 3> sizes{width, std::max<i64>(o.height, 1), std::max<i64>(o.depth, 1)};
  const i64 layers = std::max<i64>(o.layers, 1);
  if (form.clamp == 1) {
    at[0] = std::clamp<i64>(at[0], 0, sizes[0] - static_cast<i64>(bytes));
    for (u32 axis = 1; axis < form.dimensions; ++axis) at[axis] = std::clamp<i64>(at[axis], 0, sizes[axis] - 1);
    layer = std::clamp<i64>(layer, 0, layers - 1);
  }
  bool inside = at[0] >= 0 && at[0] + static_cast<i64>(bytes) <= sizes[0] && layer >= 0 && layer < layers;
  for (u32 axis = 1; axis < form.dimensions; ++axis) inside &= at[axis] >= 0 && at[axis] < sizes[axis];
  if (!inside) return false;
  offset = static_cast<u64>(at[0]);
  if (form.dimensions > 1) offset += static_cast<u64>(at[1]) * o.row_pitch;
  if (form.dimensions > 2) offset += static_cast<u64>(at[2]) * o.slice_pitch;
  offset += static_cast<u64>(layer) * o.slice_pitch;
  return true;
}

void zero_destinations(const MemoryOp& op, LaneMask lanes) {
  for (u32 i = 0; i < op.form->count; ++i) {
    if (op.form->data[i] == ptx::no_row) continue;
    u32* row = op.rows() + op.form->data[i] * warp_lanes;
    for (LaneMask left = lanes; left; left &= left - 1) {
      const u32 lane = std::countr_zero(left);
      if (op.form->register_bytes == 8)
        reinterpret_cast<u64*>(row)[lane] = 0;
      else
        row[lane] = 0;
    }
  }
}

}  // namespace

ptx::MemoryForm access_of(const ptx::TextureForm& form) {
  const u32 size = ptx::size_of(form.result);
  ptx::MemoryForm access;
  access.kind = form.kind == TextureKind::surface_store ? ptx::MemoryKind::store : ptx::MemoryKind::load;
  access.window = ptx::Window::global;
  access.type = size == 1 ? ptx::Type::u8 : size == 2 ? ptx::Type::u16 : size == 4 ? ptx::Type::b32 : ptx::Type::b64;
  access.count = form.vector;
  access.register_bytes = size == 8 ? 8 : 4;
  std::copy(form.dst.begin(), form.dst.end(), access.data.begin());
  return access;
}

/// Where the lanes point. `outside`: those that lie outside the surface, where the instruction allows that. False: a
/// fault.
bool TextureUnit::find_surface_addresses(Warp& warp, const ptx::TextureForm& form, LaneMask mask, LaneMask& outside) {
  MemoryOp& op = op_;
  const u32 size = ptx::size_of(form.result), bytes = size * form.vector, first = form.layered ? 1 : 0;
  const auto coordinate = [&](u32 i, u32 lane) {
    const ptx::Row r = form.coordinates[i];
    if (r == ptx::no_row) return 0;
    const u32* row = r & ptx::constant_row ? op.constants + (r & 0x7fff) * warp_lanes : op.rows() + r * warp_lanes;
    return static_cast<i32>(row[lane]);
  };
  for (LaneMask left = mask; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const TextureObject* object = object_of(warp, form, lane);
    if (!object) return false;
    const auto bounds = space_.bounds(object->address);
    const u64 available = bounds.end ? bounds.end - object->address : 0;
    std::array<i64, 3> at{};
    for (u32 axis = 0; axis < form.dimensions && first + axis < 4; ++axis) at[axis] = coordinate(first + axis, lane);
    const i64 layer = form.layered ? coordinate(0, lane) : 0;
    u64 offset = 0;
    const bool inside = surface_offset(*object, form, at, layer, bytes, offset);
    if (!inside && form.clamp == 0)
      return faults_.refuse(warp, FaultKind::illegal_address, LaneMask{1} << lane,
                            "surface access of " + std::to_string(bytes) + " bytes at x = " + std::to_string(at[0]) +
                                " bytes, y = " + std::to_string(at[1]) + " is outside the surface (" +
                                std::to_string(object->width) + " x " + std::to_string(object->height) + ")");
    op.address[lane] = object->address + offset;
    if (!inside) {
      outside |= LaneMask{1} << lane;
    } else if (offset + bytes > available) {
      return faults_.refuse_access(warp, {FaultKind::illegal_address, lane, op.address[lane], bytes});
    }
  }
  return true;
}

bool TextureUnit::surface(Warp& warp, const ptx::TextureForm& form, LaneMask mask) {
  MemoryOp& op = op_;
  LaneMask outside = 0;
  if (!find_surface_addresses(warp, form, mask, outside)) return false;
  op.lanes = mask & ~outside;
  if (form.kind == TextureKind::surface_load && outside) zero_destinations(op, outside);
  if (!op.lanes) return true;
  switch (performer_.memory(op)) {
    case Performed::done:
      return true;
    case Performed::pending:
      return wait_for(op, mask);
    case Performed::faulted:
      break;
  }
  return faults_.refuse_access(op);
}

}  // namespace ew::simt
