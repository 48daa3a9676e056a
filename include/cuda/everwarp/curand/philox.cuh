// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"): ten rounds on a
// 128-bit counter under a 64-bit key. The key is the seed; the counter's high half is the subsequence.
#pragma once

#include "../../vector_types.h"
#include "../math/base.cuh"

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace everwarp::curand {

EW_MATH uint4 philox4x32_10(uint4 c, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p0 = static_cast<unsigned long long>(0xd2511f53u) * c.x;
    const unsigned long long p1 = static_cast<unsigned long long>(0xcd9e8d57u) * c.z;
    const unsigned high0 = static_cast<unsigned>(p0 >> 32), high1 = static_cast<unsigned>(p1 >> 32);
    c = {high1 ^ c.y ^ key.x, static_cast<unsigned>(p1), high0 ^ c.w ^ key.y, static_cast<unsigned>(p0)};
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return c;
}

EW_MATH void philox_advance(curandStatePhilox4_32_10* state, unsigned long long blocks) {
  const unsigned long long low = (static_cast<unsigned long long>(state->ctr.y) << 32) | state->ctr.x;
  const unsigned long long sum = low + blocks;
  state->ctr.x = static_cast<unsigned>(sum);
  state->ctr.y = static_cast<unsigned>(sum >> 32);
  if (sum < low && ++state->ctr.z == 0) ++state->ctr.w;
  state->output = philox4x32_10(state->ctr, state->key);
}

EW_MATH unsigned lane(uint4 v, unsigned i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

}  // namespace everwarp::curand

EW_MATH void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  state->STATE += static_cast<unsigned>(n & 3);
  n >>= 2;
  if (state->STATE > 3) {
    ++n;
    state->STATE -= 4;
  }
  everwarp::curand::philox_advance(state, n);
}
EW_MATH void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  const unsigned long long high = ((static_cast<unsigned long long>(state->ctr.w) << 32) | state->ctr.z) + n;
  state->ctr.z = static_cast<unsigned>(high);
  state->ctr.w = static_cast<unsigned>(high >> 32);
  state->output = everwarp::curand::philox4x32_10(state->ctr, state->key);
}

EW_MATH void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                         curandStatePhilox4_32_10_t* state) {
  *state = {};
  state->key = {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
  state->ctr.z = static_cast<unsigned>(subsequence);
  state->ctr.w = static_cast<unsigned>(subsequence >> 32);
  skipahead(offset, state);
}

EW_MATH unsigned curand(curandStatePhilox4_32_10_t* state) {
  const unsigned value = everwarp::curand::lane(state->output, state->STATE);
  if (++state->STATE == 4) {
    state->STATE = 0;
    everwarp::curand::philox_advance(state, 1);
  }
  return value;
}

// The next four numbers, of which some may lie in the next block
EW_MATH uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const uint4 old = state->output;
  everwarp::curand::philox_advance(state, 1);
  const uint4 fresh = state->output;
  switch (state->STATE) {
    case 1:
      return {old.y, old.z, old.w, fresh.x};
    case 2:
      return {old.z, old.w, fresh.x, fresh.y};
    case 3:
      return {old.w, fresh.x, fresh.y, fresh.z};
    default:
      return old;
  }
}
