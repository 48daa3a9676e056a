// Functions of the representation: rounding to integers, remainders, exponents, neighbours, extremes. All exact.
#pragma once

#include "base.cuh"

namespace everwarp::math {

template <class T>
EW_MATH T round(T x) {  // halves away from zero
  const T t = truncated(x);
  const T r = magnitude(x - t) >= T(0.5) ? t + with_sign(T(1), x) : t;
  return with_sign(r, x);
}

template <class T>
EW_MATH T fmin(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return with_sign(T(1), a) < 0 ? a : b;  // -0 < +0
  return a < b ? a : b;
}
template <class T>
EW_MATH T fmax(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return with_sign(T(1), a) < 0 ? b : a;
  return a > b ? a : b;
}

template <class T>
EW_MATH T fdim(T a, T b) {
  return a != a || b != b ? a + b : a > b ? a - b : T(0);
}

template <class T>
EW_MATH T nextafter(T x, T y) {
  using Bits = typename Format<T>::Bits;
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return with_sign(from_bits(Bits(1)), y);
  const Bits b = bits_of(x);
  return from_bits(static_cast<Bits>((x < y) == (x > 0) ? b + 1 : b - 1));
}

template <class T>
EW_MATH T frexp(T x, int& exponent) {
  exponent = 0;
  if (x == 0 || !is_finite(x)) return x + x;
  const T m = normalised(x, exponent);
  ++exponent;
  return m * T(0.5);
}

template <class T>
EW_MATH T modf(T x, T& whole) {
  whole = truncated(x);
  return with_sign(is_infinite(x) ? T(0) : x - whole, x);
}

template <class T>
EW_MATH int ilogb(T x) {
  if (x == 0 || x != x) return -2147483647 - 1;
  if (is_infinite(x)) return 2147483647;
  int e;
  normalised(x, e);
  return e;
}
template <class T>
EW_MATH T logb(T x) {
  if (x == 0) return -Constant<T>::infinity;
  if (!is_finite(x)) return x * x;
  int e;
  normalised(x, e);
  return static_cast<T>(e);
}

// |x| mod |y| by long division of the significands, as many bits at a time as 64-bit words allow; quotient keeps the
// low bits of the integer quotient. REQUIRES: x finite, y finite and not zero
template <class T>
EW_MATH T fmod_magnitude(T x, T y, unsigned& quotient) {
  using Word = unsigned long long;
  quotient = 0;
  x = magnitude(x);
  y = magnitude(y);
  if (x < y) return x;
  constexpr int mantissa = Format<T>::mantissa, chunk = 63 - mantissa;
  int ex, ey;
  const T mx = normalised(x, ex), my = normalised(y, ey);
  constexpr Word mask = (Word(1) << mantissa) - 1, one = Word(1) << mantissa;
  Word r = (bits_of(mx) & mask) | one;
  const Word d = (bits_of(my) & mask) | one;
  Word q = r / d;
  r -= q * d;
  for (int left = ex - ey; left > 0;) {
    const int step = left < chunk ? left : chunk;
    r <<= step;
    const Word part = r / d;
    r -= part * d;
    q = (q << step) + part;
    left -= step;
  }
  quotient = static_cast<unsigned>(q);
  if (r == 0) return T(0);
  return load_exponent(static_cast<T>(r), ey - mantissa);
}

template <class T>
EW_MATH T fmod(T x, T y) {
  if (!is_finite(x) || y != y || y == 0) return is_nan(x) || is_nan(y) ? x + y : not_a_number<T>();
  if (is_infinite(y)) return x;
  unsigned quotient;
  return with_sign(fmod_magnitude(x, y, quotient), x);
}

template <class T>
EW_MATH T remquo(T x, T y, int& quotient) {
  quotient = 0;
  if (!is_finite(x) || y != y || y == 0) return is_nan(x) || is_nan(y) ? x + y : not_a_number<T>();
  if (is_infinite(y)) return x;
  unsigned q;
  T r = fmod_magnitude(x, y, q);
  const T ay = magnitude(y), rest = ay - r;  // exact when r is above ay / 2, which is when it counts
  if (r > rest || (r == rest && (q & 1))) {
    r = -rest;
    ++q;
  }
  const int low = static_cast<int>(q & 0x7fffffffu);
  quotient = (x < 0) != (y < 0) ? -low : low;
  if (r == 0) return with_sign(T(0), x);
  return with_sign(T(1), x) < 0 ? -r : r;
}
template <class T>
EW_MATH T remainder(T x, T y) {
  int quotient;
  return remquo(x, y, quotient);
}

}  // namespace everwarp::math
