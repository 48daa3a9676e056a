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

// What cuRAND 13.0's own device functions gave for a seed, a subsequence and an offset: five words, then a uniform, a
// uniform double, a normal, a normal double and a log-normal number (mean 1, deviation 0.5) in this order from one
// state.
struct KnownRun {
  unsigned long long seed, subsequence, offset;
  unsigned words[5];
  float uniform;
  double uniform_double;
  float normal;
  double normal_double;
  float log_normal;
};

template <class State>
void check_runs(const std::vector<KnownRun>& runs) {
  for (const KnownRun& run : runs) {
    State s;
    curand_init(run.seed, run.subsequence, run.offset, &s);
    for (unsigned word : run.words) EXPECT_EQ(curand(&s), word);
    EXPECT_EQ(curand_uniform(&s), run.uniform);
    EXPECT_EQ(curand_uniform_double(&s), run.uniform_double);
    EXPECT_NEAR(curand_normal(&s), run.normal, 1e-5);
    EXPECT_NEAR(curand_normal_double(&s), run.normal_double, 1e-11);
    EXPECT_NEAR(curand_log_normal(&s, 1.0f, 0.5f), run.log_normal, 1e-4 * run.log_normal);
  }
}

TEST(Xorwow, AsCurand) {
  check_runs<curandStateXORWOW>({
      {0x4d2ull,
       1ull,
       0ull,
       {0xd1f7605a, 0xed29ae49, 0x83030ed9, 0x899fbaf4, 0xcf2ac63b},
       0x1.1f1b6ep-6f,
       0x1.994454407c98p-1,
       1.39002f,
       -0.724299292892,
       2.5537f},
      {0x4d2ull,
       1ull,
       1000003ull,
       {0xe595df33, 0x5a18ba4b, 0xd884302a, 0x10fe7bd9, 0xc8b75d5b},
       0x1.36ff32p-2f,
       0x1.28ee73b8061dap-3,
       0.225697f,
       0.95427171739,
       4.024f},
      {0x4d2ull,
       123456789012ull,
       0ull,
       {0xe5372538, 0x818de4ad, 0xf8d17629, 0xbbd78233, 0x55c1b4c6},
       0x1.ee2964p-1f,
       0x1.556cbf70ddf19p-2,
       -1.89174f,
       0.490320214807,
       2.9127f},
      {0x4d2ull,
       123456789012ull,
       1000003ull,
       {0x9474664b, 0xfd9e97aa, 0x03feb8ba, 0xa1f37e15, 0x8ee6342e},
       0x1.5c3606p-1f,
       0x1.340f1a3aac4c8p-1,
       -0.527544f,
       -0.708041975925,
       5.507f},
      {0xdeadbeefcafe1234ull,
       1ull,
       0ull,
       {0xf387e80f, 0x3161e904, 0x8b960d1f, 0xf3002695, 0xac9af664},
       0x1.029304p-2f,
       0x1.a6d7b5d17caap-7,
       -0.799957f,
       -0.830508678167,
       2.5044f},
      {0xdeadbeefcafe1234ull,
       1ull,
       1000003ull,
       {0x6f64f170, 0xb4dd9f1b, 0xd1d918d3, 0xffc0bfaa, 0xa4e8eab9},
       0x1.3565bep-1f,
       0x1.a9eb196d0d2a4p-4,
       -1.84291f,
       1.04612622783,
       2.5921f},
      {0xdeadbeefcafe1234ull,
       123456789012ull,
       0ull,
       {0x3fa1e17e, 0x3d29820a, 0x29c3a968, 0x0135730e, 0x74245c6c},
       0x1.016712p-7f,
       0x1.45bb9abfa6716p-1,
       -0.367973f,
       -1.20018386901,
       2.2956f},
      {0xdeadbeefcafe1234ull,
       123456789012ull,
       1000003ull,
       {0xff794537, 0x5d4a1415, 0xa20b1fa8, 0x5efb64cf, 0x0bdbc4e2},
       0x1.c397b8p-1f,
       0x1.cc1ceaedbaf64p-4,
       -0.771344f,
       -0.0973881927541,
       0.55133f},
  });
}
TEST(Philox, AsCurand) {
  check_runs<curandStatePhilox4_32_10>({
      {0x4d2ull,
       1ull,
       0ull,
       {0xd115a128, 0x52fc7c75, 0xc7f33f17, 0x0f1539db, 0x07129e5f},
       0x1.94f5eap-2f,
       0x1.d8331c2p-4,
       0.997912f,
       1.14777720176,
       2.1681f},
      {0x4d2ull,
       1ull,
       1000003ull,
       {0x1ebcf59f, 0x14418927, 0x94ec1c58, 0x2ebe2629, 0x36c3c167},
       0x1.d657d2p-2f,
       0x1.79e6b8c4p-1,
       0.296744f,
       -0.0292997696801,
       3.9159f},
      {0x4d2ull,
       123456789012ull,
       0ull,
       {0x2289cf45, 0x66f685f5, 0x685ea25e, 0x799d1e74, 0x91e56da2},
       0x1.c37a2cp-2f,
       0x1.e5af016p-3,
       -0.0894365f,
       0.777516811965,
       4.5981f},
      {0x4d2ull,
       123456789012ull,
       1000003ull,
       {0x13ce2d3f, 0xab4cad15, 0x42efaeca, 0x8e76d349, 0xcf55d0f7},
       0x1.0d27cap-5f,
       0x1.5af2346p-2,
       -0.537067f,
       0.952027540915,
       2.0954f},
      {0xdeadbeefcafe1234ull,
       1ull,
       0ull,
       {0x8e8f95c4, 0xe4df0a58, 0xe0e7b43f, 0xbc08e463, 0x340fa2e9},
       0x1.1b65cap-1f,
       0x1.86e140ccp-1,
       -0.0218986f,
       0.476906131557,
       2.9991f},
      {0xdeadbeefcafe1234ull,
       1ull,
       1000003ull,
       {0x08300a23, 0x23a74e65, 0x6b4bd719, 0xd65ffc99, 0x09a3ed30},
       0x1.2a5e78p-1f,
       0x1.6d9103bp-1,
       1.65386f,
       1.64083466158,
       2.6672f},
      {0xdeadbeefcafe1234ull,
       123456789012ull,
       0ull,
       {0xc6bbad6d, 0x3e39a046, 0x54dd6c1d, 0xe548ca5c, 0x15134682},
       0x1.a96eb6p-1f,
       0x1.f2015e3cp-2,
       -1.04564f,
       -0.214192813515,
       1.7141f},
      {0xdeadbeefcafe1234ull,
       123456789012ull,
       1000003ull,
       {0x4d0b515b, 0xd8aa2971, 0x407fb33b, 0x7d78cb13, 0x868a21bf},
       0x1.4d5cccp-1f,
       0x1.0e24a694p-1,
       0.934944f,
       0.738210601707,
       1.8891f},
  });
}
TEST(Mrg32k3a, AsCurand) {
  check_runs<curandStateMRG32k3a>({
      {0x4d2ull,
       1ull,
       0ull,
       {0x26f0d612, 0xac5068d7, 0xa3dbc910, 0x8fa62437, 0x76c19809},
       0x1.02ba64p-1f,
       0x1.8a99f0ee27adcp-2,
       1.41937f,
       2.56636694633,
       2.0523f},
      {0x4d2ull,
       1ull,
       1000003ull,
       {0x30833f54, 0x07086f9f, 0x3cbe5f9e, 0x84d29d46, 0x6eb4b8fa},
       0x1.8508bcp-1f,
       0x1.f96fbf2ca43b2p-2,
       -0.053357f,
       -1.06197454663,
       3.8014f},
      {0x4d2ull,
       123456789012ull,
       0ull,
       {0x62614e13, 0xf7a3002e, 0x94279c5f, 0x162bd617, 0x3ec218f4},
       0x1.048118p-1f,
       0x1.beea9594dd842p-2,
       0.522679f,
       -0.421615072629,
       1.4282f},
      {0x4d2ull,
       123456789012ull,
       1000003ull,
       {0xdf02d6b7, 0xfff04ea2, 0xd83a5645, 0x5f7726a8, 0xe7f5c483},
       0x1.575f06p-3f,
       0x1.b371ff4b80117p-3,
       -0.414491f,
       0.178457882498,
       5.0191f},
      {0xdeadbeefcafe1234ull,
       1ull,
       0ull,
       {0xfc7eece9, 0x65b15f23, 0x417e21b4, 0x83891da8, 0x0d5ae823},
       0x1.db155ap-2f,
       0x1.4e7625870e74bp-1,
       -0.403585f,
       -1.01542486892,
       1.7034f},
      {0xdeadbeefcafe1234ull,
       1ull,
       1000003ull,
       {0x60c2be3b, 0x547d53d0, 0x5e30ffcd, 0x9452e996, 0x412f12a7},
       0x1.3d054ap-1f,
       0x1.98e82935d589bp-2,
       0.269831f,
       0.872783271493,
       1.9838f},
      {0xdeadbeefcafe1234ull,
       123456789012ull,
       0ull,
       {0xf3d112da, 0x93df22ab, 0x66eee575, 0xfadf711f, 0x7f861f54},
       0x1.37721p-1f,
       0x1.edce55d325742p-2,
       0.990854f,
       0.575500769213,
       2.135f},
      {0xdeadbeefcafe1234ull,
       123456789012ull,
       1000003ull,
       {0xd649705f, 0x40adc73a, 0x707445db, 0x265b9303, 0x6a14eb8d},
       0x1.e378bcp-1f,
       0x1.bb2a8649cdb7bp-5,
       1.72126f,
       -0.456219961476,
       1.9005f},
  });
}

TEST(Xorwow, PairsOfNormalAndLogNormalNumbersAreApart) {
  curandStateXORWOW s;
  curand_init(9, 3, 2, &s);
  EXPECT_NEAR(curand_normal(&s), -0.20342, 1e-5);
  EXPECT_NEAR(curand_log_normal(&s, 0, 1), 0.38494, 1e-5);
  EXPECT_NEAR(curand_normal(&s), -0.54244, 1e-5);
  EXPECT_NEAR(curand_log_normal(&s, 0, 1), 0.80369, 1e-5);
  EXPECT_NEAR(curand_normal(&s), 1.3567, 1e-4);
}

template <class State>
std::vector<unsigned> poisson_numbers(double lambda) {
  State s;
  curand_init(5, 0, 0, &s);
  std::vector<unsigned> result;
  for (int i = 0; i < 8; ++i) result.push_back(curand_poisson(&s, lambda));
  return result;
}

// Between 64 and 4000 cuRAND inverts another approximation: there only the distribution is the same.
TEST(Poisson, AsCurandBelow64AndAbove4000) {
  using Numbers = std::vector<unsigned>;
  EXPECT_EQ(poisson_numbers<curandStateXORWOW>(0.5), (Numbers{0, 0, 0, 0, 0, 2, 1, 1}));
  EXPECT_EQ(poisson_numbers<curandStateXORWOW>(20), (Numbers{25, 20, 15, 13, 18, 26, 26, 19}));
  EXPECT_EQ(poisson_numbers<curandStateXORWOW>(5000), (Numbers{5058, 5099, 5035, 5040, 5006, 4948, 4991, 5007}));
  EXPECT_EQ(poisson_numbers<curandStatePhilox4_32_10>(20), (Numbers{18, 19, 9, 27, 22, 20, 17, 19}));
}

}  // namespace
