// Hyperbolic functions and their inverses.
#pragma once

#include "exponential.cuh"

namespace everwarp::math {

template <class T>
EW_MATH T sinh(T x) {
  using C = Constant<T>;
  const T a = magnitude(x);
  if (a < T(1)) {
    const T z = x * x;
    return fma_rn(x * z, sinh_tail(z), x);
  }
  if (!(a < C::exp_overflow + 1)) return x + with_sign(C::infinity, x);
  int n;
  const Pair<T> e = exp_pair(Pair<T>{a, T(0)}, n);
  if (n > Format<T>::mantissa / 2 + 4) return with_sign(scaled(e.hi + e.lo, n - 1), x);
  const T up = power_of_two<T>(n - 1), down = power_of_two<T>(-n - 1) / e.hi;
  const Pair<T> s = fast_two_sum(e.hi * up, -down);
  return with_sign(s.hi + fma_rn(e.lo, up, s.lo), x);
}

template <class T>
EW_MATH T cosh(T x) {
  using C = Constant<T>;
  const T a = magnitude(x);
  if (!(a < C::exp_overflow + 1)) return x != x ? x + x : C::infinity;
  int n;
  const Pair<T> e = exp_pair(Pair<T>{a, T(0)}, n);
  if (n > Format<T>::mantissa / 2 + 4) return scaled(e.hi + e.lo, n - 1);
  const T up = power_of_two<T>(n - 1), down = power_of_two<T>(-n - 1) / e.hi;
  const Pair<T> s = fast_two_sum(e.hi * up, down);
  return s.hi + fma_rn(e.lo, up, s.lo);
}

template <class T>
EW_MATH T tanh(T x) {
  const T a = magnitude(x);
  if (a < T(0.6)) {
    const T z = x * x;
    return with_sign(fma_rn(a * z, tanh_tail(z), a), x);
  }
  if (x != x) return x + x;
  if (a > T(Format<T>::mantissa) * T(0.375)) return with_sign(T(1), x);
  return with_sign(fma_rn(T(-2), T(1) / (exp(T(2) * a) + T(1)), T(1)), x);
}

template <class T>
EW_MATH T log_of_double(T x) {  // log(2 x), where 2 x may overflow
  if (!(x <= Constant<T>::largest)) return x;
  int k;
  const T m = split_near_one(x, k);
  return log_of_fraction(m - T(1), static_cast<T>(k + 1));
}

template <class T>
EW_MATH T asinh(T x) {
  const T a = magnitude(x);
  if (!(a < power_of_two<T>(Format<T>::mantissa / 2 + 4))) return with_sign(log_of_double(a), x);
  const T z = a * a;
  return with_sign(log1p(a + z / (T(1) + square_root(fma_rn(a, a, T(1))))), x);
}

template <class T>
EW_MATH T acosh(T x) {
  if (!(x >= T(1))) return x != x ? x + x : not_a_number<T>();
  if (x > power_of_two<T>(Format<T>::mantissa / 2 + 4)) return log_of_double(x);
  const T t = x - T(1);
  return log1p(t + square_root(fma_rn(t, t, T(2) * t)));
}

template <class T>
EW_MATH T atanh(T x) {
  const T a = magnitude(x);
  if (!(a < T(1))) return a == T(1) ? with_sign(Constant<T>::infinity, x) : x != x ? x + x : not_a_number<T>();
  return with_sign(T(0.5) * log1p(T(2) * a / (T(1) - a)), x);
}

}  // namespace everwarp::math
