// Circular functions and their inverses.
#pragma once

#include "polynomials.cuh"

namespace everwarp::math {

// 2/pi to 1280 binary places, with one word of zeros before the binary point.
EW_MATH unsigned long long two_over_pi_word(int i) {
  constexpr unsigned long long words[21] = {0,
                                            0xa2f9836e4e441529ull,
                                            0xfc2757d1f534ddc0ull,
                                            0xdb6295993c439041ull,
                                            0xfe5163abdebbc561ull,
                                            0xb7246e3a424dd2e0ull,
                                            0x06492eea09d1921cull,
                                            0xfe1deb1cb129a73eull,
                                            0xe88235f52ebb4484ull,
                                            0xe99c7026b45f7e41ull,
                                            0x3991d639835339f4ull,
                                            0x9c845f8bbdf9283bull,
                                            0x1ff897ffde05980full,
                                            0xef2f118b5a0a6d1full,
                                            0x6d367ecf27cb09b7ull,
                                            0x4f463f669e5fea2dull,
                                            0x7527bac7ebe5f17bull,
                                            0x3d0739f78a5292eaull,
                                            0x6bfb5fb11f8d5d08ull,
                                            0x56033046fc7b6babull,
                                            0xf0cfbc209af4361dull};
  return words[i];
}

// 64 places of 2/pi from the given one, counted from the point's left word
EW_MATH unsigned long long two_over_pi_bits(int place) {
  const int word = place >> 6, shift = place & 63;
  const unsigned long long high = two_over_pi_word(word);
  return shift == 0 ? high : (high << shift) | (two_over_pi_word(word + 1) >> (64 - shift));
}

template <class T>
struct Reduced {
  T hi, lo;
  int quadrant;
};

// Payne and Hanek's reduction: x 2/pi modulo 4, from those places of 2/pi that matter, as quadrant + fraction in
// [-1/2, 1/2). It is long and rarely used. So it is a function of its own, and not inlined into every kernel with a sin.
EW_MATH __attribute__((noinline)) Reduced<double> reduce_large(double x) {
  using C = Constant<double>;
  const unsigned long long b = bits_of(x);
  const int e = static_cast<int>((b >> 52) & 2047) - 1075;  // |x| = m 2^e
  const unsigned long long m = (b & 0xfffffffffffffull) | 0x10000000000000ull;
  const int place = e - 2 + 64;
  const unsigned long long w0 = two_over_pi_bits(place), w1 = two_over_pi_bits(place + 64),
                           w2 = two_over_pi_bits(place + 128);
  unsigned __int128 p = (static_cast<unsigned __int128>(m) * w2 >> 64) + static_cast<unsigned __int128>(m) * w1;
  const unsigned long long low = static_cast<unsigned long long>(p);
  const unsigned long long top = static_cast<unsigned long long>(p >> 64) + m * w0;
  int quadrant = static_cast<int>(top >> 62);
  unsigned long long f1 = (top << 2) | (low >> 62), f0 = low << 2;
  const bool negative = f1 >> 63;
  if (negative) {
    ++quadrant;
    f0 = ~f0;
    f1 = ~f1;
  }
  const int zeros = f1 ? __builtin_clzll(f1) : 63;
  if (zeros) {
    f1 = (f1 << zeros) | (f0 >> (64 - zeros));
    f0 <<= zeros;
  }
  double hi = static_cast<double>(f1 >> 11) * power_of_two<double>(-53 - zeros);
  double lo = static_cast<double>((f1 << 53 | f0 >> 11) >> 11) * power_of_two<double>(-106 - zeros);
  if (negative != (x < 0)) hi = -hi, lo = -lo;
  const Pair<double> r = multiply(Pair<double>{hi, lo}, Pair<double>{C::half_pi, C::half_pi_lo});
  return {r.hi, r.lo, x < 0 ? -quadrant : quadrant};
}

EW_MATH __attribute__((noinline)) Reduced<float> reduce_large(float x) {
  const unsigned b = bits_of(x);
  const int e = static_cast<int>((b >> 23) & 255) - 150;
  const unsigned long long m = (b & 0x7fffffu) | 0x800000u;
  const int place = e - 2 + 64;
  const unsigned long long w0 = two_over_pi_bits(place), w1 = two_over_pi_bits(place + 64);
  const unsigned __int128 p = static_cast<unsigned __int128>(m) * w1;
  const unsigned long long top = static_cast<unsigned long long>(p >> 64) + m * w0;
  int quadrant = static_cast<int>(top >> 62);
  const long long fraction = static_cast<long long>((top << 2) | (static_cast<unsigned long long>(p) >> 62));
  if (fraction < 0) ++quadrant;
  double r = static_cast<double>(fraction) * 0x1.921fb54442d18p-64;  // pi / 2 by 2^-64
  if (x < 0) {
    r = -r;
    quadrant = -quadrant;
  }
  const float hi = static_cast<float>(r);
  return {hi, static_cast<float>(r - hi), quadrant};
}

// x = quadrant pi/2 + hi + lo, |hi| <= pi/4 and a little. The first step is exact: its result has no bits below pi's.
template <class T>
EW_MATH Reduced<T> reduce_quadrant(T x) {
  using C = Constant<T>;
  if (magnitude(x) > (sizeof(T) == 4 ? T(65536) : T(0x1p28))) return reduce_large(x);
  const T n = add_rn(nearest(x * C::two_over_pi), T(0));  // never -0, so that a zero keeps its sign below
  const T a = fma_rn(n, -C::half_pi, x);
  const Pair<T> w = two_product(n, -C::half_pi_lo);
  const Pair<T> s = two_sum(a, w.hi);
  return {s.hi, fma_rn(n, -C::half_pi_lo2, add_rn(s.lo, w.lo)), static_cast<int>(n)};
}

template <class T>
EW_MATH Pair<T> sin_reduced(T r, T lo) {
  const T z = mul_rn(r, r);
  return {r, fma_rn(mul_rn(r, z), sin_tail(z), fma_rn(T(-0.5) * z, lo, lo))};
}
template <class T>
EW_MATH Pair<T> cos_reduced(T r, T lo) {
  const T z = mul_rn(r, r), h = T(0.5) * z, w = add_rn(T(1), -h);
  return {w, add_rn(add_rn(add_rn(T(1), -w), -h), fma_rn(mul_rn(z, z), cos_tail(z), -mul_rn(r, lo)))};
}

template <class T>
EW_MATH T quadrant_value(T r, T lo, int quadrant) {
  const Pair<T> p = quadrant & 1 ? cos_reduced(r, lo) : sin_reduced(r, lo);
  const T v = p.hi + p.lo;
  return quadrant & 2 ? -v : v;
}

template <class T>
EW_MATH T sin(T x) {
  if (!is_finite(x)) return not_a_number<T>();
  if (x == 0) return x;
  const Reduced<T> r = reduce_quadrant(x);
  return quadrant_value(r.hi, r.lo, r.quadrant);
}
template <class T>
EW_MATH T cos(T x) {
  if (!is_finite(x)) return not_a_number<T>();
  const Reduced<T> r = reduce_quadrant(x);
  return quadrant_value(r.hi, r.lo, r.quadrant + 1);
}

template <class T>
EW_MATH void sincos_reduced(T r, T lo, int quadrant, T& sine, T& cosine) {
  const Pair<T> a = sin_reduced(r, lo), b = cos_reduced(r, lo);
  const T s = a.hi + a.lo, c = b.hi + b.lo;
  sine = quadrant & 1 ? c : s;
  cosine = quadrant & 1 ? s : c;
  if (quadrant & 2) sine = -sine;
  if ((quadrant + 1) & 2) cosine = -cosine;
}

template <class T>
EW_MATH void sincos(T x, T& sine, T& cosine) {
  if (!is_finite(x)) {
    sine = cosine = not_a_number<T>();
    return;
  }
  const Reduced<T> r = reduce_quadrant(x);
  sincos_reduced(r.hi, r.lo, r.quadrant, sine, cosine);
  if (x == 0) sine = x;
}

template <class T>
EW_MATH T tan(T x) {
  if (!is_finite(x)) return not_a_number<T>();
  if (x == 0) return x;
  const Reduced<T> r = reduce_quadrant(x);
  Pair<T> s = sin_reduced(r.hi, r.lo), c = cos_reduced(r.hi, r.lo);
  s = fast_two_sum(s.hi, s.lo);
  c = fast_two_sum(c.hi, c.lo);
  if (r.quadrant & 1) {
    const Pair<T> t = s;
    s = {-c.hi, -c.lo};
    c = t;
  }
  const T q = s.hi / c.hi;
  return q + add_rn(fma_rn(-q, c.hi, s.hi), fma_rn(-q, c.lo, s.lo)) / c.hi;
}

// x pi = quadrant pi/2 + hi + lo; exact but for the product with pi
template <class T>
EW_MATH Reduced<T> reduce_pi(T x) {
  using C = Constant<T>;
  if (magnitude(x) >= power_of_two<T>(Format<T>::mantissa + 1)) return {T(0), T(0), 0};
  const T n = nearest(T(2) * x), f = fma_rn(T(-0.5), n, x);
  const T r = mul_rn(f, C::pi);
  return {r, fma_rn(f, C::pi_lo, fma_rn(f, C::pi, -r)), static_cast<int>(static_cast<long long>(n) & 3)};
}

template <class T>
EW_MATH T sinpi(T x) {
  if (!is_finite(x)) return not_a_number<T>();
  if (truncated(x) == x) return x * T(0);
  const Reduced<T> r = reduce_pi(x);
  return quadrant_value(r.hi, r.lo, r.quadrant);
}
template <class T>
EW_MATH T cospi(T x) {
  if (!is_finite(x)) return not_a_number<T>();
  const Reduced<T> r = reduce_pi(x);
  const T v = quadrant_value(r.hi, r.lo, r.quadrant + 1);
  return v == 0 ? T(0) : v;
}
template <class T>
EW_MATH void sincospi(T x, T& sine, T& cosine) {
  sine = sinpi(x);
  cosine = cospi(x);
}

// quarters pi/2 + direction atan(q + q_lo), for 0 <= q <= 1 and direction 1 or -1
template <class T>
EW_MATH T atan_from(int quarters, T direction, T q, T q_lo) {
  using C = Constant<T>;
  T base = static_cast<T>(quarters) * C::half_pi, base_lo = static_cast<T>(quarters) * C::half_pi_lo;
  if (q > T(0.4142)) {  // pi/4 + atan((q - 1) / (q + 1))
    const Pair<T> turned = two_sum(base, direction * (C::half_pi / 2));
    base = turned.hi;
    base_lo = add_rn(turned.lo, fma_rn(direction, C::half_pi_lo / 2, base_lo));
    const Pair<T> n = two_sum(add_rn(q, T(-1)), q_lo), d = fast_two_sum(T(1), q);
    const T t = n.hi / d.hi;
    q_lo = add_rn(fma_rn(-t, d.hi, n.hi), fma_rn(-t, add_rn(d.lo, q_lo), n.lo)) / d.hi;
    q = t;
  }
  const T z = mul_rn(q, q);
  const T tail = fma_rn(mul_rn(q, z), atan_tail(z), fma_rn(-z, q_lo, q_lo));
  const Pair<T> s = two_sum(base, direction * q);
  return s.hi + (s.lo + fma_rn(direction, tail, base_lo));
}

template <class T>
EW_MATH T atan(T x) {
  const T a = magnitude(x), sign = with_sign(T(1), x);
  if (a <= T(1)) {
    if (a < power_of_two<T>(-Format<T>::mantissa / 2 - 2)) return x;
    return sign * atan_from(0, T(1), a, T(0));
  }
  if (x != x) return x + x;
  if (a > power_of_two<T>(Format<T>::mantissa + 10)) return sign * Constant<T>::half_pi;
  const T q = T(1) / a;
  return sign * atan_from(1, T(-1), q, fma_rn(-q, a, T(1)) / a);
}

template <class T>
EW_MATH T atan2(T y, T x) {
  using C = Constant<T>;
  if (x != x || y != y) return x + y;
  T ax = magnitude(x), ay = magnitude(y);
  const T sign = with_sign(T(1), y);
  const bool left = with_sign(T(1), x) < 0;
  if (ay == 0) return left ? sign * C::pi : y;
  if (ax == 0) return sign * C::half_pi;
  if (is_infinite(ax) || is_infinite(ay)) {
    if (ax != ay) return ay > ax ? sign * C::half_pi : left ? sign * C::pi : sign * T(0);
    return sign * (left ? C::pi * T(0.75) : C::half_pi * T(0.5));
  }
  const bool steep = ay > ax;
  T big = steep ? ay : ax, small = steep ? ax : ay;
  const T up = power_of_two<T>(Format<T>::mantissa * 2), edge = power_of_two<T>(Format<T>::largest_exponent - 1);
  if (big < T(1) / edge * up) big *= up, small *= up;
  if (big > edge) big *= T(0.25), small *= T(0.25);
  const T q = small / big;
  const T rest =
      q > Constant<T>::smallest_normal / power_of_two<T>(-Format<T>::mantissa) ? fma_rn(-q, big, small) / big : T(0);
  if (!left && !steep && q < power_of_two<T>(-Format<T>::mantissa / 2 - 2)) return sign * q;
  return sign * atan_from(steep ? 1 : left ? 2 : 0, left == steep ? T(1) : T(-1), q, rest);
}

// asin(s + s_lo) for 0 <= s <= 0.5, without its leading s
template <class T>
EW_MATH T asin_rest(T s, T s_lo) {
  const T z = mul_rn(s, s);
  return fma_rn(mul_rn(s, z), asin_tail(z), s_lo);
}

// sqrt((1 - a) / 2) as a pair, for 0.5 <= a <= 1
template <class T>
EW_MATH Pair<T> half_chord(T a) {
  const T z = fma_rn(T(-0.5), a, T(0.5)), s = square_root(z);
  if (s == 0) return {T(0), T(0)};
  return {s, fma_rn(-s, s, z) / (T(2) * s)};
}

template <class T>
EW_MATH T asin(T x) {
  using C = Constant<T>;
  const T a = magnitude(x);
  if (a <= T(0.5)) return x + with_sign(asin_rest(a, T(0)), x);
  if (!(a <= T(1))) return x != x ? x + x : not_a_number<T>();
  const Pair<T> s = half_chord(a);
  const Pair<T> d = two_sum(C::half_pi, T(-2) * s.hi);
  return with_sign(d.hi + (d.lo + fma_rn(T(-2), asin_rest(s.hi, s.lo), C::half_pi_lo)), x);
}

template <class T>
EW_MATH T acos(T x) {
  using C = Constant<T>;
  const T a = magnitude(x);
  if (a <= T(0.5)) {
    const Pair<T> d = two_sum(C::half_pi, -x);
    return d.hi + (d.lo + (C::half_pi_lo - with_sign(asin_rest(a, T(0)), x)));
  }
  if (!(a <= T(1))) return x != x ? x + x : not_a_number<T>();
  const Pair<T> s = half_chord(a);
  const T rest = asin_rest(s.hi, s.lo);
  if (x > 0) return T(2) * (s.hi + rest);
  const Pair<T> d = two_sum(C::pi, T(-2) * s.hi);
  return d.hi + (d.lo + fma_rn(T(-2), rest, C::pi_lo));
}

}  // namespace everwarp::math
