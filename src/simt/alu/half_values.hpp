// 16-bit floating-point values: widening (exact), narrowing (nearest even), flushing, elements of pairs.
#pragma once

#include "simt/alu/lanes.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {

inline constexpr u32 canonical_nan_f32 = 0x7fffffff;
inline constexpr u16 canonical_nan_half = 0x7fff;

inline u32 bits_of(float value) {
  return std::bit_cast<u32>(value);
}
inline u64 bits_of(double value) {
  return std::bit_cast<u64>(value);
}
inline float float_of(u32 bits) {
  return std::bit_cast<float>(bits);
}
inline double double_of(u64 bits) {
  return std::bit_cast<double>(bits);
}

/// Subnormals to zero of their sign, when `flushes`.
template <bool flushes>
inline float flushed(float value) {
  const u32 bits = bits_of(value);
  return flushes && (bits & 0x7f800000) == 0 ? float_of(bits & 0x80000000) : value;
}
template <bool flushes>
inline Half flushed(Half value) {
  return flushes && (value.bits & 0x7c00) == 0 ? Half{static_cast<u16>(value.bits & 0x8000)} : value;
}
template <bool flushes>
inline Brain flushed(Brain value) {
  return flushes && (value.bits & 0x7f80) == 0 ? Brain{static_cast<u16>(value.bits & 0x8000)} : value;
}

inline float widened(float value) {
  return value;
}
inline double widened(double value) {
  return value;
}
inline float widened(Brain value) {
  return float_of(u32{value.bits} << 16);
}
/// The exponent is moved by an exact multiplication, which normalises subnormals; infinities and NaNs land beyond 2^16.
inline float widened(Half value) {
  const u32 magnitude = u32{value.bits} & 0x7fff, sign = (u32{value.bits} & 0x8000) << 16;
  const u32 scaled = bits_of(float_of(magnitude << 13) * 0x1p112f);
  return float_of(scaled | sign | (magnitude >= 0x7c00 ? 0x7f800000 : 0));
}

/// The neighbour of `nearest` with an odd significand if the exact value is not representable: rounding it again to two
/// bits fewer or less gives what one rounding would have given. `error` has the sign of exact - nearest.
template <class V>
inline V rounded_to_odd(V nearest, V error) {
  const auto bits = bits_of(nearest);
  if (error == 0 || bits & 1 || !(error == error) || std::isinf(nearest)) return nearest;
  return std::bit_cast<V>((error > 0) == (nearest > 0) ? bits + 1 : bits - 1);
}
inline float narrowed_to_odd(double exact) {
  const auto nearest = static_cast<float>(exact);
  return rounded_to_odd(nearest, static_cast<float>(exact - static_cast<double>(nearest)));
}

template <class V>
struct Narrow;
template <>
struct Narrow<Half> {
  static Half nearest(float value) {
    const u32 bits = bits_of(value), magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    // Below 2^-14 the sum with 0.5 has the weight of a subnormal's last bit in its own last bit, so it rounds as it
    // should.
    const u32 subnormal = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000;
    const u32 normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const u32 special = magnitude > 0x7f800000 ? 0x7fff : 0x7c00;
    const u32 result = magnitude >= 0x47800000 ? special : magnitude < 0x38800000 ? subnormal : normal;
    return {static_cast<u16>(result | (magnitude > 0x7f800000 ? 0 : sign))};
  }
  static Half nearest(double value) { return nearest(narrowed_to_odd(value)); }
};
template <>
struct Narrow<Brain> {
  static Brain nearest(float value) {
    const u32 bits = bits_of(value);
    const u32 rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return {static_cast<u16>((bits & 0x7fffffff) > 0x7f800000 ? canonical_nan_half : rounded)};
  }
  static Brain nearest(double value) { return nearest(narrowed_to_odd(value)); }
};
template <>
struct Narrow<float> {
  static float nearest(float value) { return value; }
  static float nearest(double value) { return static_cast<float>(value); }
};

inline Half element(HalfPair pair, u32 n) {
  return {static_cast<u16>(pair.bits >> 16 * n)};
}
inline Brain element(BrainPair pair, u32 n) {
  return {static_cast<u16>(pair.bits >> 16 * n)};
}
inline Half element(Half value, u32) {
  return value;
}
inline Brain element(Brain value, u32) {
  return value;
}

template <class V>
inline constexpr u32 element_count = 1;
template <>
inline constexpr u32 element_count<HalfPair> = 2;
template <>
inline constexpr u32 element_count<BrainPair> = 2;

/// Applies a function of elements to values or to pairs.
template <class V, class F, class... More>
inline V by_elements(F f, V a, More... more) {
  if constexpr (element_count<V> == 1)
    return f(a, more...);
  else {
    const u32 low = f(element(a, 0), element(more, 0)...).bits, high = f(element(a, 1), element(more, 1)...).bits;
    return {low | high << 16};
  }
}

template <class V>
using Element = decltype(element(V{}, 0));

}  // namespace ew::simt::alu::EW_ALU_CLONE
