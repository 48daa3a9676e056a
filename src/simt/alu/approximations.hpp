// sin, cos, lg2, ex2 and tanh of an f32, computed in double and rounded once: within 0.501 ulp, where PTX allows
// 2^-20.5 absolute for sin and cos in [-pi, pi], 2^-22 absolute for lg2, 2 ulp for ex2 and 2^-11 relative for tanh. No
// table, no library call (but for sin and cos beyond 2^20), so results are the same on every machine.
#pragma once

#include "simt/alu/half_values.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {

inline double polynomial(double, double last) {
  return last;
}
template <class... More>
inline double polynomial(double x, double first, double second, More... more) {
  return first + x * polynomial(x, second, more...);
}

/// 2^x for |x| <= 1000: 2^n times the Taylor series of e^(f ln 2), |f| <= 1/2, whose next term is below 2^-42.
inline double exp2_of(double x) {
  constexpr double shift = 0x1.8p52;
  const double shifted = x + shift;
  const double y = (x - (shifted - shift)) * 0x1.62e42fefa39efp-1;
  const double power = polynomial(y, 1.0, 1.0, 1 / 2.0, 1 / 6.0, 1 / 24.0, 1 / 120.0, 1 / 720.0, 1 / 5040.0,
                                  1 / 40320.0, 1 / 362880.0, 1 / 3628800.0);
  return power * double_of((bits_of(shifted) + 1023) << 52);
}

inline float approximate_exp2(float x) {
  const double limited = x > 200.0f ? 200.0 : x < -200.0f ? -200.0 : static_cast<double>(x);
  return x != x ? x : static_cast<float>(exp2_of(limited));
}

/// log2 m = 2 / ln 2 * artanh((m - 1) / (m + 1)) for m in [sqrt 1/2, sqrt 2): |argument| below 0.172.
inline float approximate_log2(float x) {
  const u64 bits = bits_of(static_cast<double>(x));
  const u64 above = bits - 0x3fe6a09e667f3bcd;  // of sqrt 1/2
  const double exponent = static_cast<double>(static_cast<i32>(static_cast<i64>(above) >> 52));
  const double m = double_of((above & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
  const double s = (m - 1) / (m + 1), square = s * s;
  const double series =
      polynomial(square, 1.0, 1 / 3.0, 1 / 5.0, 1 / 7.0, 1 / 9.0, 1 / 11.0, 1 / 13.0, 1 / 15.0, 1 / 17.0, 1 / 19.0);
  const auto result = static_cast<float>(exponent + s * series * 0x1.71547652b82fep+1);
  if (x == 0) return float_of(0xff800000);
  if (!(x > 0)) return float_of(canonical_nan_f32);
  return bits_of(x) == 0x7f800000 ? x : result;
}

/// x - k pi/2 with k = the nearest integer to x 2/pi, for |x| <= 2^20: pi/2 in three parts, the first two of 33 bits.
struct Reduced {
  double rest;
  u32 quadrant;
};
inline Reduced reduced(double x) {
  constexpr double shift = 0x1.8p52;
  const double shifted = x * 0x1.45f306dc9c883p-1 + shift;
  const double k = shifted - shift;
  const double rest = ((x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
  return {rest, static_cast<u32>(bits_of(shifted))};
}
inline double sine_series(double r) {
  const double s = r * r;
  return r * polynomial(s, 1.0, -1 / 6.0, 1 / 120.0, -1 / 5040.0, 1 / 362880.0, -1 / 39916800.0, 1 / 6227020800.0);
}
inline double cosine_series(double r) {
  return polynomial(r * r, 1.0, -1 / 2.0, 1 / 24.0, -1 / 720.0, 1 / 40320.0, -1 / 3628800.0, 1 / 479001600.0,
                    -1 / 87178291200.0);
}
/// sin(x + turns pi/2).
inline float sine_at(float x, u32 turns) {
  if (std::fabs(x) > 0x1p20f) {
    if (!(std::fabs(x) < INFINITY)) return float_of(canonical_nan_f32);
    return static_cast<float>(turns ? std::cos(static_cast<double>(x)) : std::sin(static_cast<double>(x)));
  }
  const auto [rest, quadrant] = reduced(x);
  const u32 q = quadrant + turns;
  const double value = q & 1 ? cosine_series(rest) : sine_series(rest);
  return static_cast<float>(q & 2 ? -value : value);
}
inline float approximate_sine(float x) {
  return x == 0 ? x : sine_at(x, 0);
}
inline float approximate_cosine(float x) {
  return sine_at(x, 1);
}

inline float approximate_tanh(float x) {
  if (x != x) return x;
  const double y = x, square = y * y;
  if (std::fabs(x) < 0.02f) return static_cast<float>(y * polynomial(square, 1.0, -1 / 3.0, 2 / 15.0, -17 / 315.0));
  const double limited = std::fabs(x) > 20 ? 20.0 : std::fabs(y);
  const double magnitude = 1 - 2 / (exp2_of(limited * 0x1.71547652b82fep+1) + 1);
  return static_cast<float>(std::copysign(magnitude, y));
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
