// Loads and stores of linear memory. A form's data is a list of pieces: one register each, at a byte offset of the
// lane's access.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "simt/flat_memory.hpp"

namespace ew::simt {
namespace {

using ptx::Type;

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

/// `In` as a register of type `Register` holds it; 16-bit registers are zero-extended in their row.
template <class Register, class In>
auto extend(In value) {
  using Cell = std::conditional_t<sizeof(Register) == 8, u64, u32>;
  return static_cast<Cell>(static_cast<Register>(value));
}

/// Bit i, as a vector of constants that loops over lanes compare with.
alignas(64) constexpr std::array<u32, warp_lanes> lane_bit = [] {
  std::array<u32, warp_lanes> bits{};
  for (u32 i = 0; i < warp_lanes; ++i) bits[i] = u32{1} << i;
  return bits;
}();

template <class T>
T read(u64 host) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(host), sizeof value);
  return value;
}

template <class T>
void write(u64 host, T value) {
  std::memcpy(reinterpret_cast<void*>(host), &value, sizeof value);
}

template <class In, class Register>
void load_piece(const MemoryOp& op, Shape shape, u64 bias, u32 stride, u32 offset, u32* row) {
  using Cell = std::conditional_t<sizeof(Register) == 8, u64, u32>;
  Cell* to = reinterpret_cast<Cell*>(row);
  const u32 first = std::countr_zero(op.lanes);
  const u64 at = op.address[first] + bias + offset;
  if (shape == Shape::uniform) {
    const Cell value = extend<Register>(read<In>(at));
    if (op.lanes == all_lanes) {
      for (u32 i = 0; i < warp_lanes; ++i) to[i] = value;
    } else {
      for (u32 i = 0; i < warp_lanes; ++i) {
        const Cell keep = op.lanes & lane_bit[i] ? ~Cell{0} : Cell{0};
        to[i] = (value & keep) | (to[i] & ~keep);
      }
    }
    return;
  }
  if (shape == Shape::consecutive && op.lanes == all_lanes) {
    if (stride == sizeof(In)) {
      const In* from = reinterpret_cast<const In*>(at);
      for (u32 i = 0; i < warp_lanes; ++i) to[i] = extend<Register>(from[i]);
    } else {
      for (u32 i = 0; i < warp_lanes; ++i) to[i] = extend<Register>(read<In>(at + i * stride));
    }
    return;
  }
  if (op.lanes == all_lanes) {
    const u64 move = bias + offset;
    const u64* address = op.address.data();
#pragma GCC unroll 32
    for (u32 i = 0; i < warp_lanes; ++i) to[i] = extend<Register>(read<In>(address[i] + move));
    return;
  }
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    to[lane] = extend<Register>(read<In>(op.address[lane] + bias + offset));
  }
}

template <class Out, class Cell>
void store_piece(const MemoryOp& op, Shape shape, u64 bias, u32 stride, u32 offset, const u32* row) {
  const Cell* from = reinterpret_cast<const Cell*>(row);
  if (shape == Shape::consecutive && op.lanes == all_lanes) {
    const u64 at = op.address[0] + bias + offset;
    if (stride == sizeof(Out)) {
      Out* to = reinterpret_cast<Out*>(at);
      for (u32 i = 0; i < warp_lanes; ++i) to[i] = static_cast<Out>(from[i]);
    } else {
      for (u32 i = 0; i < warp_lanes; ++i) write(at + i * stride, static_cast<Out>(from[i]));
    }
    return;
  }
  if (op.lanes == all_lanes) {
    const u64 move = bias + offset;
    const u64* address = op.address.data();
#pragma GCC unroll 32
    for (u32 i = 0; i < warp_lanes; ++i) write(address[i] + move, static_cast<Out>(from[i]));
    return;
  }
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    write(op.address[lane] + bias + offset, static_cast<Out>(from[lane]));
  }
}

using Load = decltype(AccessPlan::load);
using Store = decltype(AccessPlan::store);

template <class In>
Load load_into(u32 register_bytes) {
  if (register_bytes == 8) return &load_piece<In, u64>;
  if (register_bytes == 4) return &load_piece<In, u32>;
  return &load_piece<In, u16>;
}

Load loader(Type type, u32 size, u32 register_bytes) {
  const bool extends = is_signed(type);
  switch (size) {
    case 1:
      return extends ? load_into<i8>(register_bytes) : load_into<u8>(register_bytes);
    case 2:
      return extends ? load_into<i16>(register_bytes) : load_into<u16>(register_bytes);
    case 4:
      return extends ? load_into<i32>(register_bytes) : load_into<u32>(register_bytes);
    default:
      return &load_piece<u64, u64>;
  }
}

Store storer(u32 size, u32 register_bytes) {
  switch (size) {
    case 1:
      return register_bytes == 8 ? &store_piece<u8, u64> : &store_piece<u8, u32>;
    case 2:
      return register_bytes == 8 ? &store_piece<u16, u64> : &store_piece<u16, u32>;
    case 4:
      return register_bytes == 8 ? &store_piece<u32, u64> : &store_piece<u32, u32>;
    default:
      return &store_piece<u64, u64>;
  }
}

}  // namespace

AccessPlan plan_of(const ptx::MemoryForm& form) {
  using ptx::MemoryKind;
  const u32 size = ptx::size_of(form.type);
  AccessPlan plan;
  plan.bytes = form.kind == MemoryKind::async_copy ? form.bytes : size * form.count;
  plan.element = size;
  plan.piece = std::min(size, 8u);
  plan.alignment = std::max(plan.bytes, 1u);
  plan.writes = form.kind != MemoryKind::load && form.kind != MemoryKind::prefetch;
  plan.modifies =
      form.kind == MemoryKind::atomic || form.kind == MemoryKind::reduction || form.kind == MemoryKind::update;
  plan.polls = form.kind == MemoryKind::atomic ||
               (form.kind == MemoryKind::load && (form.order != ptx::Order::weak || form.hint == ptx::CacheHint::cv));
  plan.atomic = atomic_form_of(form);
  plan.load = loader(form.type, size, form.register_bytes);
  plan.store = storer(size, form.register_bytes);
  return plan;
}

void load(MemoryOp& op, const AccessPlan& plan, Shape shape, u64 bias) {
  const ptx::MemoryForm& form = *op.form;
  if (plan.piece == plan.bytes) {
    if (form.data[0] != ptx::no_row) plan.load(op, shape, bias, plan.bytes, 0, op.rows() + form.data[0] * warp_lanes);
    return;
  }
  const u32 elements = form.count, element = plan.element;
  for (u32 e = 0; e < elements; ++e) {
    if (form.data[e] == ptx::no_row) continue;
    u32* row = op.rows() + form.data[e] * warp_lanes;
    for (u32 part = 0; part < element; part += plan.piece)
      plan.load(op, shape, bias, plan.bytes, e * element + part, row + part / 4 * warp_lanes);
  }
}

void store(MemoryOp& op, const AccessPlan& plan, Shape shape, u64 bias) {
  const ptx::MemoryForm& form = *op.form;
  const u32 elements = form.count, element = plan.element;
  for (u32 e = 0; e < elements; ++e) {
    const ptx::Row r = form.data[e];
    const u32* row = r & ptx::constant_row ? op.constants + (r & 0x7fff) * warp_lanes : op.rows() + r * warp_lanes;
    for (u32 part = 0; part < element; part += plan.piece)
      plan.store(op, shape, bias, plan.bytes, e * element + part, row + part / 4 * warp_lanes);
  }
}

}  // namespace ew::simt
