// The device math functions of CUDA under their C and C++ names, in single and double precision.
//
// Included before any standard header. Then libstdc++ uses its own constexpr overloads for the host alone. In device code
// std::sin and ::sin both mean the functions here. The bodies are in math/. docs/math-accuracy.md states the measured
// error of each.
#pragma once

#include "math/bessel.cuh"
#include "math/error_functions.cuh"
#include "math/exponential.cuh"
#include "math/gamma.cuh"
#include "math/hyperbolic.cuh"
#include "math/numbers.cuh"
#include "math/roots.cuh"
#include "math/trigonometric.cuh"

#define EW_MATH_CPP __attribute__((device)) __attribute__((nodebug)) inline
#define EW_MATH_C extern "C" __attribute__((device)) __attribute__((nodebug)) inline

// With --use_fast_math, the functions of CUDA's list become approximate instructions.
#if defined(__USE_FAST_MATH__) || defined(__CLANG_GPU_APPROX_TRANSCENDENTALS__)
#define EW_FAST(fast, exact) fast
#else
#define EW_FAST(fast, exact) exact
#endif

namespace everwarp::math {

template <bool condition, class T>
struct When {};
template <class T>
struct When<true, T> {
  using Type = T;
};
template <class T>
using IfInteger = typename When<__is_integral(T), double>::Type;
// Two arithmetic types that are neither both float nor both double: the call is one with doubles.
template <class A, class B>
using IfMixed = typename When<__is_arithmetic(A) && __is_arithmetic(B) && !__is_same(A, long double) &&
                                  !__is_same(B, long double) && (!__is_same(A, B) || __is_integral(A)),
                              double>::Type;

}  // namespace everwarp::math

#include "math/complex_builtins.cuh"
#include "math/intrinsics.cuh"
#include "math/names.cuh"

// libstdc++'s own names, now that ours are declared.
#include <math.h>
#include <stdlib.h>

#include <cmath>
#include <cstdlib>
