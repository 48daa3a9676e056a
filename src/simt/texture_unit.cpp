#include "simt/texture_unit.hpp"

#include <bit>
#include <string>
#include <utility>

#include "simt/memory_ops.hpp"
#include "simt/parting.hpp"
#include "simt/texture_access.hpp"

namespace ew::simt {
namespace {

using ptx::TextureKind;

struct Rows {
  const u32* rows;
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

Taps taps_of(const TextureSampler& sampler, const ptx::TextureForm& form, const Rows& rows, u32 lane) {
  const u32 first = form.layered ? 1 : 0, layer = form.layered ? rows.word(form.coordinates[0], lane) : 0;
  std::array<u32, 3> bits{};
  const u32 axes = form.cube ? 3 : form.dimensions;
  for (u32 axis = 0; axis < axes && first + axis < 4; ++axis)
    bits[axis] = rows.word(form.coordinates[first + axis], lane);
  if (form.coordinate == ptx::Type::s32)
    return sampler.fetch({static_cast<i32>(bits[0]), static_cast<i32>(bits[1]), static_cast<i32>(bits[2])},
                         form.dimensions, layer);
  const std::array<float, 3> at{std::bit_cast<float>(bits[0]), std::bit_cast<float>(bits[1]),
                                std::bit_cast<float>(bits[2])};
  if (form.cube)
    return form.kind == TextureKind::gather ? sampler.gather_cube(at, layer) : sampler.sample_cube(at, layer);
  if (form.kind == TextureKind::gather) return sampler.gather(at, layer);
  // The runtime refuses a texture that could show a level beside the first, so every level and gradient selects that.
  return sampler.sample(at, form.dimensions, layer);
}

}  // namespace

ptx::MemoryForm texel_access(u32 bytes) {
  ptx::MemoryForm access;
  access.window = ptx::Window::global;
  access.hint = ptx::CacheHint::nc;
  access.type = bytes == 1 ? ptx::Type::u8 : bytes == 2 ? ptx::Type::u16 : ptx::Type::b32;
  access.count = static_cast<u8>(bytes < 4 ? 1 : bytes / 4);
  for (ptx::Row word = 0; word < access.count; ++word) access.data[word] = word;
  return access;
}

Texel TextureAccess::answer(u32 lane) const {
  const TextureSampler sampler(object(lane));
  const Taps& needed = taps[lane];
  std::array<Texel, most_taps> value;
  for (u32 t = 0; t < needed.count; ++t) {
    Texel raw{};
    for (u32 w = 0; w < words; ++w) raw[w] = texels.data()[(t * words + w) * warp_lanes + lane];
    value[t] = sampler.value(needed.tap[t].source, reinterpret_cast<const u8*>(raw.data()));
  }
  Texel result = value[0];
  if (form->kind == TextureKind::gather) {
    for (u32 i = 0; i < 4; ++i) result[i] = value[i][form->component];
  } else if (needed.filtered) {
    std::array<float, 4> sum{};
    for (u32 t = 0; t < needed.count; ++t)
      for (u32 c = 0; c < 4; ++c) sum[c] += needed.tap[t].share * std::bit_cast<float>(value[t][c]);
    for (u32 c = 0; c < 4; ++c) result[c] = std::bit_cast<u32>(sum[c]);
  }
  return result;
}

namespace {

void write_answer(const TextureAccess& access) {
  u32* rows = access.warp->rows.data() + std::size_t{access.row_base} * warp_lanes;
  for (LaneMask left = access.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const Texel answer = access.answer(lane);
    for (u32 i = 0; i < 4; ++i)
      if (access.form->dst[i] != ptx::no_row) rows[access.form->dst[i] * warp_lanes + lane] = answer[i];
  }
}

}  // namespace

TextureUnit::TextureUnit(Performer& performer, DeviceServices& services, const memory::AddressSpace& space,
                         FaultReports& faults)
    : performer_(performer), services_(services), space_(space), faults_(faults) {}

TextureUnit::~TextureUnit() = default;

TextureAccess& TextureUnit::take(Warp& warp, const ptx::TextureForm& form, LaneMask mask) {
  if (free_accesses_.empty()) {
    accesses_.push_back(std::make_unique<TextureAccess>());
    free_accesses_.reserve(accesses_.size());
    free_accesses_.push_back(accesses_.back().get());
  }
  TextureAccess& access = *free_accesses_.back();
  free_accesses_.pop_back();
  access.warp = &warp;
  access.form = &form;
  access.lanes = mask;
  access.row_base = warp.frame().row_base;
  access.pending = 0;
  access.object_count = 0;
  return access;
}

void TextureUnit::release(TextureAccess& access) {
  access.warp = nullptr;
  free_accesses_.push_back(&access);
}

void TextureUnit::forget(const Grid& grid) {
  for (auto& access : accesses_)
    if (access->warp && access->warp->block->grid == &grid) release(*access);
}

const TextureObject* TextureUnit::object_of(Warp& warp, const ptx::TextureForm& form, u32 lane) {
  const Rows rows{op_.rows(), op_.constants};
  const u64 handle = form.handle == ptx::no_row ? *reinterpret_cast<const u64*>(form.handle_symbol)
                                                : reinterpret_cast<const u64*>(rows.at(form.handle))[lane];
  const TextureObject* object = services_.texture(handle);
  if (!object)
    faults_.refuse(warp, FaultKind::texture, LaneMask{1} << lane,
                   "the handle " + std::to_string(handle) + " is no texture or surface object");
  return object;
}

bool TextureUnit::execute(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const ptx::TextureForm& form = kernel.textures[instr.imm];
  const u32 first_texture = static_cast<u32>(kernel.mbarriers.size());
  begin_access(op_, warp, mask, first_texture + instr.imm);
  switch (form.kind) {
    case TextureKind::surface_load:
    case TextureKind::surface_store:
      return surface(warp, form, mask);
    case TextureKind::query:
      return query(warp, form, mask);
    default:
      return fetch(warp, form, mask);
  }
}

bool TextureUnit::query(Warp& warp, const ptx::TextureForm& form, LaneMask mask) {
  for (LaneMask left = mask; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const TextureObject* object = object_of(warp, form, lane);
    if (!object) return false;
    if (form.dst[0] != ptx::no_row) op_.rows()[form.dst[0] * warp_lanes + lane] = property(*object, form.component);
  }
  return true;
}

bool TextureUnit::fetch(Warp& warp, const ptx::TextureForm& form, LaneMask mask) {
  TextureAccess& access = take(warp, form, mask);
  const bool found = find_taps(access) && read_texels(access);
  op_.texture = nullptr;
  if (!found) {
    release(access);
    return false;
  }
  if (access.pending) return access.parks ? park(warp, mask) : true;
  write_answer(access);
  release(access);
  return true;
}

bool TextureUnit::find_taps(TextureAccess& access) {
  const Rows rows{op_.rows(), op_.constants};
  const TextureObject* last = nullptr;
  u64 available = 0;  // bytes of live memory from the object's address on
  for (LaneMask left = access.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const TextureObject* object = object_of(*access.warp, *access.form, lane);
    if (!object) return false;
    if (access.form->cube && !object->cube)
      return faults_.refuse(*access.warp, FaultKind::texture, LaneMask{1} << lane,
                            "a fetch from a cube map, but the array was made without cudaArrayCubemap");
    if (object != last) {
      last = object;
      const auto bounds = space_.bounds(object->address);
      available = bounds.end ? bounds.end - object->address : 0;
      access.objects[access.object_count++] = *object;
    }
    access.object_of[lane] = static_cast<u8>(access.object_count - 1);
    const TextureSampler sampler(*object);
    Taps& taps = access.taps[lane];
    taps = taps_of(sampler, *access.form, rows, lane);
    for (u32 t = 0; t < taps.count; ++t)
      if (taps.tap[t].source == Tap::Source::memory && taps.tap[t].offset + sampler.texel_bytes() > available)
        return faults_.refuse_access(*access.warp, {FaultKind::illegal_address, lane, object->address, 4});
  }
  return true;
}

/// One access a tap, for the lanes whose texels are of one size.
bool TextureUnit::read_texels(TextureAccess& access) {
  Grid& grid = *access.warp->block->grid;
  const std::size_t first = grid.kernel->mbarriers.size() + grid.kernel->textures.size();
  for (u32 t = 0; t < most_taps; ++t) {
    std::array<LaneMask, texel_sizes> lanes{};
    for (LaneMask left = access.lanes; left; left &= left - 1) {
      const u32 lane = std::countr_zero(left);
      if (t >= access.taps[lane].count || access.taps[lane].tap[t].source != Tap::Source::memory) continue;
      const u32 bytes = TextureSampler(access.object(lane)).texel_bytes();
      lanes[std::countr_zero(bytes)] |= LaneMask{1} << lane;
    }
    for (u32 size = 0; size < texel_sizes; ++size) {
      if (!lanes[size]) continue;
      begin_access(op_, *access.warp, lanes[size], static_cast<u32>(first + size));
      op_.bank = &access.texels;
      op_.row_base = t * TextureAccess::words;
      op_.texture = &access;
      for (LaneMask left = lanes[size]; left; left &= left - 1) {
        const u32 lane = std::countr_zero(left);
        op_.address[lane] = access.object(lane).address + access.taps[lane].tap[t].offset;
      }
      const Performed performed = performer_.memory(op_);
      if (performed == Performed::faulted) return faults_.refuse_access(op_);
      access.warp->under_way += performed == Performed::pending;
      access.pending += performed == Performed::pending;
      if (performed == Performed::pending) access.parks = std::exchange(op_.parks, true);
    }
  }
  return true;
}

bool TextureUnit::finish_texel(TextureAccess& access) {
  if (--access.pending) return false;
  write_answer(access);
  release(access);
  return true;
}

}  // namespace ew::simt
