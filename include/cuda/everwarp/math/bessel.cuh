// Bessel functions. Below 8 they are polynomials around each zero, so that the relative error stays small there. Above 8
// they are computed from amplitude and phase; the absolute error is what CUDA states.
#pragma once

#include "exponential.cuh"
#include "trigonometric.cuh"

namespace everwarp::math {

// The two functions of an order for x >= 8
template <class T>
EW_MATH void bessel_large(int order, T x, T& first, T& second) {
  if (is_infinite(x)) {
    first = second = T(0);
    return;
  }
  const T y = T(1) / x, z = y * y;
  const T amplitude =
      (order ? bessel_amplitude1(z) : bessel_amplitude0(z)) * Constant<T>::sqrt_two_over_pi / square_root(x);
  const T turn = (order ? bessel_phase1(z) : bessel_phase0(z)) * y - (order ? T(3) : T(1)) * (Constant<T>::half_pi / 2);
  T s, c, turn_s, turn_c;
  sincos(x, s, c);
  sincos(turn, turn_s, turn_c);
  first = amplitude * fma_rn(c, turn_c, -s * turn_s);
  second = amplitude * fma_rn(s, turn_c, c * turn_s);
}

template <class T>
EW_MATH T j0(T x) {
  const T a = magnitude(x);
  if (a < T(1.25)) return fma_rn(a * a, j0_small(a * a), T(1));
  if (a < T(4)) return j0_zero1(a);
  if (a < T(8)) return j0_zero2(a);
  if (x != x) return x + x;
  T first, second;
  bessel_large(0, a, first, second);
  return first;
}

template <class T>
EW_MATH T j1(T x) {
  const T a = magnitude(x);
  T first, second;
  if (a < T(2)) {
    return x * j1_small(a * a);
  } else if (a < T(5.375)) {
    first = j1_zero1(a);
  } else if (a < T(8)) {
    first = j1_zero2(a);
  } else {
    if (x != x) return x + x;
    bessel_large(1, a, first, second);
  }
  return x < 0 ? -first : first;
}

// log(x / zero) and the distance x - zero, for the first zeros of y0 and y1, below which these have a logarithm at 0
template <class T>
EW_MATH T log_of_ratio(T x, Pair<T> zero, T& distance) {
  distance = add_rn(add_rn(x, -zero.hi), -zero.lo);
  const T t = distance / zero.hi;
  return magnitude(t) < T(0.25) ? log1p(t) : log(x) - log(zero.hi);
}

EW_MATH Pair<double> first_zero_of_y(int order, double) {
  return order ? Pair<double>{0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55}
               : Pair<double>{0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56};
}
EW_MATH Pair<float> first_zero_of_y(int order, float) {
  return order ? Pair<float>{0x1.193beep+1f, -0x1.6401b8p-24f} : Pair<float>{0x1.c982ecp-1f, -0x1.cafa06p-27f};
}

template <class T>
EW_MATH T y0(T x) {
  if (!(x > 0)) return x == 0 ? -Constant<T>::infinity : x != x ? x + x : not_a_number<T>();
  if (x < T(2.5)) {
    const Pair<T> zero = first_zero_of_y(0, x);
    T distance;
    const T l = log_of_ratio(x, zero, distance);
    return fma_rn(Constant<T>::two_over_pi * l, j0(x), distance * (x + zero.hi) * y0_small(x * x));
  }
  if (x < T(5.5)) return y0_zero2(x);
  if (x < T(8)) return y0_zero3(x);
  T first, second;
  bessel_large(0, x, first, second);
  return second;
}

template <class T>
EW_MATH T y1(T x) {
  if (!(x > 0)) return x == 0 ? -Constant<T>::infinity : x != x ? x + x : not_a_number<T>();
  if (x < T(3)) {
    const Pair<T> zero = first_zero_of_y(1, x);
    T distance;
    const T l = log_of_ratio(x, zero, distance);
    return fma_rn(Constant<T>::two_over_pi * l, j1(x), distance * (x + zero.hi) * y1_small(x * x) / x);
  }
  if (x < T(7)) return y1_zero2(x);
  if (x < T(8)) return y1_zero3(x);
  T first, second;
  bessel_large(1, x, first, second);
  return second;
}

// Miller's backward recurrence from well above n, normalised by 1 = J_0 + 2 (J_2 + J_4 + ...). REQUIRES: 0 < x <= n
EW_MATH double jn_backward(int n, double x) {
  const double two_over_x = 2.0 / x;
  const int start = 2 * ((n + static_cast<int>(square_root(160.0 * n))) / 2 + 8);
  double above = 0, current = 1, sum = 0, result = 0;
  for (int k = start; k > 0; --k) {
    const double below = fma_rn(k * two_over_x, current, -above);
    above = current;
    current = below;
    if (magnitude(current) > 0x1p500) {
      current *= 0x1p-600;
      above *= 0x1p-600;
      sum *= 0x1p-600;
      result *= 0x1p-600;
    }
    if (!((k - 1) & 1)) sum += current;
    if (k - 1 == n) result = current;
  }
  return result / (2 * sum - current);
}

EW_MATH double jn(int n, double x) {
  double sign = 1;
  if (n < 0) {
    n = -n;
    if (n & 1) sign = -1;
  }
  if (x != x) return x + x;
  if (n == 0) return j0(x);
  if (n == 1) return sign * j1(x);
  const double a = magnitude(x);
  if (x < 0 && (n & 1)) sign = -sign;
  if (a == 0 || is_infinite(a)) return 0;
  if (a < n) {
    // (x/2)^n / n! vanishes long before the recurrence could overflow in one step.
    if (a < 0x1p-400) return 0 * sign;
    return sign * jn_backward(n, a);
  }
  double below = j0(a), current = j1(a);
  for (int k = 1; k < n; ++k) {
    const double above = fma_rn(2.0 * k / a, current, -below);
    below = current;
    current = above;
  }
  return sign * current;
}

EW_MATH double yn(int n, double x) {
  double sign = 1;
  if (n < 0) {
    n = -n;
    if (n & 1) sign = -1;
  }
  if (n == 0) return y0(x);
  if (n == 1) return sign * y1(x);
  if (!(x > 0)) return x == 0 ? sign * -Constant<double>::infinity : x != x ? x + x : not_a_number<double>();
  if (is_infinite(x)) return 0;
  double below = y0(x), current = y1(x);
  for (int k = 1; k < n && !is_infinite(current); ++k) {
    const double above = fma_rn(2.0 * k / x, current, -below);
    below = current;
    current = above;
  }
  return sign * current;
}
EW_MATH float jn(int n, float x) {
  return static_cast<float>(jn(n, static_cast<double>(x)));
}
EW_MATH float yn(int n, float x) {
  return static_cast<float>(yn(n, static_cast<double>(x)));
}

// e^a value, where e^a alone may overflow
template <class T>
EW_MATH T exp_times(T a, T value) {
  if (a > Constant<T>::exp_overflow + 8) return Constant<T>::infinity;
  int n;
  const Pair<T> e = exp_pair(Pair<T>{a, T(0)}, n);
  return scaled(fma_rn(e.hi, value, e.lo * value), n);
}

template <class T>
EW_MATH T cyl_bessel_i0(T x) {
  const T a = magnitude(x);
  if (a < T(8)) return fma_rn(a * a, i0_small(a * a), T(1));
  if (!(a <= Constant<T>::largest)) return a;
  return exp_times(a, i0_large(T(1) / a) / square_root(a));
}
template <class T>
EW_MATH T cyl_bessel_i1(T x) {
  const T a = magnitude(x);
  if (a < T(8)) return x * fma_rn(a * a, i1_small(a * a), T(0.5));
  if (!(a <= Constant<T>::largest)) return x;
  return with_sign(exp_times(a, i1_large(T(1) / a) / square_root(a)), x);
}

}  // namespace everwarp::math
