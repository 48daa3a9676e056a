// Atomic operations, lane by lane in lane order (the order that every GPU's own is one of). PTX ISA, "atom" and "red".
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "simt/flat_memory.hpp"

namespace ew::simt {
namespace {

using ptx::AtomicOp;
using ptx::Type;

// --- half precision, added in float and rounded once: the sum of two halves is exact in double, so rounding is IEEE's.

float from_half(u16 bits) {
  const u32 sign = u32{bits & 0x8000u} << 16, exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

u16 to_half(double value) {
  if (std::isnan(value)) return 0x7fff;
  const u16 sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  int exponent = magnitude == 0 ? -14 : std::max(-14, std::ilogb(magnitude));
  double scaled = std::nearbyint(std::ldexp(magnitude, 10 - exponent));  // to even
  if (scaled >= 2048) {
    scaled /= 2;
    ++exponent;
  }
  const u32 digits = static_cast<u32>(scaled);
  return static_cast<u16>(sign | (digits < 1024 ? digits : u32(exponent + 15) << 10 | (digits - 1024)));
}

float from_bfloat(u16 bits) {
  return std::bit_cast<float>(u32{bits} << 16);
}

u16 to_bfloat(float value) {
  if (std::isnan(value)) return 0x7fff;
  const u32 bits = std::bit_cast<u32>(value);
  return static_cast<u16>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

u16 add_half(u16 a, u16 b) {
  return to_half(double{from_half(a)} + from_half(b));
}

/// The double sum of two bfloats may need more than 53 bits; rounding it to odd before the last step keeps the result
/// exact.
u16 add_bfloat(u16 a, u16 b) {
  const double x = from_bfloat(a), y = from_bfloat(b), sum = x + y;
  const double rest = std::fabs(x) > std::fabs(y) ? y - (sum - x) : x - (sum - y);
  double odd = sum;
  if (rest != 0 && std::isfinite(sum) && !(std::bit_cast<u64>(sum) & 1))
    odd = std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL);
  float narrow = static_cast<float>(odd);
  if (double{narrow} != odd && std::isfinite(narrow) && !(std::bit_cast<u32>(narrow) & 1)) {
    const float away = std::nextafterf(narrow, odd > narrow ? HUGE_VALF : -HUGE_VALF);
    narrow = away;
  }
  return to_bfloat(narrow);
}

template <u16 (*Add)(u16, u16)>
u32 add_pair(u32 a, u32 b) {
  return Add(static_cast<u16>(a), static_cast<u16>(b)) | u32{Add(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16))}
                                                             << 16;
}

// --- one lane

/// Replaces *p by next(*p) and answers the old value.
template <class T, class Next>
T replace(T* p, bool shared_with_host, Next next) {
  if (!shared_with_host) {
    const T old = *p;
    *p = next(old);
    return old;
  }
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, next(old), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

struct Request {
  const MemoryOp& op;
  u64 bias;
  bool shared_with_host;
};

/// Runs `next(old, b, c)` on every lane's cell; T is the cell as unsigned bits.
template <class T, class Next>
void each_lane(const Request& request, Next next) {
  const MemoryOp& op = request.op;
  const ptx::MemoryForm& form = *op.form;
  const u32 width = sizeof(T) == 8 ? 8 : 4;
  const auto row = [&](ptx::Row r) -> const u32* {
    if (r == ptx::no_row) return nullptr;
    return r & ptx::constant_row ? op.constants + (r & 0x7fff) * warp_lanes : op.rows() + r * warp_lanes;
  };
  const auto value = [&](const u32* from, u32 lane) -> T {
    if (!from) return 0;
    return width == 8 ? static_cast<T>(reinterpret_cast<const u64*>(from)[lane]) : static_cast<T>(from[lane]);
  };
  const u32 *b = row(form.b), *c = row(form.c);
  u32* to = form.data[0] == ptx::no_row ? nullptr : op.rows() + form.data[0] * warp_lanes;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const T x = value(b, lane), y = value(c, lane);
    T* cell = reinterpret_cast<T*>(op.address[lane] + request.bias);
    const T old = replace(cell, request.shared_with_host, [&](T now) { return next(now, x, y); });
    if (!to) continue;
    if (width == 8)
      reinterpret_cast<u64*>(to)[lane] = old;
    else
      to[lane] = static_cast<u32>(old);
  }
}

template <class Float, class Bits>
void add_float(const Request& request) {
  each_lane<Bits>(request, [](Bits old, Bits b, Bits) {
    return std::bit_cast<Bits>(std::bit_cast<Float>(old) + std::bit_cast<Float>(b));
  });
}

template <class T>
void integer(const Request& request, AtomicOp what, bool is_signed) {
  using Signed = std::make_signed_t<T>;
  switch (what) {
    case AtomicOp::exch:
      return each_lane<T>(request, [](T, T b, T) { return b; });
    case AtomicOp::cas:
      return each_lane<T>(request, [](T old, T b, T c) { return old == b ? c : old; });
    case AtomicOp::add:
      return each_lane<T>(request, [](T old, T b, T) { return static_cast<T>(old + b); });
    case AtomicOp::inc:
      return each_lane<T>(request, [](T old, T b, T) { return static_cast<T>(old >= b ? 0 : old + 1); });
    case AtomicOp::dec:
      return each_lane<T>(request, [](T old, T b, T) { return static_cast<T>(old == 0 || old > b ? b : old - 1); });
    case AtomicOp::bit_and:
      return each_lane<T>(request, [](T old, T b, T) { return static_cast<T>(old & b); });
    case AtomicOp::bit_or:
      return each_lane<T>(request, [](T old, T b, T) { return static_cast<T>(old | b); });
    case AtomicOp::bit_xor:
      return each_lane<T>(request, [](T old, T b, T) { return static_cast<T>(old ^ b); });
    case AtomicOp::min:
      if (is_signed)
        return each_lane<T>(request,
                            [](T old, T b, T) { return static_cast<Signed>(b) < static_cast<Signed>(old) ? b : old; });
      return each_lane<T>(request, [](T old, T b, T) { return b < old ? b : old; });
    case AtomicOp::max:
      if (is_signed)
        return each_lane<T>(request,
                            [](T old, T b, T) { return static_cast<Signed>(b) > static_cast<Signed>(old) ? b : old; });
      return each_lane<T>(request, [](T old, T b, T) { return b > old ? b : old; });
    case AtomicOp::none:
      return;
  }
}

}  // namespace

void atomic(MemoryOp& op, u64 bias, bool shared_with_host) {
  const ptx::MemoryForm& form = *op.form;
  const Request request{op, bias, shared_with_host};
  if (form.atomic == AtomicOp::add) {
    switch (form.type) {
      case Type::f32:
        return add_float<float, u32>(request);
      case Type::f64:
        return add_float<double, u64>(request);
      case Type::f16:
        return each_lane<u16>(request, [](u16 old, u16 b, u16) { return add_half(old, b); });
      case Type::bf16:
        return each_lane<u16>(request, [](u16 old, u16 b, u16) { return add_bfloat(old, b); });
      case Type::f16x2:
        return each_lane<u32>(request, [](u32 old, u32 b, u32) { return add_pair<add_half>(old, b); });
      case Type::bf16x2:
        return each_lane<u32>(request, [](u32 old, u32 b, u32) { return add_pair<add_bfloat>(old, b); });
      default:
        break;
    }
  }
  const bool is_signed = form.type == Type::s32 || form.type == Type::s64;
  switch (ptx::size_of(form.type)) {
    case 2:
      return integer<u16>(request, form.atomic, is_signed);
    case 8:
      return integer<u64>(request, form.atomic, is_signed);
    default:
      return integer<u32>(request, form.atomic, is_signed);
  }
}

}  // namespace ew::simt
