// The error function, its complements and inverses, and the normal distribution.
#pragma once

#include "exponential.cuh"

namespace everwarp::math {

// e^(x^2) erfc(x) for x >= 0: a polynomial in (x - 4) / (x + 4), which maps the half line to [-1, 1]
template <class T>
EW_MATH T erfcx_positive(T x) {
  constexpr T sqrt_pi_inverse = Constant<T>::two_over_sqrt_pi / 2;
  if (x < T(0.5)) return fma_rn(x, erfcx_small(x), T(1));
  if (x > power_of_two<T>(Format<T>::mantissa)) return sqrt_pi_inverse / x;
  const T d = x + T(4), n = x - T(4), q = n / d;
  const T t = q + fma_rn(-q, d, n) / d;
  const T twice = T(2) * x, e = add_rn(T(1), twice);
  const Pair<T> parts = twice > T(1) ? fast_two_sum(twice, T(1)) : fast_two_sum(T(1), twice);
  const T p = erfcx_mapped(t), r = p / e;
  return r + add_rn(fma_rn(-r, e, p), -r * parts.lo) / e;
}

template <class T>
EW_MATH T erf(T x);

// erfc(x + x_lo) 2^extra
template <class T>
EW_MATH T erfc_scaled(T x, T x_lo, int extra) {
  if (x < T(0.5)) return (T(1) - erf(x)) * power_of_two<T>(extra);
  if (x != x) return x + x;
  if (x > (sizeof(T) == 4 ? T(10.5) : T(28))) return T(0);
  const Pair<T> square = two_product(x, x);
  int n;
  const Pair<T> e = exp_pair(Pair<T>{-square.hi, -fma_rn(T(2) * x, x_lo, square.lo)}, n);
  const T c = erfcx_positive(x);
  return scaled(fma_rn(e.hi, c, e.lo * c), n + extra);
}

template <class T>
EW_MATH T erf(T x) {
  const T a = magnitude(x);
  if (a < T(1)) return fma_rn(x, erf_small(x * x), x);
  if (a > T(6)) return with_sign(T(1), x);
  if (x != x) return x + x;
  return with_sign(T(1) - erfc_scaled(a, T(0), 0), x);
}

template <class T>
EW_MATH T erfc(T x) {
  return erfc_scaled(x, T(0), 0);
}

template <class T>
EW_MATH T erfcx(T x) {
  if (x >= 0) return erfcx_positive(x);
  if (x != x) return x + x;
  if (x < (sizeof(T) == 4 ? T(-10) : T(-27))) return Constant<T>::infinity;
  const Pair<T> square = two_product(x, x);
  return fma_rn(T(2), exp_of(square), -erfcx_positive(-x));
}

template <class T>
EW_MATH T normcdf(T x) {
  const T z = x * -Constant<T>::sqrt_half;
  if (!is_finite(z)) return x != x ? x + x : x > 0 ? T(1) : T(0);
  return erfc_scaled(z, fma_rn(x, -Constant<T>::sqrt_half_lo, fma_rn(x, -Constant<T>::sqrt_half, -z)), -1);
}

// erfinv(x) = x + x r(w), w = -log(1 - x^2)
template <class T>
EW_MATH T erfinv_excess(T w) {
  if (w < T(6.5)) return erfinv_centre(w - T(3.25));
  const T s = square_root(w);
  if (s < T(4)) return erfinv_near(s - T(3.25)) - T(1);
  if (s < T(8)) return erfinv_far(s - T(6)) - T(1);
  return erfinv_beyond(s - (sizeof(T) == 4 ? T(9.5) : T(18))) - T(1);
}

template <class T>
EW_MATH T erfinv(T x) {
  const T a = magnitude(x);
  if (!(a < T(1))) return a == T(1) ? with_sign(Constant<T>::infinity, x) : x != x ? x + x : not_a_number<T>();
  if (a < T(0.5)) return x * (T(0x1.c5bf891b4ef6bp-1) + erfinv_small(x * x));  // sqrt(pi) / 2
  return fma_rn(x, erfinv_excess(-log((T(1) - a) * (T(1) + a))), x);
}

template <class T>
EW_MATH T erfcinv(T y) {
  if (y >= T(0.5) && y <= T(1.5)) return erfinv(T(1) - y);
  if (!(y >= 0 && y <= T(2))) return y != y ? y + y : not_a_number<T>();
  const T small = y > T(1) ? T(2) - y : y;
  if (small == 0) return y > T(1) ? -Constant<T>::infinity : Constant<T>::infinity;
  const T x = T(1) - small, v = fma_rn(x, erfinv_excess(-log(small * (T(2) - small))), x);
  return y > T(1) ? -v : v;
}

template <class T>
EW_MATH T normcdfinv(T p) {
  return -Constant<T>::sqrt2 * erfcinv(T(2) * p);
}

}  // namespace everwarp::math
