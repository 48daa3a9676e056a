// Narrowing of floating-point constants in PTX text (always held as doubles by the parser), NaN payloads kept.
#pragma once

#include <bit>
#include <cmath>

#include "core/types.hpp"

namespace ew::ptx {

inline u32 narrow_f64_to_f32(u64 bits) {
  const double value = std::bit_cast<double>(bits);
  if (!std::isnan(value)) return std::bit_cast<u32>(static_cast<float>(value));
  return static_cast<u32>(bits >> 63 << 31) | 0x7f800000u | (static_cast<u32>(bits >> 29) & 0x7fffffu);
}

/// Round to nearest even; every double is within range of the exact scaling by a power of two.
inline u16 narrow_f64_to_f16(u64 bits) {
  const double value = std::bit_cast<double>(bits);
  const auto sign = static_cast<u16>(bits >> 63 << 15);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<u16>(sign | 0x7e00);
  if (magnitude >= 65520.0) return static_cast<u16>(sign | 0x7c00);
  if (magnitude < 0x1p-14) return static_cast<u16>(sign | static_cast<u16>(std::nearbyint(magnitude * 0x1p24)));
  const int exponent = std::ilogb(magnitude);
  const auto significand = static_cast<u32>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return static_cast<u16>(sign | (static_cast<u32>(exponent + 14) * 1024 + significand));
}

}  // namespace ew::ptx
