// The gamma function and its logarithm.
#pragma once

#include "exponential.cuh"
#include "trigonometric.cuh"

namespace everwarp::math {

// log gamma(x) by Stirling's series, as a pair. REQUIRES: x >= 8
template <class T>
EW_MATH Pair<T> stirling_pair(T x) {
  using C = Constant<T>;
  const T y = T(1) / x;
  const Pair<T> main = multiply(log_pair(x), x - T(0.5));
  const Pair<T> rest = add(Pair<T>{-x, T(0)}, Pair<T>{C::half_log_2pi, fma_rn(stirling(y * y), y, C::half_log_2pi_lo)});
  return add(main, rest);
}

// gamma(x) for 0 < x < 8, by recurrence from [2, 3)
template <class T>
EW_MATH T gamma_recurrence(T x) {
  Pair<T> up{T(1), T(0)};
  T down = 1;
  while (x >= T(3)) {
    x -= T(1);
    up = multiply(up, x);
  }
  T u = x - T(2);
  if (x < T(2)) {
    down = x;
    u = x - T(1);
    if (x < T(1)) {
      down = fma_rn(x, x, x);
      u = x;
    }
  }
  const T g = fma_rn(u, gamma_tail(u), T(1));
  return fma_rn(g, up.hi, g * up.lo) / down;
}

template <class T>
EW_MATH T tgamma(T x) {
  using C = Constant<T>;
  const T a = magnitude(x), end = sizeof(T) == 4 ? T(36) : T(172);
  if (x != x) return x + x;
  if (x == 0) return T(1) / x;
  if (x > 0) {
    if (x > end) return C::infinity;
    return x < T(8) ? gamma_recurrence(x) : exp_of(stirling_pair(x));
  }
  if (truncated(x) == x) return not_a_number<T>();
  if (a < power_of_two<T>(-Format<T>::mantissa - 5)) return T(1) / x;
  const T s = -x * sinpi(x);
  if (a > end + 14) return with_sign(T(0), s);
  if (a < T(8)) return C::pi / (s * gamma_recurrence(a));
  const Pair<T> l = stirling_pair(a);
  // gamma(a) may overflow where gamma(x) is still a subnormal number: half of it at a time.
  const T half = exp_of(Pair<T>{T(-0.5) * l.hi, T(-0.5) * l.lo});
  return C::pi / s * half * half;
}

template <class T>
EW_MATH T lgamma_positive(T x) {
  if (x < T(0.5)) return fma_rn(x * (x - T(1)), lgamma_one(x), -log(x));
  if (x < T(1)) return (x - T(1)) * lgamma_below_one(x - T(1));
  if (x < T(2)) return (T(1) - x) * ((T(2) - x) * lgamma_one(x - T(1)));
  if (x < T(8)) {
    T product = 1;
    while (x >= T(3)) {
      x -= T(1);
      product *= x;
    }
    const T u = x - T(2), base = u * lgamma_two(u);
    return product == T(1) ? base : base + log(product);
  }
  if (!(x <= Constant<T>::largest)) return x;
  const T y = T(1) / x;
  return fma_rn(x - T(0.5), log(x) - T(1), fma_rn(stirling(y * y), y, Constant<T>::half_log_2pi - T(0.5)));
}

template <class T>
EW_MATH T lgamma(T x) {
  using C = Constant<T>;
  if (x > 0 || x != x) return lgamma_positive(x);
  const T a = -x;
  if (truncated(a) == a) return C::infinity;
  if (a < T(0.5)) return fma_rn(x, lgamma_below_one(x), -log(a));
  return log(C::pi / (a * magnitude(sinpi(a)))) - lgamma_positive(a);
}

}  // namespace everwarp::math
