// Runs the rows of approximate.inc: the fast intrinsics, or, in a program built with --use_fast_math, the standard
// names that it exchanges for them. Subnormal numbers do not count there: the option flushes them.
#pragma once

#include "accuracy.hpp"

namespace accuracy {

#if defined(__USE_FAST_MATH__)
#define EW_APPROXIMATE_CALL(precise, under_fast_math) under_fast_math
#else
#define EW_APPROXIMATE_CALL(precise, under_fast_math) precise
#endif

__device__ inline float x_over_y(float x, float y) {
  return x / y;
}
__device__ inline float one_over_x(float x) {
  return 1.0f / x;
}

enum class Unit { ULP, ABS, REL };

struct ApproximateRow {
  std::string name, where, bound;
  Unit unit;
  double worst = 0;  // in the unit
  double share = 0;  // the largest part of the bound that a result used up; above 1 is a miss
  double x = 0, y = 0, got = 0, wanted = 0;
  std::size_t points = 0;
};

inline double error_of(float result, Quad exact, Unit unit) {
  const float rounded = static_cast<float>(exact);
  if (result != result || rounded != rounded || std::isinf(rounded) || unit == Unit::ULP)
    return difference(result, rounded);
  const double error = static_cast<double>(fabsq(static_cast<Quad>(result) - exact));
  return unit == Unit::ABS || error == 0 ? error : error / static_cast<double>(fabsq(exact));
}

template <class Call, class Evaluate, class Exact, class Where, class Bound>
ApproximateRow measure_approximate(ApproximateRow row, int arity, double low, double high, std::size_t points,
                                   Evaluate& evaluate, Exact exact, Where where, Bound bound) {
  std::vector<float> a[4], results(points);
  Points<float>(low, high, 77).fill(arity, points, a);
  for (std::vector<float>& v : a) v.resize(points);
  evaluate(Call{}, a, results);
  for (std::size_t i = 0; i < points; ++i) {
    const double x = a[0][i], y = a[1][i];
    if (!where(x, y)) continue;
    const Quad e = exact(x, y);
    if (fast && (is_subnormal(a[0][i]) || is_subnormal(a[1][i]) || is_subnormal(static_cast<float>(e)))) continue;
    const double error = error_of(results[i], e, row.unit), limit = bound(x, y);
    const double share = error == 0 ? 0 : error / limit;
    ++row.points;
    row.worst = std::max(row.worst, error);
    if (share <= row.share) continue;
    row.share = share;
    row.x = x, row.y = y, row.got = results[i], row.wanted = static_cast<double>(e);
  }
  return row;
}

#define EW_LIST_1 (x)
#define EW_LIST_2 (x, y)

template <int line>
struct Approximate;
#define APPROXIMATE(arity, name, fast_name, low, high, where, unit, limit, exact)        \
  template <>                                                                            \
  struct Approximate<__LINE__> {                                                         \
    __device__ float operator()(float x, [[maybe_unused]] float y, float, float) const { \
      return EW_APPROXIMATE_CALL(name, fast_name) EW_LIST_##arity;                       \
    }                                                                                    \
  };
#include "approximate.inc"
#undef APPROXIMATE

template <class Evaluate, class Report>
void measure_approximations(std::size_t points, Evaluate& evaluate, Report report) {
  using namespace std;
#define APPROXIMATE(arity, name, fast_name, low, high, where, unit, limit, value)                  \
  report(measure_approximate<Approximate<__LINE__>>(                                               \
      {fast ? #fast_name : #name, #where, #limit, Unit::unit}, arity, low, high, points, evaluate, \
      [](Quad x, [[maybe_unused]] Quad y) -> Quad { return value; },                               \
      []([[maybe_unused]] double x, [[maybe_unused]] double y) -> bool { return where; },          \
      []([[maybe_unused]] double x, [[maybe_unused]] double y) -> double { return limit; }));
#include "approximate.inc"
#undef APPROXIMATE
}

}  // namespace accuracy
