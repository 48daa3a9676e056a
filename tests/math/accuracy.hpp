// Measures the error of a math function against 113-bit references: test points, exact values, the difference in ulp.
// Evaluation itself is left to the caller: on the host, or in kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "reference.hpp"

namespace accuracy {

template <class T>
struct Word;
template <>
struct Word<float> {
  using Type = std::int32_t;
};
template <>
struct Word<double> {
  using Type = std::int64_t;
};

// Values in the order of their numbers, so that neighbours differ by one; both zeros are 0.
template <class T>
typename Word<T>::Type ordinal(T value) {
  typename Word<T>::Type bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? std::numeric_limits<decltype(bits)>::min() - bits : bits;
}

// Distance in ulp from the correctly rounded result; infinite where only one of the two is a number.
template <class T>
double difference(T result, T rounded) {
  if (result != result || rounded != rounded) return (result != result) == (rounded != rounded) ? 0 : INFINITY;
  const auto a = ordinal(result), b = ordinal(rounded);
  return static_cast<double>(a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                                   : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a));
}

// Distance from the exact value in units of the last place of the rounded one.
template <class T>
double error_in_ulp(T result, Quad exact) {
  const T rounded = static_cast<T>(exact);
  if (result != result || rounded != rounded || std::isinf(rounded) || std::isinf(result))
    return difference(result, rounded);
  const T size = std::max(std::fabs(rounded), std::numeric_limits<T>::min());
  int exponent;
  std::frexp(size, &exponent);
  const Quad ulp = ldexpq(1, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(fabsq(static_cast<Quad>(result) - exact) / ulp);
}

// Half the points lie densely in [low, high], half are random patterns, so that every exponent is met; before them, in
// every combination, values at which functions change.
template <class T>
class Points {
 public:
  Points(double low, double high, std::uint64_t seed) : random_(seed), low_(low), high_(high) {}

  void fill(int arity, std::size_t count, std::vector<T> (&arguments)[4]) {
    static const T special[] = {T(0),
                                -T(0),
                                T(1),
                                T(-1),
                                T(0.5),
                                T(-0.5),
                                T(2),
                                T(-2),
                                T(3),
                                T(1.5),
                                T(-2.5),
                                std::numeric_limits<T>::infinity(),
                                -std::numeric_limits<T>::infinity(),
                                std::numeric_limits<T>::quiet_NaN(),
                                std::numeric_limits<T>::min(),
                                std::numeric_limits<T>::denorm_min(),
                                -std::numeric_limits<T>::denorm_min(),
                                std::numeric_limits<T>::max(),
                                std::numeric_limits<T>::lowest(),
                                std::nextafter(T(1), T(0)),
                                std::nextafter(T(1), T(2)),
                                T(8),
                                T(-10),
                                T(1e9),
                                T(1e-9),
                                T(16777217),
                                T(M_PI),
                                T(M_PI_2)};
    constexpr std::size_t n = std::size(special);
    std::size_t combinations = 1;
    for (int a = 0; a < arity && a < 2; ++a) combinations *= n;
    for (int a = 0; a < arity; ++a) {
      arguments[a].resize(count);
      std::size_t divisor = a == 1 ? n : 1;
      for (std::size_t i = 0; i < count; ++i)
        arguments[a][i] = i < combinations ? special[i / divisor % n]
                          : i & 1          ? dense()
                          : i % 64 == 0    ? special[i / 64 % n]
                                           : pattern();
    }
  }

 private:
  T dense() {
    const double t = static_cast<double>(random_() >> 11) * 0x1p-53;
    return static_cast<T>(low_ + (high_ - low_) * t);
  }
  T pattern() {
    const std::uint64_t r = random_();
    const auto bits = static_cast<typename Word<T>::Type>(sizeof(T) == 4 ? r >> 32 : r);
    T value;
    std::memcpy(&value, &bits, sizeof value);
    // A pattern inside [low, high] scaled by its exponent keeps functions of narrow domain busy.
    if (value != value || (value > high_ && (r & 6) == 6)) return dense();
    return value;
  }

  std::mt19937_64 random_;
  double low_, high_;
};

struct Result {
  double worst = 0;       // ulp from the exact value
  double difference = 0;  // ulp from the rounded one
  double absolute = 0;
  double at[4] = {};
  double got = 0, wanted = 0;
  std::size_t points = 0;
};

// Under --use_fast_math subnormal numbers are flushed and do not count.
#if defined(__USE_FAST_MATH__)
constexpr bool fast = true;
#else
constexpr bool fast = false;
#endif

template <class T>
bool is_subnormal(T x) {
  return x != 0 && std::fabs(x) < std::numeric_limits<T>::min();
}

template <class T>
Result measure(int arity, const std::vector<T> (&arguments)[4], const std::vector<T>& results,
               const std::function<Quad(Quad, Quad, Quad, Quad)>& exact, const std::function<bool(double)>& counts) {
  Result r;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Quad v[4] = {};
    for (int a = 0; a < arity; ++a) v[a] = arguments[a][i];
    if (!counts(static_cast<double>(v[0]))) continue;
    bool flushed = false;
    for (int a = 0; a < arity; ++a) flushed |= is_subnormal(arguments[a][i]);
    const Quad e = exact(v[0], v[1], v[2], v[3]);
    if (fast && (flushed || is_subnormal(static_cast<T>(e)))) continue;
    const double d = difference(results[i], static_cast<T>(e)), ulp = error_in_ulp(results[i], e);
    ++r.points;
    const double absolute = static_cast<double>(fabsq(results[i] - e));
    if (absolute > r.absolute) r.absolute = absolute;
    if (d > r.difference || (d == r.difference && ulp > r.worst)) {
      r.got = static_cast<double>(results[i]);
      r.wanted = static_cast<double>(static_cast<T>(e));
      for (int a = 0; a < arity; ++a) r.at[a] = static_cast<double>(v[a]);
    }
    r.difference = std::max(r.difference, d);
    r.worst = std::max(r.worst, ulp);
  }
  return r;
}

}  // namespace accuracy
