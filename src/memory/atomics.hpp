// Atomic operations (PTX ISA, "atom" and "red"): what they do to the cells of a line, lane by lane in lane order (the
// order that every GPU's own is one of). An agent performs them in its private cache on its lanes' registers. For those
// that a home performs it writes a LineAtomic down, which travels with the request and comes back with the answer.
#pragma once

#include <array>
#include <bit>

#include "core/atomic_op.hpp"
#include "memory/half_arithmetic.hpp"

namespace ew::memory {

using core::AtomicOp;
/// What a cell holds. f16x2, bf16x2: two numbers.
enum class CellType : u8 { u16, u32, u64, s32, s64, f16, bf16, f16x2, bf16x2, f32, f64 };

struct AtomicForm {
  AtomicOp op = AtomicOp::none;
  CellType type = CellType::u32;
};

/// What the lanes of an access ask for in one line, and what they find there.
struct LineAtomic {
  AtomicForm form;
  LaneMask lanes = 0;           // that take part
  const void* asker = nullptr;  // the agent's own record of the access, for those who observe homes (HomeObserver)
  std::array<u8, warp_lanes> offset;  // of the lane's cell in the line
  std::array<u64, warp_lanes> b, c;   // operands; c is cas's new value
  std::array<u64, warp_lanes> found;  // what the cell held before, once it has been performed
};

/// On a line that the host's instructions reach as well.
void perform(LineAtomic&, LaneMask lanes, u8* line);
/// What the lane left in its cell. REQUIRES: it has been performed.
u64 left_behind(const LineAtomic&, u32 lane);

/// Replaces *cell by next(*cell) and answers what was there.
template <class T, class Next>
T replace(T* cell, bool shared_with_host, Next next) {
  if (!shared_with_host) {
    const T old = *cell;
    *cell = next(old);
    return old;
  }
  T old = __atomic_load_n(cell, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(cell, &old, next(old), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

/// Performs an atomic on each of the lanes. `Lanes` says where they are and what they ask for:
///   LaneMask mask();  T* cell<T>(lane);  T b<T>(lane), c<T>(lane);  void found<T>(lane, old).
/// T is the cell as unsigned bits. `shared_with_host`: others may look at the cells while the machine runs.
template <class Lanes>
class AtomicUnit {
 public:
  AtomicUnit(Lanes lanes, bool shared_with_host) : lanes_(lanes), shared_with_host_(shared_with_host) {}

  void perform(AtomicForm form) {
    const bool add = form.op == AtomicOp::add;
    switch (form.type) {
      case CellType::f32:
        return add ? add_float<float, u32>() : integer<u32>(form.op);
      case CellType::f64:
        return add ? add_float<double, u64>() : integer<u64>(form.op);
      case CellType::f16:
        return each<u16>([](u16 old, u16 b, u16) { return add_half(old, b); });
      case CellType::bf16:
        return each<u16>([](u16 old, u16 b, u16) { return add_bfloat(old, b); });
      case CellType::f16x2:
        return each<u32>([](u32 old, u32 b, u32) { return add_pair<add_half>(old, b); });
      case CellType::bf16x2:
        return each<u32>([](u32 old, u32 b, u32) { return add_pair<add_bfloat>(old, b); });
      case CellType::u16:
        return integer<u16>(form.op);
      case CellType::u32:
        return integer<u32>(form.op);
      case CellType::u64:
        return integer<u64>(form.op);
      case CellType::s32:
        return integer<u32, i32>(form.op);
      case CellType::s64:
        return integer<u64, i64>(form.op);
    }
  }

 private:
  /// Runs next(old, b, c) on every lane's cell.
  template <class T, class Next>
  void each(Next next) {
    for (LaneMask left = lanes_.mask(); left; left &= left - 1) {
      const u32 lane = static_cast<u32>(std::countr_zero(left));
      const T b = lanes_.template b<T>(lane), c = lanes_.template c<T>(lane);
      lanes_.template found<T>(
          lane, replace(lanes_.template cell<T>(lane), shared_with_host_, [&](T now) { return next(now, b, c); }));
    }
  }

  template <class Float, class Bits>
  void add_float() {
    each<Bits>([](Bits old, Bits b, Bits) {
      return std::bit_cast<Bits>(std::bit_cast<Float>(old) + std::bit_cast<Float>(b));
    });
  }

  /// `Ordered`: how min and max compare.
  template <class T, class Ordered = T>
  void integer(AtomicOp what) {
    const auto less = [](T a, T b) { return static_cast<Ordered>(a) < static_cast<Ordered>(b); };
    switch (what) {
      case AtomicOp::exch:
        return each<T>([](T, T b, T) { return b; });
      case AtomicOp::cas:
        return each<T>([](T old, T b, T c) { return old == b ? c : old; });
      case AtomicOp::add:
        return each<T>([](T old, T b, T) { return static_cast<T>(old + b); });
      case AtomicOp::inc:
        return each<T>([](T old, T b, T) { return static_cast<T>(old >= b ? 0 : old + 1); });
      case AtomicOp::dec:
        return each<T>([](T old, T b, T) { return static_cast<T>(old == 0 || old > b ? b : old - 1); });
      case AtomicOp::bit_and:
        return each<T>([](T old, T b, T) { return static_cast<T>(old & b); });
      case AtomicOp::bit_or:
        return each<T>([](T old, T b, T) { return static_cast<T>(old | b); });
      case AtomicOp::bit_xor:
        return each<T>([](T old, T b, T) { return static_cast<T>(old ^ b); });
      case AtomicOp::min:
        return each<T>([=](T old, T b, T) { return less(b, old) ? b : old; });
      case AtomicOp::max:
        return each<T>([=](T old, T b, T) { return less(old, b) ? b : old; });
      case AtomicOp::none:
        return;
    }
  }

  Lanes lanes_;
  bool shared_with_host_;
};

}  // namespace ew::memory
