// Texture and surface instructions, lane by lane.
#include <algorithm>
#include <bit>
#include <cstring>

#include "simt/executor.hpp"
#include "simt/texture_sampler.hpp"

namespace ew::simt {
namespace {

using ptx::TextureKind;

struct Rows {
  u32* rows;
  const u32* constants;
  const u32* at(ptx::Row r) const {
    return r & ptx::constant_row ? constants + (r & 0x7fff) * warp_lanes : rows + r * warp_lanes;
  }
  u32 word(ptx::Row r, u32 lane) const { return r == ptx::no_row ? 0 : at(r)[lane]; }
};

/// txq and suq. PTX ISA, "txq": channel types and orders are those of OpenCL.
u32 property(const TextureObject& o, u32 which) {
  constexpr u32 first_type = 0x10d0;  // CL_SNORM_INT8
  switch (which) {
    case 0:
      return o.width;
    case 1:
      return o.height;
    case 2:
      return o.depth;
    case 3: {
      const u32 size = o.channel_bytes == 1 ? 0 : o.channel_bytes == 2 ? 1 : 2;
      if (o.format == TextureObject::Format::floating) return first_type + (size == 1 ? 13 : 14);
      if (o.normalized_read) return first_type + (o.format == TextureObject::Format::signed_integer ? 0 : 2) + size;
      return first_type + (o.format == TextureObject::Format::signed_integer ? 7 : 10) + size;
    }
    case 4:
      return o.channels == 1 ? 0x10b0 : o.channels == 2 ? 0x10b2 : 0x10b5;  // CL_R, CL_RG, CL_RGBA
    case 5:
      return o.normalized_coordinates;
    case 6:
      return o.layers;
    default:
      return 1;
  }
}

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

Texel sample(const TextureSampler& sampler, const ptx::TextureForm& form, const Rows& rows, u32 lane) {
  const u32 first = form.layered ? 1 : 0, layer = form.layered ? rows.word(form.coordinates[0], lane) : 0;
  std::array<u32, 3> bits{};
  for (u32 axis = 0; axis < form.dimensions && first + axis < 4; ++axis)
    bits[axis] = rows.word(form.coordinates[first + axis], lane);
  if (form.coordinate == ptx::Type::s32)
    return sampler.fetch({static_cast<i32>(bits[0]), static_cast<i32>(bits[1]), static_cast<i32>(bits[2])},
                         form.dimensions, layer);
  const std::array<float, 3> at{std::bit_cast<float>(bits[0]), std::bit_cast<float>(bits[1]),
                                std::bit_cast<float>(bits[2])};
  if (form.kind == TextureKind::gather) return sampler.gather(at, layer, form.component);
  // A texture object has one mip level here (the runtime refuses others), so every level and gradient selects it.
  return sampler.sample(at, form.dimensions, layer);
}

}  // namespace

bool Executor::texture(Warp& warp, const ptx::TextureForm& form, LaneMask mask) {
  const Frame& frame = warp.frame();
  const Rows rows{warp.rows.data() + std::size_t{frame.row_base} * warp_lanes,
                  warp.block->grid->kernel->constants.data()};
  if (form.cube) return refuse(warp, FaultKind::texture, mask, "cube textures are not supported");
  const bool surface = form.kind == TextureKind::surface_load || form.kind == TextureKind::surface_store;
  for (LaneMask left = mask; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const LaneMask here = LaneMask{1} << lane;
    const u64 handle = form.handle == ptx::no_row ? *reinterpret_cast<const u64*>(form.handle_symbol)
                                                  : reinterpret_cast<const u64*>(rows.at(form.handle))[lane];
    const TextureObject* object = services_.texture(handle);
    if (!object) {
      refuse(warp, FaultKind::texture, here,
             "the handle " + std::to_string(handle) + " is no texture or surface object");
      return false;
    }
    const auto put = [&](u32 i, u32 value) {
      if (form.dst[i] != ptx::no_row) rows.rows[form.dst[i] * warp_lanes + lane] = value;
    };
    if (form.kind == TextureKind::query) {
      put(0, property(*object, form.component));
      continue;
    }
    const auto bounds = space_.bounds(object->address);
    const u64 available = bounds.end ? bounds.end - object->address : 0;
    if (!surface) {
      const TextureSampler sampler(*object, available);
      const Texel texel = sample(sampler, form, rows, lane);
      if (!sampler.valid()) return refuse_access(warp, {FaultKind::illegal_address, lane, object->address, 4});
      for (u32 i = 0; i < 4; ++i) put(i, texel[i]);
      continue;
    }
    const u32 size = ptx::size_of(form.result), bytes = size * form.vector, first = form.layered ? 1 : 0;
    std::array<i64, 3> at{};
    for (u32 axis = 0; axis < form.dimensions && first + axis < 4; ++axis)
      at[axis] = static_cast<i32>(rows.word(form.coordinates[first + axis], lane));
    const i64 layer = form.layered ? static_cast<i32>(rows.word(form.coordinates[0], lane)) : 0;
    u64 offset = 0;
    const bool inside = surface_offset(*object, form, at, layer, bytes, offset);
    if (!inside && form.clamp == 0)
      return refuse(warp, FaultKind::illegal_address, here,
                    "surface access of " + std::to_string(bytes) + " bytes at x = " + std::to_string(at[0]) +
                        " bytes, y = " + std::to_string(at[1]) + " is outside the surface (" +
                        std::to_string(object->width) + " x " + std::to_string(object->height) + ")");
    if (inside && offset + bytes > available)
      return refuse_access(warp, {FaultKind::illegal_address, lane, object->address + offset, bytes});
    for (u32 i = 0; i < form.vector; ++i) {
      u8* host = reinterpret_cast<u8*>(object->address + offset + i * size);
      if (form.kind == TextureKind::surface_store) {
        const u32* row = rows.at(form.dst[i]);
        const u64 value = size == 8 ? reinterpret_cast<const u64*>(row)[lane] : row[lane];
        if (inside) std::memcpy(host, &value, size);
      } else if (form.dst[i] != ptx::no_row) {
        u64 value = 0;
        if (inside) std::memcpy(&value, host, size);
        u32* row = rows.rows + form.dst[i] * warp_lanes;
        if (size == 8)
          reinterpret_cast<u64*>(row)[lane] = value;
        else
          row[lane] = static_cast<u32>(value);
      }
    }
  }
  return true;
}

}  // namespace ew::simt
