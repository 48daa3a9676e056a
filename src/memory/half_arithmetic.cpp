#include "memory/half_arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ew::memory {
namespace {

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

}  // namespace

/// The sum of two halves is exact in double, so rounding is IEEE's.
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

}  // namespace ew::memory
