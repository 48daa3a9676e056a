// The OpenCL functions of LLVM's libclc (Debian's libclc-19) under names that functions.inc can call, to measure what
// Everwarp would have used instead of its own device code. What libclc lacks returns 0 and is not reported.
#pragma once

#define EW_LIBCLC_1(name, mangled)                             \
  __device__ float clc_##name(float x) asm("_Z" #mangled "f"); \
  __device__ double clc_##name(double x) asm("_Z" #mangled "d");
#define EW_LIBCLC_2(name, mangled)                                       \
  __device__ float clc_##name(float x, float y) asm("_Z" #mangled "ff"); \
  __device__ double clc_##name(double x, double y) asm("_Z" #mangled "dd");
#define EW_LIBCLC_MISSING(name)           \
  template <class T, class... Others>     \
  __device__ T clc_##name(T, Others...) { \
    return T(0);                          \
  }

EW_LIBCLC_1(sin, 3sin)
EW_LIBCLC_1(cos, 3cos)
EW_LIBCLC_1(tan, 3tan)
EW_LIBCLC_1(sinpi, 5sinpi)
EW_LIBCLC_1(cospi, 5cospi)
EW_LIBCLC_1(asin, 4asin)
EW_LIBCLC_1(acos, 4acos)
EW_LIBCLC_1(atan, 4atan)
EW_LIBCLC_2(atan2, 5atan2)
EW_LIBCLC_1(sinh, 4sinh)
EW_LIBCLC_1(cosh, 4cosh)
EW_LIBCLC_1(tanh, 4tanh)
EW_LIBCLC_1(asinh, 5asinh)
EW_LIBCLC_1(acosh, 5acosh)
EW_LIBCLC_1(atanh, 5atanh)
EW_LIBCLC_1(exp, 3exp)
EW_LIBCLC_1(exp2, 4exp2)
EW_LIBCLC_1(exp10, 5exp10)
EW_LIBCLC_1(expm1, 5expm1)
EW_LIBCLC_1(log, 3log)
EW_LIBCLC_1(log2, 4log2)
EW_LIBCLC_1(log10, 5log10)
EW_LIBCLC_1(log1p, 5log1p)
EW_LIBCLC_2(pow, 3pow)
EW_LIBCLC_1(rsqrt, 5rsqrt)
EW_LIBCLC_1(cbrt, 4cbrt)
EW_LIBCLC_2(hypot, 5hypot)
EW_LIBCLC_2(fmod, 4fmod)
EW_LIBCLC_2(remainder, 9remainder)
EW_LIBCLC_2(fdim, 4fdim)
EW_LIBCLC_1(round, 5round)
EW_LIBCLC_1(logb, 4logb)
EW_LIBCLC_1(erf, 3erf)
EW_LIBCLC_1(erfc, 4erfc)
EW_LIBCLC_1(tgamma, 6tgamma)
EW_LIBCLC_1(lgamma, 6lgamma)
#define EW_LIBCLC_LACKS(F) \
  F(rcbrt)                 \
  F(rhypot)                \
  F(norm3d)                \
  F(rnorm3d)               \
  F(norm4d)                \
  F(rnorm4d)               \
  F(erfcx)                 \
  F(erfinv)                \
  F(erfcinv)               \
  F(normcdf)               \
  F(normcdfinv)            \
  F(j0)                    \
  F(j1)                    \
  F(y0)                    \
  F(y1)                    \
  F(j128)                  \
  F(y7)                    \
  F(cyl_bessel_i0)         \
  F(cyl_bessel_i1)         \
  F(sqrt)                  \
  F(fmin)                  \
  F(fmax)                  \
  F(copysign)              \
  F(rint)                  \
  F(trunc)                 \
  F(floor)                 \
  F(ceil)                  \
  F(fma)

EW_LIBCLC_LACKS(EW_LIBCLC_MISSING)

// Whether libclc has the function that functions.inc calls NAME.
inline bool libclc_has(const std::string& name) {
#define EW_LIBCLC_IS(missing) \
  if (name == #missing) return false;
  EW_LIBCLC_LACKS(EW_LIBCLC_IS)
#undef EW_LIBCLC_IS
  return true;
}

#define EW_CALL_FLOAT(name) clc_##name
#define EW_CALL_DOUBLE(name) clc_##name
#define EW_CALLABLE __device__
