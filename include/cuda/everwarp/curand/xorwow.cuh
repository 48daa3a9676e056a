// XORWOW (Marsaglia 2003, "Xorshift RNGs", section 3.1): five words of xorshift and a Weyl sequence. Sequences of one
// seed lie 2^67 steps apart, as in cuRAND. The seed is scrambled as in cuRAND. So the numbers are the same.
#pragma once

#include "../math/base.cuh"
#include "xorwow_jumps.cuh"

struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

namespace everwarp::curand {

EW_MATH void xorwow_step(unsigned (&v)[5]) {
  const unsigned t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

// Makes the steps that the polynomial stands for: the sum of the states at its terms.
EW_MATH void xorwow_jump(unsigned (&v)[5], const unsigned* polynomial) {
  unsigned sum[5] = {};
  for (int word = 0; word < 5; ++word) {
    unsigned bits = polynomial[word];
    for (int i = 0; i < 32; ++i, bits >>= 1) {
      const unsigned mask = 0u - (bits & 1u);
      for (int w = 0; w < 5; ++w) sum[w] ^= v[w] & mask;
      xorwow_step(v);
    }
  }
  for (int w = 0; w < 5; ++w) v[w] = sum[w];
}

EW_MATH void xorwow_skip(curandStateXORWOW* state, unsigned long long n) {
  state->d += 362437u * static_cast<unsigned>(n);
  for (int window = 0; n != 0; ++window, n >>= 4)
    if (n & 15) xorwow_jump(state->v, xorwow_offset_jump(window, static_cast<int>(n & 15)));
}

// A sequence is a multiple of 2^32 steps, so that d comes round.
EW_MATH void xorwow_skip_sequences(curandStateXORWOW* state, unsigned long long n) {
  for (int window = 0; window < 2; ++window, n >>= 8)
    if (n & 255) xorwow_jump(state->v, xorwow_near_jump(window, static_cast<int>(n & 255)));
  for (int window = 0; n != 0; ++window, n >>= 4)
    if (n & 15) xorwow_jump(state->v, xorwow_far_jump(window, static_cast<int>(n & 15)));
}

}  // namespace everwarp::curand

EW_MATH void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  everwarp::curand::xorwow_skip(state, n);
}
EW_MATH void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  everwarp::curand::xorwow_skip_sequences(state, n);
}

EW_MATH void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                         curandStateXORWOW_t* state) {
  const unsigned t0 = 1099087573u * (static_cast<unsigned>(seed) ^ 0xaad26b49u);
  const unsigned t1 = 2591861531u * (static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + t1 + t0;
  state->v[0] = 123456789u + t0;
  state->v[1] = 362436069u ^ t0;
  state->v[2] = 521288629u + t1;
  state->v[3] = 88675123u ^ t1;
  state->v[4] = 5783321u + t0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}

EW_MATH unsigned curand(curandStateXORWOW_t* state) {
  everwarp::curand::xorwow_step(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}
