// The generators of curand_kernel.h against their published numbers, and skipping against stepping.
#include <curand_kernel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

namespace ec = everwarp::curand;

bool operator==(uint4 a, uint4 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

// Random123's known answers for philox4x32 with 10 rounds.
TEST(Philox, KnownAnswers) {
  EXPECT_TRUE((ec::philox4x32_10({0, 0, 0, 0}, {0, 0}) == uint4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_TRUE(
      (ec::philox4x32_10({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == uint4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_TRUE((ec::philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
               uint4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

template <class State>
class Generators : public testing::Test {};
using AllStates = testing::Types<curandStateXORWOW, curandStatePhilox4_32_10, curandStateMRG32k3a>;
TYPED_TEST_SUITE(Generators, AllStates);

TYPED_TEST(Generators, OffsetIsAsManySteps) {
  for (unsigned long long n : {1ull, 2ull, 3ull, 5ull, 16ull, 255ull, 1000ull, 65537ull}) {
    TypeParam walked, jumped, skipped;
    curand_init(4321, 5, 0, &walked);
    for (unsigned long long i = 0; i < n; ++i) curand(&walked);
    curand_init(4321, 5, n, &jumped);
    curand_init(4321, 5, 0, &skipped);
    skipahead(n, &skipped);
    for (int i = 0; i < 20; ++i) {
      const unsigned expected = curand(&walked);
      EXPECT_EQ(expected, curand(&jumped)) << n;
      EXPECT_EQ(expected, curand(&skipped)) << n;
    }
  }
}

TYPED_TEST(Generators, SubsequencesAddUpAndDiffer) {
  TypeParam a, b, c;
  curand_init(99, 300, 0, &a);
  curand_init(99, 70003, 0, &b);
  curand_init(99, 70303, 0, &c);
  TypeParam composed;
  curand_init(99, 300, 0, &composed);
  if constexpr (std::is_same_v<TypeParam, curandStateMRG32k3a>) {
    skipahead_subsequence(70003, &composed);
  } else {
    skipahead_sequence(70003, &composed);
  }
  bool differ = false;
  for (int i = 0; i < 20; ++i) {
    const unsigned expected = curand(&c);
    EXPECT_EQ(curand(&composed), expected);
    differ |= curand(&a) != expected && curand(&b) != expected;
  }
  EXPECT_TRUE(differ);
}

TYPED_TEST(Generators, UniformHasItsMoments) {
  TypeParam s;
  curand_init(7, 0, 0, &s);
  const int n = 200000;
  double sum = 0, squares = 0, doubles = 0;
  std::vector<int> cells(64);
  for (int i = 0; i < n; ++i) {
    const float u = curand_uniform(&s);
    ASSERT_GT(u, 0.0f);
    ASSERT_LE(u, 1.0f);
    sum += u;
    squares += double(u) * u;
    ++cells[std::min(63, static_cast<int>(u * 64))];
    const double d = curand_uniform_double(&s);
    ASSERT_GT(d, 0.0);
    ASSERT_LE(d, 1.0);
    doubles += d;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.004);
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.004);
  EXPECT_NEAR(doubles / n, 0.5, 0.004);
  double chi = 0;
  for (int c : cells) chi += (c - n / 64.0) * (c - n / 64.0) / (n / 64.0);
  EXPECT_LT(chi, 110);  // 63 degrees of freedom, far beyond the 0.1 % point
}

TYPED_TEST(Generators, NormalHasItsMoments) {
  TypeParam s;
  curand_init(11, 3, 0, &s);
  const int n = 200000;
  double sum = 0, squares = 0, fourth = 0, sum_double = 0, squares_double = 0, log_sum = 0;
  for (int i = 0; i < n; ++i) {
    const double v = curand_normal(&s), d = curand_normal_double(&s);
    sum += v;
    squares += v * v;
    fourth += v * v * v * v;
    sum_double += d;
    squares_double += d * d;
    log_sum += std::log(static_cast<double>(curand_log_normal(&s, 1.0f, 0.5f)));
  }
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1, 0.02);
  EXPECT_NEAR(fourth / n, 3, 0.15);
  EXPECT_NEAR(sum_double / n, 0, 0.01);
  EXPECT_NEAR(squares_double / n, 1, 0.02);
  EXPECT_NEAR(log_sum / n, 1, 0.01);
}

TYPED_TEST(Generators, PoissonHasItsMoments) {
  TypeParam s;
  curand_init(13, 1, 0, &s);
  for (double lambda : {0.5, 5.0, 30.0, 500.0, 10000.0}) {
    const int n = 40000;
    double sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) {
      const double k = curand_poisson(&s, lambda);
      sum += k;
      squares += k * k;
    }
    const double mean = sum / n, variance = squares / n - mean * mean;
    EXPECT_NEAR(mean, lambda, 5 * std::sqrt(lambda / n)) << lambda;
    EXPECT_NEAR(variance / lambda, 1, 0.05) << lambda;
  }
}

// Marsaglia's seeds and generator, written out from the paper.
TEST(Xorwow, IsMarsaglias) {
  unsigned x = 123456789, y = 362436069, z = 521288629, w = 88675123, v = 5783321, d = 6615241;
  curandStateXORWOW s{d, {x, y, z, w, v}, 0, 0, 0, 0};
  for (int i = 0; i < 1000; ++i) {
    const unsigned t = x ^ (x >> 2);
    x = y, y = z, z = w, w = v;
    v = (v ^ (v << 4)) ^ (t ^ (t << 1));
    d += 362437;
    EXPECT_EQ(curand(&s), v + d);
  }
}

// A subsequence is 2^67 steps: eight jumps of 2^64 - 1 steps and eight single ones.
TEST(Xorwow, ASubsequenceIsTwoToThe67Steps) {
  curandStateXORWOW far, near;
  curand_init(17, 1, 0, &far);
  curand_init(17, 0, 0, &near);
  for (int i = 0; i < 8; ++i) {
    skipahead(~0ull, &near);
    skipahead(1, &near);
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(curand(&far), curand(&near));
}

// What cuRAND's own manual prints for its host example (seed 1234): the first number of each of the first ten
// subsequences.
TEST(Xorwow, FirstNumbersOfTheManualsExample) {
  const double expected[] = {0.1455, 0.8202, 0.5504, 0.2948, 0.9147, 0.8690, 0.3219, 0.7829, 0.0113, 0.2855};
  for (int i = 0; i < 10; ++i) {
    curandStateXORWOW s;
    curand_init(1234, i, 0, &s);
    EXPECT_NEAR(curand_uniform(&s), expected[i], 0.00005) << i;
  }
}

TEST(Mrg32k3a, FirstNumbersOfTheSeed12345) {
  curandStateMRG32k3a s;
  curand_init(0, 0, 0, &s);
  for (double expected : {0.1270111220, 0.3185275653, 0.3091860155, 0.8258468629, 0.2216299157})
    EXPECT_NEAR(curand_uniform_double(&s), expected, 1e-9);
}

TEST(Philox, FoursAreTheNumbersInOrder) {
  for (int start = 0; start < 4; ++start) {
    curandStatePhilox4_32_10 a, b;
    curand_init(5, 6, start, &a);
    curand_init(5, 6, start, &b);
    for (int i = 0; i < 3; ++i) {
      const uint4 v = curand4(&a);
      for (unsigned expected : {v.x, v.y, v.z, v.w}) EXPECT_EQ(curand(&b), expected);
    }
  }
}

// The first dimension's vectors are the powers of two: van der Corput's sequence in Gray-code order.
TEST(Sobol, FirstDimensionFillsEveryCellOnce) {
  curandDirectionVectors32_t vectors;
  for (int i = 0; i < 32; ++i) vectors[i] = 0x80000000u >> i;
  curandStateSobol32 s, skipped;
  curand_init(vectors, 0u, &s);
  std::vector<int> seen(256);
  for (int i = 0; i < 256; ++i) {
    curand_init(vectors, static_cast<unsigned>(i), &skipped);
    const unsigned v = curand(&s);
    EXPECT_EQ(curand(&skipped), v);
    ++seen[v >> 24];
  }
  for (int count : seen) EXPECT_EQ(count, 1);
}

}  // namespace
