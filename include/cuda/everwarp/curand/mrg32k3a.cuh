// MRG32k3a (L'Ecuyer 1999, "Good parameters and implementations for combined multiple recursive random number
// generators"): two recurrences of order three. Subsequences of one seed lie 2^67 steps apart, sequences 2^127.
#pragma once

#include "../math/base.cuh"

struct curandStateMRG32k3a {
  unsigned s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

namespace everwarp::curand {

constexpr unsigned long long kMrgModulus1 = 4294967087ull, kMrgModulus2 = 4294944443ull;

struct Matrix3 {
  unsigned at[3][3];
};

EW_MATH Matrix3 multiply(const Matrix3& a, const Matrix3& b, unsigned long long modulus) {
  Matrix3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      unsigned long long sum = 0;
      for (int k = 0; k < 3; ++k)
        sum = (sum + static_cast<unsigned long long>(a.at[i][k]) * b.at[k][j] % modulus) % modulus;
      c.at[i][j] = static_cast<unsigned>(sum);
    }
  return c;
}

// state = step^(n 2^doublings) state
EW_MATH void mrg_skip(unsigned (&s)[3], Matrix3 step, unsigned long long n, int doublings, unsigned long long modulus) {
  for (int i = 0; i < doublings; ++i) step = multiply(step, step, modulus);
  for (; n != 0; n >>= 1) {
    if (n & 1) {
      const Matrix3 column = multiply(step, Matrix3{{{s[0], 0, 0}, {s[1], 0, 0}, {s[2], 0, 0}}}, modulus);
      for (int i = 0; i < 3; ++i) s[i] = column.at[i][0];
    }
    step = multiply(step, step, modulus);
  }
}

EW_MATH void mrg_skip(curandStateMRG32k3a* state, unsigned long long n, int doublings) {
  const unsigned m1 = static_cast<unsigned>(kMrgModulus1), m2 = static_cast<unsigned>(kMrgModulus2);
  mrg_skip(state->s1, {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728u, 1403580u, 0}}}, n, doublings, kMrgModulus1);
  mrg_skip(state->s2, {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589u, 0, 527612u}}}, n, doublings, kMrgModulus2);
}

// The next number, in [1, modulus 1]
EW_MATH unsigned mrg_next(curandStateMRG32k3a* state) {
  const unsigned long long p1 =
      (1403580ull * state->s1[1] + (kMrgModulus1 - 810728ull) * state->s1[0] % kMrgModulus1) % kMrgModulus1;
  const unsigned long long p2 =
      (527612ull * state->s2[2] + (kMrgModulus2 - 1370589ull) * state->s2[0] % kMrgModulus2) % kMrgModulus2;
  state->s1[0] = state->s1[1];
  state->s1[1] = state->s1[2];
  state->s1[2] = static_cast<unsigned>(p1);
  state->s2[0] = state->s2[1];
  state->s2[1] = state->s2[2];
  state->s2[2] = static_cast<unsigned>(p2);
  return static_cast<unsigned>(p1 > p2 ? p1 - p2 : p1 - p2 + kMrgModulus1);
}

}  // namespace everwarp::curand

EW_MATH void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  everwarp::curand::mrg_skip(state, n, 0);
}
EW_MATH void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  everwarp::curand::mrg_skip(state, n, 76);
}
EW_MATH void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  everwarp::curand::mrg_skip(state, n, 127);
}

EW_MATH void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                         curandStateMRG32k3a_t* state) {
  using namespace everwarp::curand;
  *state = {};
  for (int i = 0; i < 3; ++i) state->s1[i] = state->s2[i] = 12345u;
  if (seed != 0) {
    const unsigned x[2] = {static_cast<unsigned>(seed) ^ 0x55555555u, static_cast<unsigned>(seed >> 32) ^ 0xaaaaaaaau};
    for (int i = 0; i < 3; ++i) {
      state->s1[i] = static_cast<unsigned>(12345ull * x[i & 1] % kMrgModulus1);
      state->s2[i] = static_cast<unsigned>(12345ull * x[(i + 1) & 1] % kMrgModulus2);
    }
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}

EW_MATH unsigned curand(curandStateMRG32k3a_t* state) {
  return static_cast<unsigned>(everwarp::curand::mrg_next(state) * 1.000000048662);
}
