// Roots, lengths and their reciprocals.
#pragma once

#include "base.cuh"
#include "polynomials.cuh"

namespace everwarp::math {

// 1 / sqrt(s.hi + s.lo), one Newton step on the exact residue. REQUIRES: s.hi normal and far from overflow
template <class T>
EW_MATH T reciprocal_root(Pair<T> s) {
  const T y = T(1) / square_root(s.hi);
  const Pair<T> h = two_product(s.hi, y);
  const T residue = add_rn(fma_rn(-h.hi, y, T(1)), -fma_rn(s.lo, y, h.lo) * y);
  return fma_rn(T(0.5) * y, residue, y);
}

EW_MATH float rsqrt(float x) {
#if defined(__CUDA_ARCH__)
  return __nvvm_rsqrt_approx_f(x);
#else
  return static_cast<float>(1 / square_root(static_cast<double>(x)));
#endif
}
EW_MATH double rsqrt(double x) {
  if (!(x > 0 && x <= Constant<double>::largest))
    return x == 0 ? with_sign(Constant<double>::infinity, x) : x > 0 ? 0.0 : x != x ? x + x : not_a_number<double>();
  if (x < 0x1p-900) return reciprocal_root(Pair<double>{x * 0x1p200, 0.0}) * 0x1p100;
  if (x > 0x1p900) return reciprocal_root(Pair<double>{x * 0x1p-200, 0.0}) * 0x1p-100;
  return reciprocal_root(Pair<double>{x, 0.0});
}

// m^(1/3) for m in [1, 8), as a value good to a few ulp and its residue m - v^3 relative to v^2
template <class T>
EW_MATH T cube_root(T m, T& correction) {
  T y = m < T(2) ? T(1) : m < T(4) ? T(1.259921) : T(1.587401);
  const T f = m < T(2) ? m * T(0.5) : m < T(4) ? m * T(0.25) : m * T(0.125);
  y = cbrt_seed(f) * y * T(1.259921);
  for (int i = 0; i < (sizeof(T) == 4 ? 1 : 2); ++i) {
    const T cube = y * y * y;
    y = y - y * (cube - m) / fma_rn(T(2), cube, m);  // Halley
  }
  const T square = mul_rn(y, y), square_lo = fma_rn(y, y, -square);
  const T cube = mul_rn(square, y), cube_lo = fma_rn(square, y, -cube);
  correction = add_rn(add_rn(m, -cube), -fma_rn(square_lo, y, cube_lo)) / (T(3) * square);
  return y;
}

template <class T>
EW_MATH T cbrt(T x) {
  if (x == 0 || !is_finite(x)) return x + x;
  int e;
  T m = magnitude(normalised(x, e));
  const int third = (e + 3000) / 3 - 1000, rest = e - 3 * third;
  m *= power_of_two<T>(rest);
  T correction;
  const T y = cube_root(m, correction);
  return with_sign((y + correction) * power_of_two<T>(third), x);
}

template <class T>
EW_MATH T rcbrt(T x) {
  if (x == 0 || !is_finite(x)) return x != x ? x + x : T(1) / x;
  int e;
  T m = magnitude(normalised(x, e));
  const int third = (e + 3000) / 3 - 1000, rest = e - 3 * third;
  m *= power_of_two<T>(rest);
  T correction;
  const T y = cube_root(m, correction);
  const T v = T(1) / y;
  return with_sign(fma_rn(add_rn(fma_rn(-v, y, T(1)), -mul_rn(v, correction)), v, v) * power_of_two<T>(-third), x);
}

// Sum of squares of four numbers after scaling the largest to [1, 2); exponent is that of the scale.
template <class T>
EW_MATH Pair<T> sum_of_squares(T a, T b, T c, T d, int& exponent) {
  T big = magnitude(a);
  big = magnitude(b) > big ? magnitude(b) : big;
  big = magnitude(c) > big ? magnitude(c) : big;
  big = magnitude(d) > big ? magnitude(d) : big;
  normalised(big, exponent);
  const int half = -exponent / 2;
  const T s = power_of_two<T>(half), t = power_of_two<T>(-exponent - half);
  a *= s, b *= s, c *= s, d *= s;
  a *= t, b *= t, c *= t, d *= t;
  return add(add(two_product(a, a), two_product(b, b)), add(two_product(c, c), two_product(d, d)));
}

template <class T>
EW_MATH bool norm_is_special(T a, T b, T c, T d, T& result) {
  const bool infinite = is_infinite(a) || is_infinite(b) || is_infinite(c) || is_infinite(d);
  const T sum = magnitude(a) + magnitude(b) + magnitude(c) + magnitude(d);
  result = infinite ? Constant<T>::infinity : sum;
  return infinite || sum != sum || sum == 0;
}

template <class T>
EW_MATH T norm4d(T a, T b, T c, T d) {
  T special;
  if (norm_is_special(a, b, c, d, special)) return special;
  int e;
  const Pair<T> s = sum_of_squares(a, b, c, d, e);
  return load_exponent(square_root(s.hi), e);
}
template <class T>
EW_MATH T rnorm4d(T a, T b, T c, T d) {
  T special;
  if (norm_is_special(a, b, c, d, special)) return T(1) / special;
  int e;
  const Pair<T> s = sum_of_squares(a, b, c, d, e);
  return load_exponent(reciprocal_root(s), -e);
}

template <class T>
EW_MATH T hypot(T x, T y) {
  return norm4d(x, y, T(0), T(0));
}
template <class T>
EW_MATH T rhypot(T x, T y) {
  return rnorm4d(x, y, T(0), T(0));
}
template <class T>
EW_MATH T norm3d(T x, T y, T z) {
  return norm4d(x, y, z, T(0));
}
template <class T>
EW_MATH T rnorm3d(T x, T y, T z) {
  return rnorm4d(x, y, z, T(0));
}

// The length of a vector of any dimension, by scaled accumulation in pairs
template <class T>
EW_MATH Pair<T> sum_of_squares(int n, const T* p, int& exponent, T& special) {
  T big = 0;
  special = 0;
  bool not_number = false, infinite = false;
  for (int i = 0; i < n; ++i) {
    big = magnitude(p[i]) > big ? magnitude(p[i]) : big;
    not_number |= p[i] != p[i];
    infinite |= is_infinite(p[i]);
  }
  special = infinite ? Constant<T>::infinity : not_number ? not_a_number<T>() : T(0);
  if (special != 0 || big == 0) return {T(0), T(0)};
  normalised(big, exponent);
  const int half = -exponent / 2;
  Pair<T> sum{T(0), T(0)};
  for (int i = 0; i < n; ++i) {
    const T v = p[i] * power_of_two<T>(half) * power_of_two<T>(-exponent - half);
    sum = add(sum, two_product(v, v));
  }
  return sum;
}
template <class T>
EW_MATH T norm(int n, const T* p) {
  int e = 0;
  T special;
  const Pair<T> s = sum_of_squares(n, p, e, special);
  return s.hi == 0 ? special : load_exponent(square_root(s.hi), e);
}
template <class T>
EW_MATH T rnorm(int n, const T* p) {
  int e = 0;
  T special;
  const Pair<T> s = sum_of_squares(n, p, e, special);
  return s.hi == 0 ? T(1) / special : load_exponent(reciprocal_root(s), -e);
}

}  // namespace everwarp::math
