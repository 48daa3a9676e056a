// Atomic operations on the registers of a warp's lanes (memory/atomics.hpp says what they do).
#include "memory/atomics.hpp"
#include "simt/flat_memory.hpp"

namespace ew::simt {
namespace {

using ptx::Type;

memory::CellType cell_of(const ptx::MemoryForm& form) {
  using memory::CellType;
  if (form.atomic == ptx::AtomicOp::add) {
    switch (form.type) {
      case Type::f32:
        return CellType::f32;
      case Type::f64:
        return CellType::f64;
      case Type::f16:
        return CellType::f16;
      case Type::bf16:
        return CellType::bf16;
      case Type::f16x2:
        return CellType::f16x2;
      case Type::bf16x2:
        return CellType::bf16x2;
      default:
        break;
    }
  }
  switch (ptx::size_of(form.type)) {
    case 2:
      return CellType::u16;
    case 8:
      return form.type == Type::s64 ? CellType::s64 : CellType::u64;
    default:
      return form.type == Type::s32 ? CellType::s32 : CellType::u32;
  }
}

/// Rows of registers. An 8-byte cell has a pair of them.
struct OfRegisters {
  explicit OfRegisters(const MemoryOp& o, u64 b) : op(o), bias(b), rows_b(row(o.form->b)), rows_c(row(o.form->c)) {
    if (o.form->data[0] != ptx::no_row) to = o.rows() + o.form->data[0] * warp_lanes;
  }

  LaneMask mask() const { return op.lanes; }
  template <class T>
  T* cell(u32 lane) const {
    return reinterpret_cast<T*>(op.address[lane] + bias);
  }
  template <class T>
  T b(u32 lane) const {
    return value<T>(rows_b, lane);
  }
  template <class T>
  T c(u32 lane) const {
    return value<T>(rows_c, lane);
  }
  template <class T>
  void found(u32 lane, T old) const {
    if (!to) return;
    if constexpr (sizeof(T) == 8)
      reinterpret_cast<u64*>(to)[lane] = old;
    else
      to[lane] = old;
  }

 private:
  const u32* row(ptx::Row r) const {
    if (r == ptx::no_row) return nullptr;
    return r & ptx::constant_row ? op.constants + (r & 0x7fff) * warp_lanes : op.rows() + r * warp_lanes;
  }
  template <class T>
  static T value(const u32* from, u32 lane) {
    if (!from) return 0;
    return sizeof(T) == 8 ? static_cast<T>(reinterpret_cast<const u64*>(from)[lane]) : static_cast<T>(from[lane]);
  }

  const MemoryOp& op;
  u64 bias;
  const u32 *rows_b, *rows_c;
  u32* to = nullptr;
};

}  // namespace

memory::AtomicForm atomic_form_of(const ptx::MemoryForm& form) {
  return {.op = form.atomic, .type = cell_of(form)};
}

void atomic(MemoryOp& op, u64 bias, bool shared_with_host) {
  memory::AtomicUnit(OfRegisters(op, bias), shared_with_host).perform(op.plan->atomic);
}

void write_down(const MemoryOp& op, LaneMask lanes, u64 line, memory::LineAtomic& to) {
  const OfRegisters from(op, 0);
  const bool wide = op.plan->bytes == 8;
  to.form = op.plan->atomic;
  to.lanes = lanes;
  for (LaneMask left = lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    to.offset[lane] = static_cast<u8>(op.address[lane] - line);
    to.b[lane] = wide ? from.b<u64>(lane) : from.b<u32>(lane);
    to.c[lane] = wide ? from.c<u64>(lane) : from.c<u32>(lane);
  }
}

void take_found(const MemoryOp& op, const memory::LineAtomic& from) {
  const OfRegisters to(op, 0);
  const bool wide = op.plan->bytes == 8;
  for (LaneMask left = from.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    wide ? to.found<u64>(lane, from.found[lane]) : to.found<u32>(lane, static_cast<u32>(from.found[lane]));
  }
}

}  // namespace ew::simt
