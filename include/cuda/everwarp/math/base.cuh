// The basis of the device math functions: number formats, exactly rounded primitives, unevaluated pairs, scaling.
// Everything in everwarp/math also compiles as ordinary C++ for the host. Its error is first measured there.
#pragma once

#if defined(__CUDA__)
#define EW_MATH __attribute__((host)) __attribute__((device)) __attribute__((nodebug)) inline
#else
#define EW_MATH inline
#endif

namespace everwarp::math {

template <class T>
struct Format;

template <>
struct Format<float> {
  using Bits = unsigned;
  using Signed = int;
  static constexpr int mantissa = 23, bias = 127, largest_exponent = 127;
};

template <>
struct Format<double> {
  using Bits = unsigned long long;
  using Signed = long long;
  static constexpr int mantissa = 52, bias = 1023, largest_exponent = 1023;
};

template <class T>
struct Constant;

template <>
struct Constant<float> {
  static constexpr float ln2 = 0x1.62e430p-1f, ln2_lo = -0x1.05c610p-29f;
  static constexpr float log2e = 0x1.715476p+0f, log2e_lo = 0x1.4ae0c0p-26f;
  static constexpr float log10e = 0x1.bcb7b2p-2f, log10e_lo = -0x1.5b235ep-27f;
  static constexpr float ln10 = 0x1.26bb1cp+1f, ln10_lo = -0x1.12aabap-25f;
  static constexpr float log10_2 = 0x1.344136p-2f, log10_2_lo = -0x1.ec10c0p-27f;
  static constexpr float log2_10 = 0x1.a934f0p+1f;
  static constexpr float pi = 0x1.921fb6p+1f, pi_lo = -0x1.777a5cp-24f;
  static constexpr float half_pi = 0x1.921fb6p+0f, half_pi_lo = -0x1.777a5cp-25f, half_pi_lo2 = -0x1.ee59dap-50f;
  static constexpr float two_over_pi = 0x1.45f306p-1f;
  static constexpr float two_thirds = 0x1.555556p-1f, two_thirds_lo = -0x1.555556p-26f;
  static constexpr float half_log_2pi = 0x1.d67f1cp-1f, half_log_2pi_lo = 0x1.0c97d6p-26f;
  static constexpr float log_pi = 0x1.250d04p+0f, log_pi_lo = 0x1.1cf438p-25f;
  static constexpr float sqrt2 = 0x1.6a09e6p+0f, sqrt_half = 0x1.6a09e6p-1f, sqrt_half_lo = 0x1.9fcef4p-27f;
  static constexpr float two_over_sqrt_pi = 0x1.20dd76p+0f, sqrt_two_over_pi = 0x1.988454p-1f;
  static constexpr float infinity = __builtin_inff();
  static constexpr float smallest_normal = 0x1p-126f, largest = 0x1.fffffep+127f;
  static constexpr float exp_overflow = 0x1.62e430p+6f, exp_underflow = -104.0f;  // e^x = inf above, 0 below
};

template <>
struct Constant<double> {
  static constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_lo = 0x1.abc9e3b39803fp-56;
  static constexpr double log2e = 0x1.71547652b82fep+0, log2e_lo = 0x1.777d0ffda0d24p-56;
  static constexpr double log10e = 0x1.bcb7b1526e50ep-2, log10e_lo = 0x1.95355baaafad3p-57;
  static constexpr double ln10 = 0x1.26bb1bbb55516p+1, ln10_lo = -0x1.f48ad494ea3e9p-53;
  static constexpr double log10_2 = 0x1.34413509f79ffp-2, log10_2_lo = -0x1.9dc1da994fd21p-59;
  static constexpr double log2_10 = 0x1.a934f0979a371p+1;
  static constexpr double pi = 0x1.921fb54442d18p+1, pi_lo = 0x1.1a62633145c07p-53;
  static constexpr double half_pi = 0x1.921fb54442d18p+0, half_pi_lo = 0x1.1a62633145c07p-54,
                          half_pi_lo2 = -0x1.f1976b7ed8fbcp-110;
  static constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  static constexpr double two_thirds = 0x1.5555555555555p-1, two_thirds_lo = 0x1.5555555555555p-55;
  static constexpr double half_log_2pi = 0x1.d67f1c864beb5p-1, half_log_2pi_lo = -0x1.65b5a1b7ff5dfp-55;
  static constexpr double log_pi = 0x1.250d048e7a1bdp+0, log_pi_lo = 0x1.7abf2ad8d5088p-57;
  static constexpr double sqrt2 = 0x1.6a09e667f3bcdp+0, sqrt_half = 0x1.6a09e667f3bcdp-1,
                          sqrt_half_lo = -0x1.bdd3413b26456p-55;
  static constexpr double two_over_sqrt_pi = 0x1.20dd750429b6dp+0, sqrt_two_over_pi = 0x1.9884533d43651p-1;
  static constexpr double infinity = __builtin_inf();
  static constexpr double smallest_normal = 0x1p-1022, largest = 0x1.fffffffffffffp+1023;
  static constexpr double exp_overflow = 0x1.62e42fefa39efp+9, exp_underflow = -745.5;
};

EW_MATH float fma_rn(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
EW_MATH double fma_rn(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

// A product and a sum that no compiler flag can contract or reassociate.
#if defined(__CUDA_ARCH__)
EW_MATH float mul_rn(float a, float b) {
  return __nvvm_mul_rn_f(a, b);
}
EW_MATH double mul_rn(double a, double b) {
  return __nvvm_mul_rn_d(a, b);
}
EW_MATH float add_rn(float a, float b) {
  return __nvvm_add_rn_f(a, b);
}
EW_MATH double add_rn(double a, double b) {
  return __nvvm_add_rn_d(a, b);
}
#else
EW_MATH float mul_rn(float a, float b) {
  return a * b;
}
EW_MATH double mul_rn(double a, double b) {
  return a * b;
}
EW_MATH float add_rn(float a, float b) {
  return a + b;
}
EW_MATH double add_rn(double a, double b) {
  return a + b;
}
#endif

EW_MATH float square_root(float x) {
  return __builtin_sqrtf(x);
}
EW_MATH double square_root(double x) {
  return __builtin_sqrt(x);
}
EW_MATH float nearest(float x) {
  return __builtin_rintf(x);
}
EW_MATH double nearest(double x) {
  return __builtin_rint(x);
}
EW_MATH float truncated(float x) {
  return __builtin_truncf(x);
}
EW_MATH double truncated(double x) {
  return __builtin_trunc(x);
}
EW_MATH float floored(float x) {
  return __builtin_floorf(x);
}
EW_MATH double floored(double x) {
  return __builtin_floor(x);
}
EW_MATH float magnitude(float x) {
  return __builtin_fabsf(x);
}
EW_MATH double magnitude(double x) {
  return __builtin_fabs(x);
}
EW_MATH float with_sign(float x, float s) {
  return __builtin_copysignf(x, s);
}
EW_MATH double with_sign(double x, double s) {
  return __builtin_copysign(x, s);
}

EW_MATH unsigned bits_of(float x) {
  return __builtin_bit_cast(unsigned, x);
}
EW_MATH unsigned long long bits_of(double x) {
  return __builtin_bit_cast(unsigned long long, x);
}
EW_MATH float from_bits(unsigned b) {
  return __builtin_bit_cast(float, b);
}
EW_MATH double from_bits(unsigned long long b) {
  return __builtin_bit_cast(double, b);
}

template <class T>
EW_MATH bool is_nan(T x) {
  return (bits_of(x) << 1) > (bits_of(Constant<T>::infinity) << 1);
}
template <class T>
EW_MATH bool is_infinite(T x) {
  return (bits_of(x) << 1) == (bits_of(Constant<T>::infinity) << 1);
}
template <class T>
EW_MATH bool is_finite(T x) {
  return (bits_of(x) << 1) < (bits_of(Constant<T>::infinity) << 1);
}
template <class T>
EW_MATH T not_a_number() {
  return from_bits(static_cast<typename Format<T>::Bits>(bits_of(Constant<T>::infinity) | (bits_of(T(1)) >> 1)));
}

// An unevaluated sum hi + lo. |lo| is at most ulp(hi) / 2, or a little more.
template <class T>
struct Pair {
  T hi, lo;
};

template <class T>
EW_MATH Pair<T> fast_two_sum(T a, T b) {  // REQUIRES: a == 0 or |a| >= |b|
  const T s = add_rn(a, b);
  return {s, add_rn(b, -add_rn(s, -a))};
}
template <class T>
EW_MATH Pair<T> two_sum(T a, T b) {
  const T s = add_rn(a, b), bb = add_rn(s, -a);
  return {s, add_rn(add_rn(a, -add_rn(s, -bb)), add_rn(b, -bb))};
}
template <class T>
EW_MATH Pair<T> two_product(T a, T b) {
  const T p = mul_rn(a, b);
  return {p, fma_rn(a, b, -p)};
}
template <class T>
EW_MATH Pair<T> multiply(Pair<T> a, Pair<T> b) {
  const Pair<T> p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, fma_rn(a.hi, b.lo, fma_rn(a.lo, b.hi, p.lo)));
}
template <class T>
EW_MATH Pair<T> multiply(Pair<T> a, T b) {
  const Pair<T> p = two_product(a.hi, b);
  return fast_two_sum(p.hi, fma_rn(a.lo, b, p.lo));
}
template <class T>
EW_MATH Pair<T> add(Pair<T> a, Pair<T> b) {
  const Pair<T> s = two_sum(a.hi, b.hi);
  return fast_two_sum(s.hi, add_rn(s.lo, add_rn(a.lo, b.lo)));
}
template <class T>
EW_MATH Pair<T> divide(Pair<T> a, Pair<T> b) {
  const T q = a.hi / b.hi;
  const T rest = add_rn(fma_rn(-q, b.hi, a.hi), fma_rn(-q, b.lo, a.lo));
  return fast_two_sum(q, rest / b.hi);
}
template <class T>
EW_MATH Pair<T> square_root(Pair<T> a) {
  const T s = square_root(a.hi);
  if (s == 0) return {s, 0};
  return fast_two_sum(s, add_rn(fma_rn(-s, s, a.hi), a.lo) / (2 * s));
}

template <class T>
EW_MATH T power_of_two(int n) {  // REQUIRES: 2^n is normal
  return from_bits(static_cast<typename Format<T>::Bits>(n + Format<T>::bias) << Format<T>::mantissa);
}

// x 2^n with one rounding. REQUIRES: |x| in [2^-2, 2^2], and 2^(n/2) normal.
template <class T>
EW_MATH T scaled(T x, int n) {
  const int half = n >> 1;
  return x * power_of_two<T>(half) * power_of_two<T>(n - half);
}

// x = m 2^exponent with 1 <= |m| < 2. REQUIRES: x finite, not zero.
template <class T>
EW_MATH T normalised(T x, int& exponent) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  int shift = 0;
  if (magnitude(x) < Constant<T>::smallest_normal) {
    shift = F::mantissa + 2;
    x *= power_of_two<T>(F::mantissa + 2);
  }
  const Bits b = bits_of(x);
  const Bits field = Bits(2 * F::largest_exponent + 1) << F::mantissa;
  exponent = static_cast<int>((b & field) >> F::mantissa) - F::bias - shift;
  return from_bits(static_cast<Bits>((b & ~field) | bits_of(T(1))));
}

// x 2^n for any x and n, rounded once.
template <class T>
EW_MATH T load_exponent(T x, int n) {
  using F = Format<T>;
  if (x == 0 || !is_finite(x)) return x;
  int e;
  const T m = normalised(x, e);
  n = n > 5000 ? 5000 : n < -5000 ? -5000 : n;
  e += n;
  if (e > F::largest_exponent) return with_sign(Constant<T>::infinity, x);
  if (e >= 1 - F::bias) return m * power_of_two<T>(e);
  if (e < -F::bias - F::mantissa - 2) return with_sign(T(0), x);
  return m * power_of_two<T>(e + F::mantissa + 2) * power_of_two<T>(-F::mantissa - 2);
}

}  // namespace everwarp::math
