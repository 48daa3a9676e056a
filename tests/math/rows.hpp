// Runs every row of functions.inc through an evaluator and judges it.
// The evaluator is called as evaluate<T>(call, arguments, results) with call(x, y, z, w) the function at one point.
#pragma once

#include "accuracy.hpp"

#if defined(EW_LIBCLC)
#include "libclc.hpp"
#elif defined(__CUDA__)
#define EW_CALL_FLOAT(name) ::name##f
#define EW_CALL_DOUBLE(name) ::name
#define EW_CALLABLE __device__
__device__ inline float j128f(float x) {
  return jnf(128, x);
}
__device__ inline double j128(double x) {
  return jn(128, x);
}
__device__ inline float y7f(float x) {
  return ynf(7, x);
}
__device__ inline double y7(double x) {
  return yn(7, x);
}
#else
#include <everwarp/math/bessel.cuh>
#include <everwarp/math/error_functions.cuh>
#include <everwarp/math/gamma.cuh>
#include <everwarp/math/hyperbolic.cuh>
#include <everwarp/math/numbers.cuh>
#include <everwarp/math/roots.cuh>
#define EW_CALL_FLOAT(name) everwarp::math::name
#define EW_CALL_DOUBLE(name) everwarp::math::name
#define EW_CALLABLE
namespace everwarp::math {
template <class T>
T j128(T x) {
  return jn(128, x);
}
template <class T>
T y7(T x) {
  return yn(7, x);
}
}  // namespace everwarp::math
#endif

namespace accuracy {

#define EW_ARGUMENTS_1 (x)
#define EW_ARGUMENTS_2 (x, y)
#define EW_ARGUMENTS_3 (x, y, z)
#define EW_ARGUMENTS_4 (x, y, z, w)
#define EW_TAG(kind, arity, name)                                                                 \
  struct name##_##kind {                                                                          \
    EW_CALLABLE float operator()(float x, [[maybe_unused]] float y, [[maybe_unused]] float z,     \
                                 [[maybe_unused]] float w) const {                                \
      return EW_CALL_FLOAT(name) EW_ARGUMENTS_##arity;                                            \
    }                                                                                             \
    EW_CALLABLE double operator()(double x, [[maybe_unused]] double y, [[maybe_unused]] double z, \
                                  [[maybe_unused]] double w) const {                              \
      return EW_CALL_DOUBLE(name) EW_ARGUMENTS_##arity;                                           \
    }                                                                                             \
  };
#define ULP(arity, name, ...) EW_TAG(ulp, arity, name)
#define ABSOLUTE(arity, name, ...) EW_TAG(absolute, arity, name)
#if defined(__CUDA__)
#define EXACT(arity, name, ...) EW_TAG(exact, arity, name)
#else
#define EXACT(arity, name, ...)
#endif
#include "functions.inc"
#undef ULP
#undef ABSOLUTE
#undef EXACT
#undef EW_TAG

struct Row {
  std::string name;
  bool is_float, absolute;
  double bound;
  Result result;
  bool passes() const { return (absolute ? result.absolute : result.difference) <= bound; }
};

template <class T, class Call, class Evaluate, class Exact, class Holds>
Row measure_row(const char* name, bool absolute, int arity, double bound, double low, double high, std::size_t points,
                Evaluate& evaluate, Exact exact, Holds holds) {
  std::vector<T> arguments[4], results(points);
  Points<T>(low, high, 20240613).fill(arity, points, arguments);
  for (std::vector<T>& a : arguments) a.resize(points);
  evaluate(Call{}, arguments, results);
  const bool is_float = sizeof(T) == 4;
  return {std::string(name) + (is_float ? "f" : ""), is_float, absolute, bound,
          measure<T>(arity, arguments, results, exact, holds)};
}

// Every row, float before double; `report` is called after each.
template <class Evaluate, class Report>
void measure_all(std::size_t points, const std::string& only, Evaluate& evaluate, Report report) {
#define EW_ROW(kind, absolute, arity, name, bound_float, bound_double, low, high, holds, exact)                        \
  if (only.empty() || only == #name) {                                                                                 \
    const auto value = [](Quad x, [[maybe_unused]] Quad y, [[maybe_unused]] Quad z, [[maybe_unused]] Quad w) -> Quad { \
      return exact;                                                                                                    \
    };                                                                                                                 \
    report(measure_row<float, name##_##kind>(#name, absolute, arity, bound_float, low, high, points, evaluate, value,  \
                                             []([[maybe_unused]] double x) {                                           \
                                               [[maybe_unused]] constexpr bool is_float = true;                        \
                                               return holds;                                                           \
                                             }));                                                                      \
    report(measure_row<double, name##_##kind>(#name, absolute, arity, bound_double, low, high, points, evaluate,       \
                                              value, []([[maybe_unused]] double x) {                                   \
                                                [[maybe_unused]] constexpr bool is_float = false;                      \
                                                return holds;                                                          \
                                              }));                                                                     \
  }
#define ULP(...) EW_ROW(ulp, false, __VA_ARGS__)
#define ABSOLUTE(...) EW_ROW(absolute, true, __VA_ARGS__)
#if defined(__CUDA__)
#define EXACT(...) EW_ROW(exact, false, __VA_ARGS__)
#else
#define EXACT(...)
#endif
#include "functions.inc"
#undef ULP
#undef ABSOLUTE
#undef EXACT
#undef EW_ROW
}

}  // namespace accuracy
