// Exact values, to 113 bits, of what libquadmath lacks. libquadmath's functions are declared here, as its header is
// gcc's.
#pragma once

using Quad = __float128;

extern "C" {
#define EW_QUAD_1(name) Quad name(Quad) noexcept
#define EW_QUAD_2(name) Quad name(Quad, Quad) noexcept
EW_QUAD_1(sinq);
EW_QUAD_1(cosq);
EW_QUAD_1(tanq);
EW_QUAD_1(asinq);
EW_QUAD_1(acosq);
EW_QUAD_1(atanq);
EW_QUAD_1(sinhq);
EW_QUAD_1(coshq);
EW_QUAD_1(tanhq);
EW_QUAD_1(asinhq);
EW_QUAD_1(acoshq);
EW_QUAD_1(atanhq);
EW_QUAD_1(expq);
EW_QUAD_1(exp2q);
EW_QUAD_1(expm1q);
EW_QUAD_1(logq);
EW_QUAD_1(log2q);
EW_QUAD_1(log10q);
EW_QUAD_1(log1pq);
EW_QUAD_1(sqrtq);
EW_QUAD_1(cbrtq);
EW_QUAD_1(roundq);
EW_QUAD_1(rintq);
EW_QUAD_1(truncq);
EW_QUAD_1(floorq);
EW_QUAD_1(ceilq);
EW_QUAD_1(logbq);
EW_QUAD_1(fabsq);
EW_QUAD_1(erfq);
EW_QUAD_1(erfcq);
EW_QUAD_1(lgammaq);
EW_QUAD_1(tgammaq);
EW_QUAD_1(j0q);
EW_QUAD_1(j1q);
EW_QUAD_1(y0q);
EW_QUAD_1(y1q);
EW_QUAD_2(atan2q);
EW_QUAD_2(powq);
EW_QUAD_2(hypotq);
EW_QUAD_2(fmodq);
EW_QUAD_2(remainderq);
EW_QUAD_2(fdimq);
EW_QUAD_2(fminq);
EW_QUAD_2(fmaxq);
EW_QUAD_2(copysignq);
#undef EW_QUAD_1
#undef EW_QUAD_2
Quad fmaq(Quad, Quad, Quad) noexcept;
Quad ldexpq(Quad, int) noexcept;
Quad jnq(int, Quad) noexcept;
Quad ynq(int, Quad) noexcept;
}

namespace accuracy {

inline Quad pi() {
  return 4 * atanq(1);
}

inline Quad sin_pi(Quad x) {
  static const Quad half_turn = pi();
  const Quad n = rintq(2 * x), f = (x - n / 2) * half_turn;
  if (n != n || x - x != 0) return x - x;
  const int quadrant = static_cast<int>(fmodq(n, 4)) & 3;
  if (n / 2 == x && !(quadrant & 1)) return 0 * x;
  const Quad v = quadrant & 1 ? cosq(f) : sinq(f);
  return quadrant & 2 ? -v : v;
}
inline Quad cos_pi(Quad x) {
  static const Quad half_turn = pi();
  const Quad n = rintq(2 * x), f = (x - n / 2) * half_turn;
  if (n != n || x - x != 0) return x - x;
  const int quadrant = static_cast<int>(fmodq(n, 4)) & 3;
  const Quad v = quadrant & 1 ? sinq(f) : cosq(f);
  return quadrant == 1 || quadrant == 2 ? -v : v;
}

inline Quad length(Quad x, Quad y, Quad z, Quad w) {
  const Quad infinity = __builtin_inf();
  for (Quad v : {x, y, z, w})
    if (fabsq(v) == infinity) return infinity;
  return sqrtq(x * x + y * y + z * z + w * w);
}

inline Quad infinity() {
  return __builtin_inf();
}

inline Quad erfcx(Quad x) {
  if (x < 60) return expq(x * x) * erfcq(x);
  Quad term = 1, sum = 1;
  for (int k = 1; k < 30; ++k) sum += term *= -(2 * k - 1) / (2 * x * x);
  return sum / (x * sqrtq(pi()));
}

// v with erfc(v) = y for 0 < y <= 1/2, by Newton on the logarithm
inline Quad erfcinv_tail(Quad y) {
  Quad v = sqrtq(-logq(y * (2 - y))) - Quad(1) / 4;
  if (v < 0.3) v = 0.3;
  const Quad half_sqrt_pi = sqrtq(pi()) / 2;
  for (int i = 0; i < 40; ++i) {
    const Quad scaled = erfcx(v), step = logq(scaled / y) - v * v;
    v += step * scaled * half_sqrt_pi;
    if (fabsq(step) < 1e-30) break;
  }
  return v;
}
inline Quad erfinv(Quad x) {
  const Quad a = fabsq(x);
  if (!(a < 1)) return a == 1 ? x * infinity() : (x - x) / (x - x);
  if (a > 0.5) return copysignq(erfcinv_tail(1 - a), x);
  const Quad half_sqrt_pi = sqrtq(pi()) / 2;
  Quad v = x * half_sqrt_pi;
  for (int i = 0; i < 8 && x != 0; ++i) {
    const Quad e = (erfq(v) - x) * half_sqrt_pi * expq(v * v);
    v -= e / (1 + v * e);
    if (fabsq(e) < 1e-12 * fabsq(v)) break;  // cubic convergence
  }
  return v;
}
inline Quad erfcinv(Quad y) {
  if (!(y >= 0 && y <= 2)) return (y - y) / (y - y);
  if (y == 0 || y == 2) return y == 0 ? infinity() : -infinity();
  if (y < 0.5) return erfcinv_tail(y);
  return y > 1.5 ? -erfcinv_tail(2 - y) : erfinv(1 - y);
}
inline Quad normcdf(Quad x) {
  return erfcq(-x / sqrtq(2)) / 2;
}
inline Quad normcdfinv(Quad p) {
  return -sqrtq(2) * erfcinv(2 * p);
}

inline Quad tgamma(Quad x) {
  return x == -infinity() || (x < 0 && truncq(x) == x) ? infinity() - infinity() : tgammaq(x);
}
inline Quad lgamma(Quad x) {
  return fabsq(x) == infinity() || (x <= 0 && truncq(x) == x) ? infinity() : lgammaq(x);
}

inline Quad bessel_i(int order, Quad x) {
  const Quad a = fabsq(x);
  if (a > 12000 || a != a) return order ? x * infinity() : a * infinity();
  Quad term = 1, sum = 1, result;
  if (a > 100) {
    const int mu = 4 * order * order;
    for (int k = 1; k < 60; ++k) sum += term *= -Quad(mu - (2 * k - 1) * (2 * k - 1)) / (8 * k * a);
    result = expq(a) * sum / sqrtq(2 * pi() * a);
  } else {
    term = sum = order ? a / 2 : Quad(1);
    for (int k = 1; k < 400 && term > sum * 1e-36; ++k) sum += term *= a * a / 4 / k / (k + order);
    result = sum;
  }
  return order ? copysignq(result, x) : result;
}

}  // namespace accuracy
