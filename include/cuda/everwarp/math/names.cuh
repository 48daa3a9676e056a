// CUDA's names: NAME(double), NAMEf(float), and the C++ overloads for float and for integers. The bodies are in the other
// files.
#pragma once

// NAME(double) and NAMEf(float) have C linkage, so that a compiler builtin of that name finds them too.
#define EW_UNARY_FAST(name, fast)                     \
  EW_MATH_C double name(double x) {                   \
    return everwarp::math::name(x);                   \
  }                                                   \
  EW_MATH_C float name##f(float x) {                  \
    return EW_FAST(fast(x), everwarp::math::name(x)); \
  }                                                   \
  EW_OVERLOADS_1(name)
#define EW_UNARY(name) EW_UNARY_FAST(name, everwarp::math::name)
// If the host has no function of this name, this one is for the host too.
#define EW_UNARY_BOTH(name)                        \
  extern "C" EW_MATH double name(double x) {       \
    return everwarp::math::name(x);                \
  }                                                \
  extern "C" EW_MATH float name##f(float x) {      \
    return everwarp::math::name(x);                \
  }                                                \
  EW_MATH float name(float x) {                    \
    return everwarp::math::name(x);                \
  }                                                \
  template <class T>                               \
  EW_MATH everwarp::math::IfInteger<T> name(T x) { \
    return name(static_cast<double>(x));           \
  }
#define EW_OVERLOADS_1(name)                           \
  EW_MATH_CPP float name(float x) {                    \
    return name##f(x);                                 \
  }                                                    \
  template <class T>                                   \
  EW_MATH_CPP everwarp::math::IfInteger<T> name(T x) { \
    return name(static_cast<double>(x));               \
  }
#define EW_BUILTIN_1(name, builtin)   \
  EW_MATH_C double name(double x) {   \
    return __builtin_##builtin(x);    \
  }                                   \
  EW_MATH_C float name##f(float x) {  \
    return __builtin_##builtin##f(x); \
  }                                   \
  EW_OVERLOADS_1(name)
#define EW_BINARY_FAST(name, fast)                          \
  EW_MATH_C double name(double x, double y) {               \
    return everwarp::math::name(x, y);                      \
  }                                                         \
  EW_MATH_C float name##f(float x, float y) {               \
    return EW_FAST(fast(x, y), everwarp::math::name(x, y)); \
  }                                                         \
  EW_OVERLOADS_2(name)
#define EW_BINARY(name) EW_BINARY_FAST(name, everwarp::math::name)
#define EW_OVERLOADS_2(name)                                     \
  EW_MATH_CPP float name(float x, float y) {                     \
    return name##f(x, y);                                        \
  }                                                              \
  template <class A, class B>                                    \
  EW_MATH_CPP everwarp::math::IfMixed<A, B> name(A x, B y) {     \
    return name(static_cast<double>(x), static_cast<double>(y)); \
  }

EW_UNARY_FAST(sin, __sinf)
EW_UNARY_FAST(cos, __cosf)
EW_UNARY_FAST(tan, __tanf)
EW_UNARY(asin)
EW_UNARY(acos)
EW_UNARY(atan)
EW_UNARY_BOTH(sinpi)
EW_UNARY_BOTH(cospi)
EW_UNARY(sinh)
EW_UNARY(cosh)
EW_UNARY(tanh)
EW_UNARY(asinh)
EW_UNARY(acosh)
EW_UNARY(atanh)
EW_UNARY_FAST(exp, __expf)
EW_UNARY_FAST(exp10, __exp10f)
EW_UNARY_FAST(exp2, __exp2f)
EW_UNARY(expm1)
EW_UNARY_FAST(log, __logf)
EW_UNARY_FAST(log2, __log2f)
EW_UNARY_FAST(log10, __log10f)
EW_UNARY(log1p)
EW_UNARY(cbrt)
EW_UNARY_BOTH(rcbrt)
EW_UNARY_BOTH(rsqrt)
EW_UNARY(erf)
EW_UNARY(erfc)
EW_UNARY_BOTH(erfcx)
EW_UNARY_BOTH(erfinv)
EW_UNARY_BOTH(erfcinv)
EW_UNARY_BOTH(normcdf)
EW_UNARY_BOTH(normcdfinv)
EW_UNARY(lgamma)
EW_UNARY(tgamma)
EW_UNARY(j0)
EW_UNARY(j1)
EW_UNARY(y0)
EW_UNARY(y1)
EW_UNARY_BOTH(cyl_bessel_i0)
EW_UNARY_BOTH(cyl_bessel_i1)
EW_UNARY(round)
EW_UNARY(logb)
EW_MATH_C double sqrt(double x) {
  return __builtin_sqrt(x);
}
EW_MATH_C float sqrtf(float x) {
  return EW_FAST(__nvvm_sqrt_approx_ftz_f(x), __builtin_sqrtf(x));
}
EW_OVERLOADS_1(sqrt)
EW_BUILTIN_1(ceil, ceil)
EW_BUILTIN_1(floor, floor)
EW_BUILTIN_1(trunc, trunc)
EW_BUILTIN_1(rint, rint)
EW_BUILTIN_1(nearbyint, rint)
EW_BUILTIN_1(fabs, fabs)

EW_BINARY(atan2)
EW_BINARY_FAST(pow, __powf)
EW_BINARY(fmod)
EW_BINARY(remainder)
EW_BINARY(fdim)
EW_BINARY(nextafter)

EW_MATH_C double fmin(double a, double b) {
  return __builtin_fmin(a, b);
}
EW_MATH_C float fminf(float a, float b) {
  return __builtin_fminf(a, b);
}
EW_OVERLOADS_2(fmin)
EW_MATH_C double fmax(double a, double b) {
  return __builtin_fmax(a, b);
}
EW_MATH_C float fmaxf(float a, float b) {
  return __builtin_fmaxf(a, b);
}
EW_OVERLOADS_2(fmax)
EW_MATH_C double copysign(double a, double b) {
  return __builtin_copysign(a, b);
}
EW_MATH_C float copysignf(float a, float b) {
  return __builtin_copysignf(a, b);
}
EW_OVERLOADS_2(copysign)

EW_MATH_C double hypot(double x, double y) {
  return everwarp::math::hypot(x, y);
}
EW_MATH_C float hypotf(float x, float y) {
  return everwarp::math::hypot(x, y);
}
EW_OVERLOADS_2(hypot)
extern "C" EW_MATH double rhypot(double x, double y) {
  return everwarp::math::rhypot(x, y);
}
extern "C" EW_MATH float rhypotf(float x, float y) {
  return everwarp::math::rhypot(x, y);
}
EW_OVERLOADS_2(rhypot)
extern "C" EW_MATH double norm3d(double x, double y, double z) {
  return everwarp::math::norm3d(x, y, z);
}
extern "C" EW_MATH float norm3df(float x, float y, float z) {
  return everwarp::math::norm3d(x, y, z);
}
extern "C" EW_MATH double rnorm3d(double x, double y, double z) {
  return everwarp::math::rnorm3d(x, y, z);
}
extern "C" EW_MATH float rnorm3df(float x, float y, float z) {
  return everwarp::math::rnorm3d(x, y, z);
}
extern "C" EW_MATH double norm4d(double x, double y, double z, double w) {
  return everwarp::math::norm4d(x, y, z, w);
}
extern "C" EW_MATH float norm4df(float x, float y, float z, float w) {
  return everwarp::math::norm4d(x, y, z, w);
}
extern "C" EW_MATH double rnorm4d(double x, double y, double z, double w) {
  return everwarp::math::rnorm4d(x, y, z, w);
}
extern "C" EW_MATH float rnorm4df(float x, float y, float z, float w) {
  return everwarp::math::rnorm4d(x, y, z, w);
}
extern "C" EW_MATH double norm(int n, const double* p) {
  return everwarp::math::norm(n, p);
}
extern "C" EW_MATH float normf(int n, const float* p) {
  return everwarp::math::norm(n, p);
}
extern "C" EW_MATH double rnorm(int n, const double* p) {
  return everwarp::math::rnorm(n, p);
}
extern "C" EW_MATH float rnormf(int n, const float* p) {
  return everwarp::math::rnorm(n, p);
}

EW_MATH_C double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
EW_MATH_C float fmaf(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
EW_MATH_CPP float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
template <class A, class B, class C, class = everwarp::math::IfMixed<A, B>>
EW_MATH_CPP everwarp::math::IfMixed<C, long> fma(A a, B b, C c) {
  return __builtin_fma(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c));
}

// clang-format off
EW_MATH_C double jn(int n, double x) { return everwarp::math::jn(n, x); }
EW_MATH_C float jnf(int n, float x) { return everwarp::math::jn(n, x); }
EW_MATH_CPP float jn(int n, float x) { return everwarp::math::jn(n, x); }
EW_MATH_C double yn(int n, double x) { return everwarp::math::yn(n, x); }
EW_MATH_C float ynf(int n, float x) { return everwarp::math::yn(n, x); }
EW_MATH_CPP float yn(int n, float x) { return everwarp::math::yn(n, x); }

EW_MATH_C void sincos(double x, double* s, double* c) { everwarp::math::sincos(x, *s, *c); }
EW_MATH_C void sincosf(float x, float* s, float* c) { EW_FAST(__sincosf(x, s, c), everwarp::math::sincos(x, *s, *c)); }
EW_MATH_CPP void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
extern "C" EW_MATH void sincospi(double x, double* s, double* c) { everwarp::math::sincospi(x, *s, *c); }
extern "C" EW_MATH void sincospif(float x, float* s, float* c) { everwarp::math::sincospi(x, *s, *c); }
EW_MATH void sincospi(float x, float* s, float* c) { everwarp::math::sincospi(x, *s, *c); }

EW_MATH_C double powi(double x, int n) { return everwarp::math::pow_integer(x, n); }
EW_MATH_C float powif(float x, int n) { return everwarp::math::pow_integer(x, n); }

EW_MATH_C double ldexp(double x, int n) { return everwarp::math::load_exponent(x, n); }
EW_MATH_C float ldexpf(float x, int n) { return everwarp::math::load_exponent(x, n); }
EW_MATH_CPP float ldexp(float x, int n) { return everwarp::math::load_exponent(x, n); }
template <class T> EW_MATH_CPP everwarp::math::IfInteger<T> ldexp(T x, int n) { return ldexp(static_cast<double>(x), n); }
EW_MATH_C double scalbn(double x, int n) { return everwarp::math::load_exponent(x, n); }
EW_MATH_C float scalbnf(float x, int n) { return everwarp::math::load_exponent(x, n); }
EW_MATH_CPP float scalbn(float x, int n) { return everwarp::math::load_exponent(x, n); }
template <class T> EW_MATH_CPP everwarp::math::IfInteger<T> scalbn(T x, int n) { return ldexp(static_cast<double>(x), n); }
EW_MATH_C double scalbln(double x, long n) { return everwarp::math::load_exponent(x, n > 5000 ? 5000 : n < -5000 ? -5000 : static_cast<int>(n)); }
EW_MATH_C float scalblnf(float x, long n) { return everwarp::math::load_exponent(x, n > 5000 ? 5000 : n < -5000 ? -5000 : static_cast<int>(n)); }
EW_MATH_CPP float scalbln(float x, long n) { return scalblnf(x, n); }
template <class T> EW_MATH_CPP everwarp::math::IfInteger<T> scalbln(T x, long n) { return scalbln(static_cast<double>(x), n); }

EW_MATH_C double frexp(double x, int* e) { return everwarp::math::frexp(x, *e); }
EW_MATH_C float frexpf(float x, int* e) { return everwarp::math::frexp(x, *e); }
EW_MATH_CPP float frexp(float x, int* e) { return everwarp::math::frexp(x, *e); }
template <class T> EW_MATH_CPP everwarp::math::IfInteger<T> frexp(T x, int* e) { return frexp(static_cast<double>(x), e); }
EW_MATH_C double modf(double x, double* whole) { return everwarp::math::modf(x, *whole); }
EW_MATH_C float modff(float x, float* whole) { return everwarp::math::modf(x, *whole); }
EW_MATH_CPP float modf(float x, float* whole) { return everwarp::math::modf(x, *whole); }
EW_MATH_C double remquo(double x, double y, int* q) { return everwarp::math::remquo(x, y, *q); }
EW_MATH_C float remquof(float x, float y, int* q) { return everwarp::math::remquo(x, y, *q); }
EW_MATH_CPP float remquo(float x, float y, int* q) { return everwarp::math::remquo(x, y, *q); }
template <class A, class B> EW_MATH_CPP everwarp::math::IfMixed<A, B> remquo(A x, B y, int* q) { return remquo(static_cast<double>(x), static_cast<double>(y), q); }

EW_MATH_C int ilogb(double x) { return everwarp::math::ilogb(x); }
EW_MATH_C int ilogbf(float x) { return everwarp::math::ilogb(x); }
EW_MATH_CPP int ilogb(float x) { return everwarp::math::ilogb(x); }
template <class T, class = everwarp::math::IfInteger<T>> EW_MATH_CPP int ilogb(T x) { return ilogb(static_cast<double>(x)); }

#define EW_TO_INTEGER(name, type, rounding)                                                                    \
    EW_MATH_C type name(double x) { return static_cast<type>(rounding(x)); }                                 \
    EW_MATH_C type name##f(float x) { return static_cast<type>(rounding(x)); }                               \
    EW_MATH_CPP type name(float x) { return static_cast<type>(rounding(x)); }                                    \
    template <class T, class = everwarp::math::IfInteger<T>>                                                   \
    EW_MATH_CPP type name(T x) { return static_cast<type>(x); }
EW_TO_INTEGER(lround, long, everwarp::math::round)
EW_TO_INTEGER(llround, long long, everwarp::math::round)
EW_TO_INTEGER(lrint, long, everwarp::math::nearest)
EW_TO_INTEGER(llrint, long long, everwarp::math::nearest)

EW_MATH_C double nan(const char*) { return everwarp::math::not_a_number<double>(); }
EW_MATH_C float nanf(const char*) { return everwarp::math::not_a_number<float>(); }
EW_MATH_C int abs(int x) { return x < 0 ? -x : x; }
EW_MATH_C long labs(long x) { return x < 0 ? -x : x; }
EW_MATH_C long long llabs(long long x) { return x < 0 ? -x : x; }
EW_MATH_CPP long abs(long x) { return x < 0 ? -x : x; }
EW_MATH_CPP long long abs(long long x) { return x < 0 ? -x : x; }
EW_MATH_CPP float abs(float x) { return __builtin_fabsf(x); }
EW_MATH_CPP double abs(double x) { return __builtin_fabs(x); }

EW_MATH_C int __isnan(double x) { return everwarp::math::is_nan(x); }
EW_MATH_C int __isnanf(float x) { return everwarp::math::is_nan(x); }
EW_MATH_C int __isinf(double x) { return everwarp::math::is_infinite(x); }
EW_MATH_C int __isinff(float x) { return everwarp::math::is_infinite(x); }
EW_MATH_C int __finite(double x) { return everwarp::math::is_finite(x); }
EW_MATH_C int __finitef(float x) { return everwarp::math::is_finite(x); }
EW_MATH_C int __signbit(double x) { return everwarp::math::bits_of(x) >> 63; }
EW_MATH_C int __signbitf(float x) { return everwarp::math::bits_of(x) >> 31; }
EW_MATH_CPP bool isnan(float x) { return everwarp::math::is_nan(x); }
EW_MATH_CPP bool isnan(double x) { return everwarp::math::is_nan(x); }
EW_MATH_CPP bool isinf(float x) { return everwarp::math::is_infinite(x); }
EW_MATH_CPP bool isinf(double x) { return everwarp::math::is_infinite(x); }
EW_MATH_CPP bool isfinite(float x) { return everwarp::math::is_finite(x); }
EW_MATH_CPP bool isfinite(double x) { return everwarp::math::is_finite(x); }
EW_MATH_CPP bool signbit(float x) { return everwarp::math::bits_of(x) >> 31; }
EW_MATH_CPP bool signbit(double x) { return everwarp::math::bits_of(x) >> 63; }
// clang-format on

// CUDA's global min and max serve host and device.
#define EW_MIN_MAX(result, a_type, b_type)                                                                    \
  EW_MATH constexpr result min(a_type a, b_type b) {                                                          \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
  }                                                                                                           \
  EW_MATH constexpr result max(a_type a, b_type b) {                                                          \
    return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
  }
EW_MIN_MAX(int, int, int)
EW_MIN_MAX(unsigned, unsigned, unsigned)
EW_MIN_MAX(unsigned, int, unsigned)
EW_MIN_MAX(unsigned, unsigned, int)
EW_MIN_MAX(long, long, long)
EW_MIN_MAX(unsigned long, unsigned long, unsigned long)
EW_MIN_MAX(unsigned long, long, unsigned long)
EW_MIN_MAX(unsigned long, unsigned long, long)
EW_MIN_MAX(long long, long long, long long)
EW_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
EW_MIN_MAX(unsigned long long, long long, unsigned long long)
EW_MIN_MAX(unsigned long long, unsigned long long, long long)
// clang-format off
EW_MATH unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
EW_MATH unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
EW_MATH long long llmin(long long a, long long b) { return a < b ? a : b; }
EW_MATH long long llmax(long long a, long long b) { return a > b ? a : b; }
EW_MATH unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
EW_MATH unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
// clang-format on
#define EW_FLOAT_MIN_MAX(result, a_type, b_type, suffix) \
  EW_MATH result min(a_type a, b_type b) {               \
    return __builtin_fmin##suffix(a, b);                 \
  }                                                      \
  EW_MATH result max(a_type a, b_type b) {               \
    return __builtin_fmax##suffix(a, b);                 \
  }
EW_FLOAT_MIN_MAX(float, float, float, f)
EW_FLOAT_MIN_MAX(double, double, double, )
EW_FLOAT_MIN_MAX(double, float, double, )
EW_FLOAT_MIN_MAX(double, double, float, )

namespace std {
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::labs;
using ::ldexp;
using ::lgamma;
using ::llabs;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::modf;
using ::nan;
using ::nanf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::remquo;
using ::rint;
using ::round;
using ::scalbln;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
}  // namespace std
