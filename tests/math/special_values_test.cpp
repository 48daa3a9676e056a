// Zeros with their signs, infinities, subnormal numbers and NaN give what C99's annex F and glibc give.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "rows.hpp"

namespace {

namespace em = everwarp::math;

template <class T>
std::vector<T> special_values() {
  using L = std::numeric_limits<T>;
  const std::vector<T> positive = {T(0),     L::denorm_min(), L::min(),      T(1e-20), T(0.25), T(0.5), T(1),   T(1.5),
                                   T(2),     T(2.5),          T(3),          T(4),     T(7),    T(8),   T(100), T(1e15),
                                   L::max(), L::infinity(),   L::quiet_NaN()};
  std::vector<T> all = positive;
  for (T v : positive) all.push_back(-v);
  return all;
}

// Same kind of value, same sign (of zeros too), and near.
template <class T>
bool alike(T got, T wanted) {
  if (got != got || wanted != wanted) return (got != got) == (wanted != wanted);
  if (std::signbit(got) != std::signbit(wanted)) return false;
  if (std::isinf(got) || std::isinf(wanted) || got == 0 || wanted == 0)
    return got == wanted || accuracy::difference(got, wanted) <= 1;
  return accuracy::difference(got, wanted) <= 8;
}

template <class T>
void check_unary() {
  const struct {
    const char* name;
    T (*ours)(T);
    T (*theirs)(T);
  } functions[] = {
#define EW_PAIR(name)                                                                        \
  {                                                                                          \
#name, [](T x) { return em::name(x); }, [](T x) { return static_cast<T>(std::name(x)); } \
  }
      EW_PAIR(sin),   EW_PAIR(cos),   EW_PAIR(tan),   EW_PAIR(asin),   EW_PAIR(acos),  EW_PAIR(atan), EW_PAIR(sinh),
      EW_PAIR(cosh),  EW_PAIR(tanh),  EW_PAIR(asinh), EW_PAIR(acosh),  EW_PAIR(atanh), EW_PAIR(exp),  EW_PAIR(exp2),
      EW_PAIR(expm1), EW_PAIR(log),   EW_PAIR(log2),  EW_PAIR(log10),  EW_PAIR(log1p), EW_PAIR(cbrt), EW_PAIR(erf),
      EW_PAIR(erfc),  EW_PAIR(round), EW_PAIR(logb),  EW_PAIR(lgamma),
#undef EW_PAIR
  };
  for (const auto& f : functions)
    for (T x : special_values<T>())
      EXPECT_TRUE(alike(f.ours(x), f.theirs(x)))
          << f.name << "(" << x << ") = " << f.ours(x) << ", not " << f.theirs(x);
}

template <class T>
void check_binary() {
  const struct {
    const char* name;
    T (*ours)(T, T);
    T (*theirs)(T, T);
  } functions[] = {
#define EW_PAIR(name)                                                                                        \
  {                                                                                                          \
#name, [](T x, T y) { return em::name(x, y); }, [](T x, T y) { return static_cast<T>(std::name(x, y)); } \
  }
      EW_PAIR(pow),   EW_PAIR(atan2),     EW_PAIR(fmod), EW_PAIR(remainder),
      EW_PAIR(hypot), EW_PAIR(nextafter), EW_PAIR(fdim),
#undef EW_PAIR
  };
  for (const auto& f : functions)
    for (T x : special_values<T>())
      for (T y : special_values<T>())
        EXPECT_TRUE(alike(f.ours(x, y), f.theirs(x, y)))
            << f.name << "(" << x << ", " << y << ") = " << f.ours(x, y) << ", not " << f.theirs(x, y);
}

TEST(MathSpecialValues, Unary) {
  check_unary<float>();
  check_unary<double>();
}
TEST(MathSpecialValues, Binary) {
  check_binary<float>();
  check_binary<double>();
}

template <class T>
void check_parts() {
  for (T x : special_values<T>()) {
    int ours = -7, theirs = -7;
    const T m = em::frexp(x, ours);
    EXPECT_TRUE(alike(m, std::frexp(x, &theirs))) << x;
    if (std::isfinite(x)) {
      EXPECT_EQ(ours, theirs) << x;
      EXPECT_EQ(em::load_exponent(m, ours), x);
    }
    T whole, expected;
    EXPECT_TRUE(alike(em::modf(x, whole), std::modf(x, &expected))) << x;
    EXPECT_TRUE(alike(whole, expected)) << x;
    for (int n : {-3000, -1075, -150, -30, -1, 0, 1, 40, 130, 1030, 3000})
      EXPECT_TRUE(alike(em::load_exponent(x, n), std::ldexp(x, n))) << x << " " << n;
    for (T y : special_values<T>()) {
      int q = 0, expected_q = 0;
      const T r = em::remquo(x, y, q), e = std::remquo(x, y, &expected_q);
      EXPECT_TRUE(alike(r, e)) << x << " " << y;
      if (std::isfinite(x) && y != 0 && y == y) {
        EXPECT_EQ(q & 7, expected_q & 7) << x << " " << y;
      }
    }
  }
  EXPECT_EQ(em::ilogb(T(0)), std::numeric_limits<int>::min());
  EXPECT_EQ(em::ilogb(std::numeric_limits<T>::denorm_min()), std::ilogb(std::numeric_limits<T>::denorm_min()));
}

TEST(MathSpecialValues, ExponentsAndRemainders) {
  check_parts<float>();
  check_parts<double>();
}

TEST(MathSpecialValues, NormsOfAnyDimension) {
  std::vector<double> v(100, 0x1p600);
  EXPECT_EQ(em::norm(100, v.data()), 0x1.4p603);
  EXPECT_NEAR(em::rnorm(100, v.data()) * 0x1.4p603, 1, 1e-15);
  v[3] = INFINITY;
  v[4] = NAN;
  EXPECT_EQ(em::norm(100, v.data()), INFINITY);
  EXPECT_EQ(em::rnorm(100, v.data()), 0);
  EXPECT_EQ(em::norm(0, v.data()), 0);
}

TEST(MathSpecialValues, IntegerPowers) {
  EXPECT_EQ(em::pow_integer(3.0, 20), 3486784401.0);
  EXPECT_EQ(em::pow_integer(2.0f, -149), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(em::pow_integer(-1.0f, 2147483647), -1.0f);
}

}  // namespace
