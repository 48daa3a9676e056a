// Sobol' quasi-random sequences in Gray-code order (Bratley and Fox 1988, algorithm 659), plain and scrambled by a
// mask, with 32 and 64 bits. The direction vectors are the caller's.
#pragma once

#include "../math/base.cuh"

typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

struct curandStateSobol32 {
  unsigned i, x, c, direction_vectors[32];
};
struct curandStateScrambledSobol32 {
  unsigned i, x, c, direction_vectors[32];
};
struct curandStateSobol64 {
  unsigned long long i, x, c, direction_vectors[64];
};
struct curandStateScrambledSobol64 {
  unsigned long long i, x, c, direction_vectors[64];
};
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

namespace everwarp::curand {

EW_MATH int lowest_zero(unsigned x) {
  return __builtin_ctz(~x | 0x80000000u);
}
EW_MATH int lowest_zero(unsigned long long x) {
  return __builtin_ctzll(~x | 0x8000000000000000ull);
}

// Element i is the sum of the vectors at the one bits of i's Gray code.
template <class State, class Word>
EW_MATH void sobol_skip(State* state, Word n) {
  const Word gray_before = state->i ^ (state->i >> 1);
  state->i += n;
  Word change = gray_before ^ state->i ^ (state->i >> 1);
  for (int bit = 0; change != 0; ++bit, change >>= 1)
    if (change & 1) state->x ^= state->direction_vectors[bit];
}

template <class State, class Word>
EW_MATH void sobol_init(const Word* vectors, Word scramble, Word offset, State* state) {
  for (int i = 0; i < static_cast<int>(8 * sizeof(Word)); ++i) state->direction_vectors[i] = vectors[i];
  state->i = 0;
  state->c = scramble;
  state->x = scramble;
  sobol_skip(state, offset);
}

template <class State>
EW_MATH auto sobol_next(State* state) -> decltype(+state->x) {
  const auto value = state->x;
  state->x ^= state->direction_vectors[lowest_zero(state->i)];
  ++state->i;
  return value;
}

}  // namespace everwarp::curand

EW_MATH void curand_init(curandDirectionVectors32_t vectors, unsigned offset, curandStateSobol32_t* state) {
  everwarp::curand::sobol_init(vectors, 0u, offset, state);
}
EW_MATH void curand_init(curandDirectionVectors32_t vectors, unsigned scramble, unsigned offset,
                         curandStateScrambledSobol32_t* state) {
  everwarp::curand::sobol_init(vectors, scramble, offset, state);
}
EW_MATH void curand_init(curandDirectionVectors64_t vectors, unsigned long long offset, curandStateSobol64_t* state) {
  everwarp::curand::sobol_init(vectors, 0ull, offset, state);
}
EW_MATH void curand_init(curandDirectionVectors64_t vectors, unsigned long long scramble, unsigned long long offset,
                         curandStateScrambledSobol64_t* state) {
  everwarp::curand::sobol_init(vectors, scramble, offset, state);
}

#define EW_SOBOL(State, Word)                    \
  EW_MATH Word curand(State* state) {            \
    return everwarp::curand::sobol_next(state);  \
  }                                              \
  EW_MATH void skipahead(Word n, State* state) { \
    everwarp::curand::sobol_skip(state, n);      \
  }
EW_SOBOL(curandStateSobol32_t, unsigned)
EW_SOBOL(curandStateScrambledSobol32_t, unsigned)
EW_SOBOL(curandStateSobol64_t, unsigned long long)
EW_SOBOL(curandStateScrambledSobol64_t, unsigned long long)
#undef EW_SOBOL
