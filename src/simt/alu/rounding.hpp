// Directed rounding, exact: the result rounded to nearest, and the sign of what it misses. No rounding mode of the
// processor is touched.
#pragma once

#include "simt/alu/half_values.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {

inline u16 bits_of(Half value) {
  return value.bits;
}
inline u16 bits_of(Brain value) {
  return value.bits;
}

/// The next value away from zero (away) or towards it; from zero, away: the least subnormal of the sign wanted.
template <class V>
inline V stepped(V value, bool upwards) {
  auto bits = bits_of(value);
  using B = decltype(bits);
  constexpr B sign = static_cast<B>(B{1} << (sizeof(B) * 8 - 1));
  if ((bits & static_cast<B>(~sign)) == 0) return std::bit_cast<V>(static_cast<B>(upwards ? 1 : sign | 1));
  const bool away = upwards == !(bits & sign);
  return std::bit_cast<V>(static_cast<B>(away ? bits + 1 : bits - 1));
}

/// `nearest` is the exact result rounded to nearest even; `error` has the sign of exact - nearest (NaN or 0: nothing to
/// do).
template <Rounding mode, class V, class E>
inline V directed(V nearest, E error) {
  if constexpr (mode == Rounding::rn) return nearest;
  const bool negative = bits_of(nearest) >> (sizeof(V) * 8 - 1);
  if (error > 0 && (mode == Rounding::rp || (mode == Rounding::rz && negative))) return stepped(nearest, true);
  if (error < 0 && (mode == Rounding::rm || (mode == Rounding::rz && !negative))) return stepped(nearest, false);
  return nearest;
}

/// What a + b misses when rounded to s (Knuth): exact unless something overflows.
template <class W>
inline W sum_error(W a, W b, W s) {
  const W b_part = s - a;
  return (a - (s - b_part)) + (b - b_part);
}

/// A wider type in which the product of two values is exact.
template <class V>
struct WiderOf;
template <>
struct WiderOf<float> {
  using type = double;
};
template <>
struct WiderOf<double> {
  using type = __float128;
};
template <class V>
using Wider = typename WiderOf<V>::type;

inline bool is_finite(float value) {
  return (bits_of(value) & 0x7f800000) != 0x7f800000;
}
inline bool is_finite(double value) {
  return (bits_of(value) >> 52 & 0x7ff) != 0x7ff;
}

/// A sum that is exactly zero of addends with different signs is -0 when rounding down.
template <Rounding mode, class V, class W>
inline V directed_sum(V nearest, W a, W b) {
  if constexpr (mode == Rounding::rn) return nearest;
  const W s = a + b;
  if (s == 0 && mode == Rounding::rm &&
      (std::signbit(static_cast<double>(a)) != std::signbit(static_cast<double>(b))) && a != 0)
    return -std::fabs(nearest);
  const W miss = s != static_cast<W>(nearest) ? s - static_cast<W>(nearest) : sum_error(a, b, s);
  return directed<mode>(nearest, miss);
}

template <Rounding mode, class V>
inline V rounded_sum(V a, V b) {
  const V nearest = a + b;
  if constexpr (mode == Rounding::rn) return nearest;
  if (!is_finite(a) || !is_finite(b)) return nearest;
  if (mode == Rounding::rm && a == 0 && b == 0) return std::signbit(a) || std::signbit(b) ? V{-0.0} : V{0};
  return directed_sum<mode>(nearest, static_cast<Wider<V>>(a), static_cast<Wider<V>>(b));
}
template <Rounding mode, class V>
inline V rounded_product(V a, V b) {
  const V nearest = a * b;
  if constexpr (mode == Rounding::rn) return nearest;
  if (!is_finite(a) || !is_finite(b)) return nearest;
  return directed<mode>(nearest, static_cast<Wider<V>>(a) * static_cast<Wider<V>>(b) - static_cast<Wider<V>>(nearest));
}
template <Rounding mode, class V>
inline V rounded_fma(V a, V b, V c) {
  const V nearest = std::fma(a, b, c);
  if constexpr (mode == Rounding::rn) return nearest;
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return nearest;
  const auto product = static_cast<Wider<V>>(a) * static_cast<Wider<V>>(b);
  const bool product_negative = std::signbit(a) != std::signbit(b);
  if (mode == Rounding::rm && product == 0 && c == 0) return product_negative || std::signbit(c) ? V{-0.0} : V{0};
  return directed_sum<mode>(nearest, product, static_cast<Wider<V>>(c));
}
template <Rounding mode, class V>
inline V rounded_quotient(V a, V b) {
  const V nearest = a / b;
  if constexpr (mode == Rounding::rn) return nearest;
  if (!is_finite(a) || !is_finite(b) || b == 0) return nearest;
  const auto miss = static_cast<Wider<V>>(a) - static_cast<Wider<V>>(nearest) * static_cast<Wider<V>>(b);
  return directed<mode>(nearest, std::signbit(b) ? -miss : miss);
}
template <Rounding mode, class V>
inline V rounded_root(V a) {
  const V nearest = std::sqrt(a);
  if constexpr (mode == Rounding::rn) return nearest;
  if (!is_finite(a) || !(a > 0)) return nearest;
  return directed<mode>(nearest,
                        static_cast<Wider<V>>(a) - static_cast<Wider<V>>(nearest) * static_cast<Wider<V>>(nearest));
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
