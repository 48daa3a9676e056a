// Exponentials, logarithms and powers.
#pragma once

#include "polynomials.cuh"

namespace everwarp::math {

// x = n ln 2 + r, |r| <= 0.35; the first step is exact, as n has few bits and r none below those of ln 2.
template <class T>
EW_MATH Pair<T> reduce_exp(T x, int& n) {
  using C = Constant<T>;
  const T k = nearest(x * C::log2e);
  n = static_cast<int>(k);
  const T r = fma_rn(-k, C::ln2, x);
  const T s = fma_rn(-k, C::ln2_lo, r);
  return {s, fma_rn(-k, C::ln2_lo, add_rn(r, -s))};
}

// e^(r + r_lo) - 1 for |r| <= 0.35
template <class T>
EW_MATH Pair<T> expm1_reduced(Pair<T> r) {
  const T t = fma_rn(mul_rn(r.hi, r.hi), exp_tail(r.hi), fma_rn(r.hi, r.lo, r.lo));
  return fast_two_sum(r.hi, t);
}

// e^(x.hi + x.lo) = (value.hi + value.lo) 2^n. REQUIRES: |x| below the exponent range
template <class T>
EW_MATH Pair<T> exp_pair(Pair<T> x, int& n) {
  Pair<T> r = reduce_exp(x.hi, n);
  r = fast_two_sum(r.hi, add_rn(r.lo, x.lo));
  const Pair<T> p = expm1_reduced(r);
  const Pair<T> s = fast_two_sum(T(1), p.hi);
  return {s.hi, add_rn(s.lo, p.lo)};
}

template <class T>
EW_MATH T exp_saturated(T x) {  // for arguments whose result is 0, infinite or not a number
  return is_nan(x) ? x + x : x > 0 ? Constant<T>::infinity : T(0);
}

// e^(x.hi + x.lo), any range
template <class T>
EW_MATH T exp_of(Pair<T> x) {
  if (!(x.hi <= Constant<T>::exp_overflow + 1 && x.hi >= Constant<T>::exp_underflow)) return exp_saturated(x.hi);
  int n;
  const Pair<T> e = exp_pair(x, n);
  return scaled(e.hi + e.lo, n);
}

template <class T>
EW_MATH T exp(T x) {
  if (!(x <= Constant<T>::exp_overflow && x >= Constant<T>::exp_underflow)) return exp_saturated(x);
  int n;
  const Pair<T> r = reduce_exp(x, n);
  return scaled(T(1) + (r.hi + fma_rn(r.hi * r.hi, exp_tail(r.hi), r.lo)), n);
}

template <class T>
EW_MATH T exp2(T x) {
  constexpr int top = Format<T>::largest_exponent + 1;
  if (!(x < top && x > -top - Format<T>::mantissa)) return exp_saturated(x);
  const T k = nearest(x), f = x - k;
  const T r = f * Constant<T>::ln2, lo = fma_rn(f, Constant<T>::ln2, -r);
  return scaled(T(1) + (r + fma_rn(r * r, exp_tail(r), fma_rn(f, Constant<T>::ln2_lo, lo))), static_cast<int>(k));
}

template <class T>
EW_MATH T exp10(T x) {
  using C = Constant<T>;
  if (!(x < T(0.30103) * (Format<T>::largest_exponent + 2) &&
        x > T(-0.30103) * (Format<T>::bias + Format<T>::mantissa + 1)))
    return exp_saturated(x);
  const T k = nearest(x * C::log2_10);
  const T a = fma_rn(-k, C::log10_2, x), f = fma_rn(-k, C::log10_2_lo, a);
  const T f_lo = fma_rn(-k, C::log10_2_lo, add_rn(a, -f));
  const T r = f * C::ln10, lo = fma_rn(f, C::ln10, -r) + fma_rn(f, C::ln10_lo, f_lo * C::ln10);
  return scaled(T(1) + (r + fma_rn(r * r, exp_tail(r), lo)), static_cast<int>(k));
}

// e^x - 1 as a pair for |x| within the range of e^x, n being the scale of the result
template <class T>
EW_MATH T expm1(T x) {
  if (x != x) return x + x;
  if (x > Constant<T>::exp_overflow) return Constant<T>::infinity;
  if (x < -T(Format<T>::mantissa + 3)) return T(-1);
  int n;
  const Pair<T> p = expm1_reduced(reduce_exp(x, n));
  if (n == 0) return x == 0 ? x : p.hi + p.lo;
  if (n > Format<T>::mantissa + 12) return scaled(T(1) + p.hi, n);
  const T s = power_of_two<T>(n);
  const Pair<T> sum = two_sum(s - T(1), p.hi * s);  // s - 1 is exact unless n is large, where only its top matters
  const T lost = n > Format<T>::mantissa ? T(-1) - ((s - T(1)) - s) : T(0);
  return sum.hi + (sum.lo + (fma_rn(p.lo, s, lost)));
}

// x = m 2^k with m in [sqrt(1/2), sqrt(2)). REQUIRES: x positive and finite
template <class T>
EW_MATH T split_near_one(T x, int& k) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  int shift = 0;
  if (x < Constant<T>::smallest_normal) {
    x *= power_of_two<T>(F::mantissa + 2);
    shift = F::mantissa + 2;
  }
  const Bits b = bits_of(x), offset = b - bits_of(Constant<T>::sqrt_half);
  const int e = static_cast<int>(static_cast<typename F::Signed>(offset) >> F::mantissa);
  k = e - shift;
  return from_bits(static_cast<Bits>(b - (static_cast<Bits>(static_cast<typename F::Signed>(e)) << F::mantissa)));
}

// log(1 + f), given s = f / (2 + f): 2 s + s^3 L(s^2), arranged so that f stays exact
template <class T>
EW_MATH T log_of_fraction(T f, T k) {
  const T s = f / (T(2) + f), z = s * s, half = T(0.5) * f * f;
  const T inner = fma_rn(s, fma_rn(z, log_tail(z), half), k * Constant<T>::ln2_lo);
  return fma_rn(k, Constant<T>::ln2, f - (half - inner));
}

template <class T>
EW_MATH bool log_is_special(T x, T& result) {
  if (x > 0 && x <= Constant<T>::largest) return false;
  result = x == 0 ? -Constant<T>::infinity : x > 0 ? x : is_nan(x) ? x + x : not_a_number<T>();
  return true;
}

template <class T>
EW_MATH T log(T x) {
  T special;
  if (log_is_special(x, special)) return special;
  int k;
  const T m = split_near_one(x, k);
  return log_of_fraction(m - T(1), static_cast<T>(k));
}

// log m for m + m_lo in [0.7, 1.42], to about 65 bits (29 for float)
template <class T>
EW_MATH Pair<T> log_near_one(T m, T m_lo = 0) {
  using C = Constant<T>;
  const T f = add_rn(m, T(-1));
  const Pair<T> d = fast_two_sum(T(1), m);
  const T y = T(1) / d.hi;
  const T s = mul_rn(f, y);
  const T s_lo = mul_rn(add_rn(fma_rn(-s, d.hi, f), fma_rn(-s, add_rn(d.lo, m_lo), m_lo)), y);
  const T z = mul_rn(s, s), z_lo = fma_rn(T(2) * s, s_lo, fma_rn(s, s, -z));
  const T c = mul_rn(z, s), c_lo = fma_rn(z_lo, s, fma_rn(z, s_lo, fma_rn(z, s, -c)));
  const T h = mul_rn(c, C::two_thirds);
  const T h_lo = fma_rn(c_lo, C::two_thirds, fma_rn(c, C::two_thirds_lo, fma_rn(c, C::two_thirds, -h)));
  const T tail = mul_rn(mul_rn(c, z), log_tail2(z));
  const Pair<T> sum = fast_two_sum(T(2) * s, h);
  return fast_two_sum(sum.hi, add_rn(sum.lo, add_rn(fma_rn(T(2), s_lo, h_lo), tail)));
}

// log x for x + x_lo positive and finite
template <class T>
EW_MATH Pair<T> log_pair(T x, T x_lo = 0) {
  using C = Constant<T>;
  int k;
  const T m = split_near_one(x, k);
  const Pair<T> l = log_near_one(m, x_lo == 0 ? T(0) : load_exponent(x_lo, -k));
  const T kt = static_cast<T>(k);
  const Pair<T> base = two_product(kt, C::ln2);
  const Pair<T> sum = fast_two_sum(base.hi, l.hi);
  return fast_two_sum(sum.hi, add_rn(sum.lo, fma_rn(kt, C::ln2_lo, add_rn(base.lo, l.lo))));
}

template <class T>
EW_MATH T log2(T x) {
  using C = Constant<T>;
  T special;
  if (log_is_special(x, special)) return special;
  int k;
  const T m = split_near_one(x, k);
  const Pair<T> l = multiply(log_near_one(m), Pair<T>{C::log2e, C::log2e_lo});
  const Pair<T> sum = fast_two_sum(static_cast<T>(k), l.hi);
  return sum.hi + (sum.lo + l.lo);
}

template <class T>
EW_MATH T log10(T x) {
  using C = Constant<T>;
  T special;
  if (log_is_special(x, special)) return special;
  const Pair<T> l = multiply(log_pair(x), Pair<T>{C::log10e, C::log10e_lo});
  return l.hi + l.lo;
}

// log(1 + x + x_lo)
template <class T>
EW_MATH T log1p_of(T x, T x_lo) {
  if (!(x > T(-1) && x <= Constant<T>::largest)) {
    return x == T(-1) ? -Constant<T>::infinity : x > 0 ? x : is_nan(x) ? x + x : not_a_number<T>();
  }
  if (x > T(-0.29) && x < T(0.41)) {
    if (x == 0) return x;
    return log_of_fraction(x, T(0)) + x_lo / (T(1) + x);
  }
  const Pair<T> u = two_sum(T(1), x);
  int k;
  const T m = split_near_one(u.hi, k);
  return log_of_fraction(m - T(1), static_cast<T>(k)) + (u.lo + x_lo) / u.hi;
}
template <class T>
EW_MATH T log1p(T x) {
  return log1p_of(x, T(0));
}

// C99 F.10.4.4 but for the magnitude: the sign of the result and its special values
template <class T>
EW_MATH T pow(T x, T y) {
  using C = Constant<T>;
  if (x == T(1) || y == T(0)) return T(1);
  if (x != x || y != y) return x + y;
  const T ax = magnitude(x), ay = magnitude(y);
  const bool integer = truncated(y) == y;
  const bool odd = integer && ay < power_of_two<T>(Format<T>::mantissa + 1) && truncated(y * T(0.5)) != y * T(0.5);
  const T sign = odd && with_sign(T(1), x) < 0 ? T(-1) : T(1);
  if (ay == C::infinity) return ax == T(1) ? T(1) : (ax > T(1)) == (y > 0) ? C::infinity : T(0);
  if (ax == 0 || ax == C::infinity) return sign * ((ax == 0) == (y < 0) ? C::infinity : T(0));
  if (x < 0 && !integer) return not_a_number<T>();
  const Pair<T> l = log_pair(ax);
  const T t = mul_rn(y, l.hi);
  if (!(magnitude(t) < T(2) * C::exp_overflow)) return sign * (t > 0 ? C::infinity : T(0));
  return sign * exp_of(Pair<T>{t, fma_rn(y, l.lo, fma_rn(y, l.hi, -t))});
}

// The names suggest repeated squaring. Its error grows with n, so a real power is used instead.
EW_MATH double pow_integer(double x, int n) {
  return pow(x, static_cast<double>(n));
}
EW_MATH float pow_integer(float x, int n) {
  if (n < (1 << 24) && n > -(1 << 24)) return pow(x, static_cast<float>(n));
  return static_cast<float>(pow(static_cast<double>(x), static_cast<double>(n)));
}

}  // namespace everwarp::math
