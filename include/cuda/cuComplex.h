/* Complex numbers of CUDA's C API, for host and device: vector types with named operations. */
#pragma once

#include "vector_types.h"

#if defined(__CUDA__)
#define EW_COMPLEX static inline __attribute__((host)) __attribute__((device))
#else
#include <math.h>
#define EW_COMPLEX static inline
#endif

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* Quotient and modulus are scaled. So no square of a part overflows, and none underflows to 0. */
#define EW_COMPLEX_TYPE(Type, Real, suffix, absolute, root, make, re, im, conjugate, add, subtract, multiply, divide, \
                        modulus)                                                                                      \
  EW_COMPLEX Type make(Real x, Real y) {                                                                              \
    Type z;                                                                                                           \
    z.x = x;                                                                                                          \
    z.y = y;                                                                                                          \
    return z;                                                                                                         \
  }                                                                                                                   \
  EW_COMPLEX Real re(Type a) {                                                                                        \
    return a.x;                                                                                                       \
  }                                                                                                                   \
  EW_COMPLEX Real im(Type a) {                                                                                        \
    return a.y;                                                                                                       \
  }                                                                                                                   \
  EW_COMPLEX Type conjugate(Type a) {                                                                                 \
    return make(a.x, -a.y);                                                                                           \
  }                                                                                                                   \
  EW_COMPLEX Type add(Type a, Type b) {                                                                               \
    return make(a.x + b.x, a.y + b.y);                                                                                \
  }                                                                                                                   \
  EW_COMPLEX Type subtract(Type a, Type b) {                                                                          \
    return make(a.x - b.x, a.y - b.y);                                                                                \
  }                                                                                                                   \
  EW_COMPLEX Type multiply(Type a, Type b) {                                                                          \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                                        \
  }                                                                                                                   \
  EW_COMPLEX Type divide(Type a, Type b) {                                                                            \
    const Real inverse = (Real)1 / (absolute(b.x) + absolute(b.y));                                                   \
    const Real ax = a.x * inverse, ay = a.y * inverse, bx = b.x * inverse, by = b.y * inverse;                        \
    const Real norm = (Real)1 / (bx * bx + by * by);                                                                  \
    return make((ax * bx + ay * by) * norm, (ay * bx - ax * by) * norm);                                              \
  }                                                                                                                   \
  EW_COMPLEX Real modulus(Type a) {                                                                                   \
    const Real x = absolute(a.x), y = absolute(a.y), big = x > y ? x : y, small = x > y ? y : x, t = small / big;     \
    return big == 0 || big - big != 0 ? x + y : big * root((Real)1 + t * t);                                          \
  }

EW_COMPLEX_TYPE(cuFloatComplex, float, f, fabsf, sqrtf, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf,
                cuCsubf, cuCmulf, cuCdivf, cuCabsf)
EW_COMPLEX_TYPE(cuDoubleComplex, double, , fabs, sqrt, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub,
                cuCmul, cuCdiv, cuCabs)
#undef EW_COMPLEX_TYPE

EW_COMPLEX cuComplex make_cuComplex(float x, float y) {
  return make_cuFloatComplex(x, y);
}
EW_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
  return make_cuDoubleComplex(c.x, c.y);
}
EW_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}
EW_COMPLEX cuComplex cuCfmaf(cuComplex x, cuComplex y, cuComplex d) {
  return make_cuFloatComplex(x.x * y.x + (d.x - x.y * y.y), x.x * y.y + (x.y * y.x + d.y));
}
EW_COMPLEX cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) {
  return make_cuDoubleComplex(x.x * y.x + (d.x - x.y * y.y), x.x * y.y + (x.y * y.x + d.y));
}
#undef EW_COMPLEX
