// Local memory: each lane's own bytes, interleaved by words (word w of lane l at [w * 32 + l]), so that the common
// access, all lanes at one offset, is a copy of rows.
#include <bit>
#include <cstring>

#include "simt/flat_memory.hpp"

namespace ew::simt {
namespace {

using ptx::MemoryKind;
using ptx::Type;

/// `size` bytes (at most 8, naturally aligned) of a lane at `offset`.
u64 read_local(const u32* words, u32 lane, u64 offset, u32 size) {
  const u32* word = words + (offset / 4) * warp_lanes + lane;
  if (size == 8) return *word | u64{word[warp_lanes]} << 32;
  if (size == 4) return *word;
  return (*word >> (offset % 4 * 8)) & ((u32{1} << (size * 8)) - 1);
}

void write_local(u32* words, u32 lane, u64 offset, u32 size, u64 value) {
  u32* word = words + (offset / 4) * warp_lanes + lane;
  if (size == 8) word[warp_lanes] = static_cast<u32>(value >> 32);
  if (size >= 4) {
    *word = static_cast<u32>(value);
    return;
  }
  const u32 shift = offset % 4 * 8, mask = ((u32{1} << (size * 8)) - 1) << shift;
  *word = (*word & ~mask) | (static_cast<u32>(value) << shift & mask);
}

u64 extended(Type type, u64 raw, u32 register_bytes) {
  switch (type) {
    case Type::s8:
      raw = static_cast<u64>(static_cast<i64>(static_cast<i8>(raw)));
      break;
    case Type::s16:
      raw = static_cast<u64>(static_cast<i64>(static_cast<i16>(raw)));
      break;
    case Type::s32:
      raw = static_cast<u64>(static_cast<i64>(static_cast<i32>(raw)));
      break;
    default:
      break;
  }
  return register_bytes >= 8 ? raw : raw & ((u64{1} << (register_bytes * 8)) - 1);
}

void copy_row(u32* to, const u32* from, LaneMask lanes) {
  if (lanes == all_lanes) {
    std::memcpy(to, from, warp_lanes * sizeof(u32));
    return;
  }
  for (u32 i = 0; i < warp_lanes; ++i) to[i] = (lanes >> i) & 1 ? from[i] : to[i];
}

/// One register of every lane; `size` at most 8.
struct Piece {
  u32 offset, size;
  u32* row;         // destination of a load
  const u32* from;  // source of a store
};

void load_piece(const MemoryOp& op, const Piece& piece) {
  const ptx::MemoryForm& form = *op.form;
  const u32* words = op.warp->local.data();
  if (op.uniform && piece.size == 4 && form.register_bytes == 4) {
    copy_row(piece.row, words + (op.address[std::countr_zero(op.lanes)] + piece.offset) / 4 * warp_lanes, op.lanes);
    return;
  }
  const bool wide = form.register_bytes >= 8;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const u64 raw = read_local(words, lane, op.address[lane] + piece.offset, piece.size);
    const u64 value = extended(form.type, raw, form.register_bytes);
    if (wide)
      reinterpret_cast<u64*>(piece.row)[lane] = value;
    else
      piece.row[lane] = static_cast<u32>(value);
  }
}

void store_piece(const MemoryOp& op, const Piece& piece) {
  u32* words = op.warp->local.data();
  const bool wide = op.form->register_bytes >= 8;
  if (op.uniform && piece.size == 4 && !wide) {
    copy_row(words + (op.address[std::countr_zero(op.lanes)] + piece.offset) / 4 * warp_lanes, piece.from, op.lanes);
    return;
  }
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const u64 value = wide ? reinterpret_cast<const u64*>(piece.from)[lane] : piece.from[lane];
    write_local(words, lane, op.address[lane] + piece.offset, piece.size, value);
  }
}

/// An atomic on local memory concerns its own lane only: a linear copy of each cell is performed on and put back.
void local_atomic(MemoryOp& op) {
  alignas(16) std::array<u64, warp_lanes> cells{};
  const u32 size = ptx::size_of(op.form->type);
  MemoryOp linear = op;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    cells[lane] = read_local(op.warp->local.data(), lane, op.address[lane], size);
    linear.address[lane] = reinterpret_cast<u64>(&cells[lane]);
  }
  atomic(linear, 0, false);
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    write_local(op.warp->local.data(), lane, op.address[lane], size, cells[lane]);
  }
}

}  // namespace

Performed local_access(MemoryOp& op) {
  const ptx::MemoryForm& form = *op.form;
  if (form.kind == MemoryKind::prefetch) return Performed::done;
  const u32 size = ptx::size_of(form.type), bytes = size * form.count;
  const Frame& frame = op.warp->frames[op.frame];
  const u64 top = frame.local_base + op.warp->block->grid->kernel->functions[frame.function].frame_bytes;
  if (!within(op, shape_of(op, bytes), bytes, {0, top, 0})) return Performed::faulted;
  if (form.kind == MemoryKind::atomic || form.kind == MemoryKind::reduction) {
    local_atomic(op);
    return Performed::done;
  }
  const u32 step = size == 16 ? 8 : size;
  for (u32 e = 0; e < form.count; ++e) {
    const ptx::Row r = form.data[e];
    if (r == ptx::no_row) continue;
    u32* row = op.rows() + r * warp_lanes;
    const u32* from = r & ptx::constant_row ? op.constants + (r & 0x7fff) * warp_lanes : row;
    for (u32 part = 0; part < size; part += step) {
      const Piece piece{e * size + part, step, row + part / 4 * warp_lanes, from + part / 4 * warp_lanes};
      if (form.kind == MemoryKind::load)
        load_piece(op, piece);
      else
        store_piece(op, piece);
    }
  }
  return Performed::done;
}

}  // namespace ew::simt
