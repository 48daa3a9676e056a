// Uniform, normal, log-normal and Poisson numbers from any generator. Uniform ones lie in (0, 1]; normal ones are Box
// and Muller's for the pseudo-random generators and the inverse of the distribution for Sobol's, as in cuRAND.
#pragma once

#include "../../vector_types.h"
#include "../math/error_functions.cuh"
#include "../math/gamma.cuh"
#include "../math/trigonometric.cuh"
#include "mrg32k3a.cuh"
#include "philox.cuh"
#include "sobol.cuh"
#include "xorwow.cuh"

namespace everwarp::curand {

EW_MATH float unit(unsigned x) {
  return math::fma_rn(static_cast<float>(x), 0x1p-32f, 0x1p-33f);
}
EW_MATH double unit(unsigned x, unsigned y) {
  const unsigned long long z = static_cast<unsigned long long>(x) ^ (static_cast<unsigned long long>(y) << 21);
  return math::fma_rn(static_cast<double>(z), 0x1p-53, 0x1p-54);
}
EW_MATH float unit_of_word(unsigned x) {
  return unit(x);
}
EW_MATH float unit_of_word(unsigned long long x) {
  return unit(static_cast<unsigned>(x >> 32));
}
EW_MATH double double_of_word(unsigned x) {
  return math::fma_rn(static_cast<double>(x), 0x1p-32, 0x1p-32);
}
EW_MATH double double_of_word(unsigned long long x) {
  return math::fma_rn(static_cast<double>(x >> 11), 0x1p-53, 0x1p-54);
}

// Makes a uniform number, from a generator of each kind
template <class State>
EW_MATH float uniform(State* state) {
  return unit_of_word(::curand(state));
}
template <class State>
EW_MATH double uniform_double(State* state) {
  return double_of_word(::curand(state));
}
EW_MATH double uniform_double(curandStateXORWOW_t* state) {
  const unsigned x = ::curand(state);
  return unit(x, ::curand(state));
}
constexpr double kMrgNorm = 2.3283065498378288e-10;  // as cuRAND's results show; 1 / (modulus 1 + 1) is 5e-10 less
EW_MATH float uniform(curandStateMRG32k3a_t* state) {
  return static_cast<float>(mrg_next(state) * kMrgNorm);
}
EW_MATH double uniform_double(curandStateMRG32k3a_t* state) {
  return mrg_next(state) * kMrgNorm;
}

// Makes two independent normal numbers from two uniform ones
EW_MATH float2 box_muller(unsigned x, unsigned y) {
  const float u = unit(x), v = math::fma_rn(static_cast<float>(y), 0x1.921fb6p-30f, 0x1.921fb6p-31f);  // 2 pi 2^-32
  const float s = math::square_root(-2.0f * math::log(u));
  float2 r;
  math::sincos(v, r.x, r.y);
  r.x *= s;
  r.y *= s;
  return r;
}
EW_MATH double2 box_muller(double u, double v) {
  const double s = math::square_root(-2.0 * math::log(u));
  double2 r;
  math::sincospi(2 * v, r.x, r.y);
  r.x *= s;
  r.y *= s;
  return r;
}

template <class State>
EW_MATH float2 normal2(State* state) {
  const unsigned x = ::curand(state);
  return box_muller(x, ::curand(state));
}
EW_MATH float2 normal2(curandStateMRG32k3a_t* state) {
  const double u = uniform_double(state), v = uniform_double(state);
  const double2 d = box_muller(u, v);
  return {static_cast<float>(d.x), static_cast<float>(d.y)};
}
template <class State>
EW_MATH double2 normal2_double(State* state) {
  const double u = uniform_double(state);
  return box_muller(u, uniform_double(state));
}
EW_MATH double2 normal2_double(curandStatePhilox4_32_10_t* state) {  // of 53 bits each, unlike its uniform numbers
  const unsigned x = ::curand(state), y = ::curand(state), z = ::curand(state);
  return box_muller(unit(x, y), unit(z, ::curand(state)));
}

// The second number of a pair waits in the state for the next call of the same kind; a call of the other kind (normal,
// log-normal) draws a new pair, as in cuRAND.
enum Waiting { kNothing, kNormal, kLogNormal };

template <class State>
EW_MATH float next_of_pair(State* state, Waiting kind) {
  if (state->boxmuller_flag == kind) {
    state->boxmuller_flag = kNothing;
    return state->boxmuller_extra;
  }
  const float2 v = normal2(state);
  state->boxmuller_extra = v.y;
  state->boxmuller_flag = kind;
  return v.x;
}
template <class State>
EW_MATH double next_of_pair_double(State* state, Waiting kind) {
  if (state->boxmuller_flag_double == kind) {
    state->boxmuller_flag_double = kNothing;
    return state->boxmuller_extra_double;
  }
  const double2 v = normal2_double(state);
  state->boxmuller_extra_double = v.y;
  state->boxmuller_flag_double = kind;
  return v.x;
}
template <class State>
EW_MATH float normal(State* state, Waiting kind = kNormal) {
  return next_of_pair(state, kind);
}
template <class State>
EW_MATH double normal_double(State* state, Waiting kind = kNormal) {
  return next_of_pair_double(state, kind);
}
#define EW_SOBOL_NORMAL(State)                      \
  EW_MATH float normal(State* state, Waiting = kNormal) {              \
    return math::normcdfinv(uniform(state));        \
  }                                                 \
  EW_MATH double normal_double(State* state, Waiting = kNormal) {      \
    return math::normcdfinv(uniform_double(state)); \
  }
EW_SOBOL_NORMAL(curandStateSobol32_t)
EW_SOBOL_NORMAL(curandStateScrambledSobol32_t)
EW_SOBOL_NORMAL(curandStateSobol64_t)
EW_SOBOL_NORMAL(curandStateScrambledSobol64_t)
#undef EW_SOBOL_NORMAL

// Poisson numbers. For lambda below 64: products of uniform numbers (Knuth). Up to 4000: Hörmann's transformed rejection
// (PTRS, 1993). Above: the rounded normal distribution. The first and the last give the same numbers as cuRAND; the middle
// one gives the same distribution.
template <class State>
EW_MATH unsigned poisson(State* state, double lambda) {
  if (lambda < 64) {
    const double end = math::exp(-lambda);
    double product = uniform(state);
    unsigned k = 0;
    for (; product > end; ++k) product *= uniform(state);
    return k;
  }
  if (lambda > 4000) {
    const double v = lambda + math::square_root(lambda) * normal_double(state) + 0.5;
    return v < 0 ? 0u : static_cast<unsigned>(v);
  }
  const double log_lambda = math::log(lambda), b = 0.931 + 2.53 * math::square_root(lambda), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), bound = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = uniform_double(state) - 0.5, v = uniform_double(state);
    const double distance = 0.5 - math::magnitude(u);
    const double k = math::floored((2 * a / distance + b) * u + lambda + 0.43);
    if (distance >= 0.07 && v <= bound) return static_cast<unsigned>(k);
    if (k < 0 || (distance < 0.013 && v > distance)) continue;
    if (math::log(v) + math::log(inverse_alpha) - math::log(a / (distance * distance) + b) <=
        -lambda + k * log_lambda - math::lgamma(k + 1))
      return static_cast<unsigned>(k);
  }
}

}  // namespace everwarp::curand

template <class State>
EW_MATH float curand_uniform(State* state) {
  return everwarp::curand::uniform(state);
}
template <class State>
EW_MATH double curand_uniform_double(State* state) {
  return everwarp::curand::uniform_double(state);
}
template <class State>
EW_MATH float curand_normal(State* state) {
  return everwarp::curand::normal(state);
}
template <class State>
EW_MATH double curand_normal_double(State* state) {
  return everwarp::curand::normal_double(state);
}
template <class State>
EW_MATH float2 curand_normal2(State* state) {
  return everwarp::curand::normal2(state);
}
template <class State>
EW_MATH double2 curand_normal2_double(State* state) {
  return everwarp::curand::normal2_double(state);
}
template <class State>
EW_MATH float curand_log_normal(State* state, float mean, float stddev) {
  return everwarp::math::exp(mean + stddev * everwarp::curand::normal(state, everwarp::curand::kLogNormal));
}
template <class State>
EW_MATH double curand_log_normal_double(State* state, double mean, double stddev) {
  return everwarp::math::exp(mean + stddev * everwarp::curand::normal_double(state, everwarp::curand::kLogNormal));
}
template <class State>
EW_MATH float2 curand_log_normal2(State* state, float mean, float stddev) {
  const float2 v = curand_normal2(state);
  return {everwarp::math::exp(mean + stddev * v.x), everwarp::math::exp(mean + stddev * v.y)};
}
template <class State>
EW_MATH double2 curand_log_normal2_double(State* state, double mean, double stddev) {
  const double2 v = curand_normal2_double(state);
  return {everwarp::math::exp(mean + stddev * v.x), everwarp::math::exp(mean + stddev * v.y)};
}
template <class State>
EW_MATH unsigned curand_poisson(State* state, double lambda) {
  return everwarp::curand::poisson(state, lambda);
}

// Philox makes four at a time.
EW_MATH float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const uint4 v = curand4(state);
  using everwarp::curand::unit;
  return {unit(v.x), unit(v.y), unit(v.z), unit(v.w)};
}
EW_MATH double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 v = curand4(state);
  using everwarp::curand::unit;
  return {unit(v.x, v.y), unit(v.z, v.w)};
}
EW_MATH float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 v = curand4(state);
  const float2 a = everwarp::curand::box_muller(v.x, v.y), b = everwarp::curand::box_muller(v.z, v.w);
  return {a.x, a.y, b.x, b.y};
}
EW_MATH float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) {
  const float4 v = curand_normal4(state);
  using everwarp::math::exp;
  return {exp(mean + stddev * v.x), exp(mean + stddev * v.y), exp(mean + stddev * v.z), exp(mean + stddev * v.w)};
}
EW_MATH uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  const unsigned a = curand_poisson(state, lambda), b = curand_poisson(state, lambda);
  const unsigned c = curand_poisson(state, lambda), d = curand_poisson(state, lambda);
  return {a, b, c, d};
}
EW_MATH double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return {a.x, a.y, b.x, b.y};
}
EW_MATH double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return {a.x, a.y, b.x, b.y};
}
EW_MATH double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* state, double mean, double stddev) {
  const double2 a = curand_log_normal2_double(state, mean, stddev), b = curand_log_normal2_double(state, mean, stddev);
  return {a.x, a.y, b.x, b.y};
}
