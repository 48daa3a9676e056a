// The generators behind curand.h. A generator owns a state for each stream of numbers, and a buffer for copies. XORWOW and
// MRG32k3a have 4096 streams, as cuRAND documents its default order: number n comes from stream n mod 4096. Philox has one
// stream.
#pragma once

#include <vector>

#include "distributions.cuh"

namespace everwarp::curand {

class HostGenerator {
 public:
  HostGenerator(curandRngType_t type, bool on_host) : type_(type), on_host_(on_host) {}

  // If the seed or the offset changes, the generator starts again.
  void set_seed(unsigned long long seed) { seed_ = seed, ready_ = false; }
  void set_offset(unsigned long long offset) { offset_ = offset, ready_ = false; }
  void set_stream(cudaStream_t stream) { stream_ = stream; }

  // `draw(state)` gives `group` numbers, which stay together; n is a multiple of group.
  template <class T, int group, class Draw>
  curandStatus_t generate(T* out, size_t n, Draw draw) {
    if (n % group != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (!ready_) start();
    std::vector<T> buffer(on_host_ ? 0 : n);
    T* to = on_host_ ? out : buffer.data();
    if (type_ == CURAND_RNG_PSEUDO_PHILOX4_32_10)
      fill<T, group>(philox_, to, n, draw);
    else if (type_ == CURAND_RNG_PSEUDO_MRG32K3A)
      fill<T, group>(mrg_, to, n, draw);
    else
      fill<T, group>(xorwow_, to, n, draw);
    if (on_host_ || n == 0) return CURAND_STATUS_SUCCESS;
    if (cudaMemcpyAsync(out, to, n * sizeof(T), cudaMemcpyHostToDevice, stream_) != cudaSuccess ||
        cudaStreamSynchronize(stream_) != cudaSuccess)
      return CURAND_STATUS_LAUNCH_FAILURE;
    return CURAND_STATUS_SUCCESS;
  }

 private:
  template <class T, int group, class State, class Draw>
  void fill(std::vector<State>& states, T* to, size_t n, Draw draw) {
    for (size_t i = 0; i < n; i += group) {
      draw(&states[next_], to + i);
      next_ = next_ + 1 == states.size() ? 0 : next_ + 1;
    }
  }

  static constexpr unsigned kStreams = 4096;

  // The offset is in numbers of the whole order.
  template <class State, class Jump>
  void start_streams(std::vector<State>& states, Jump jump) {
    states.resize(kStreams);
    curand_init(seed_, 0, 0, &states[0]);
    for (unsigned i = 1; i < kStreams; ++i) {
      states[i] = states[i - 1];
      jump(&states[i]);
    }
    for (unsigned i = 0; i < kStreams; ++i)
      skipahead(offset_ / kStreams + (i < offset_ % kStreams ? 1 : 0), &states[i]);
    next_ = offset_ % kStreams;
  }
  void start() {
    if (type_ == CURAND_RNG_PSEUDO_PHILOX4_32_10) {
      philox_.resize(1);
      curand_init(seed_, 0, offset_, &philox_[0]);
      next_ = 0;
    } else if (type_ == CURAND_RNG_PSEUDO_MRG32K3A) {
      start_streams(mrg_, [](curandStateMRG32k3a* s) { mrg_skip(s, 1, 76); });
    } else {
      start_streams(xorwow_, [](curandStateXORWOW* s) { skipahead_sequence(1, s); });
    }
    ready_ = true;
  }

  curandRngType_t type_;
  bool on_host_, ready_ = false;
  unsigned long long seed_ = 0, offset_ = 0;
  cudaStream_t stream_ = nullptr;
  size_t next_ = 0;
  std::vector<curandStateXORWOW> xorwow_;
  std::vector<curandStatePhilox4_32_10> philox_;
  std::vector<curandStateMRG32k3a> mrg_;
};

inline curandStatus_t create(HostGenerator** generator, curandRngType_t type, bool on_host) {
  if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
  if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_MRG32K3A && type != CURAND_RNG_PSEUDO_PHILOX4_32_10)
    return CURAND_STATUS_TYPE_ERROR;
  *generator = new HostGenerator(type, on_host);
  return CURAND_STATUS_SUCCESS;
}

}  // namespace everwarp::curand

typedef everwarp::curand::HostGenerator* curandGenerator_t;

inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return everwarp::curand::create(generator, type, false);
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return everwarp::curand::create(generator, type, true);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int* version) {
  *version = 10300;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  generator->set_stream(stream);
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  generator->set_seed(seed);
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  generator->set_offset(offset);
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t order) {
  return order == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_OUT_OF_RANGE : CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t) {
  return CURAND_STATUS_SUCCESS;
}

inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, size_t n) {
  return generator->generate<unsigned, 1>(out, n, [](auto* s, unsigned* to) { *to = curand(s); });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t n) {
  return generator->generate<float, 1>(out, n, [](auto* s, float* to) { *to = curand_uniform(s); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, size_t n) {
  return generator->generate<double, 1>(out, n, [](auto* s, double* to) { *to = curand_uniform_double(s); });
}
inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t n, float mean,
                                           float stddev) {
  return generator->generate<float, 2>(out, n, [=](auto* s, float* to) {
    const float2 v = curand_normal2(s);
    to[0] = mean + stddev * v.x;
    to[1] = mean + stddev * v.y;
  });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t n, double mean,
                                                 double stddev) {
  return generator->generate<double, 2>(out, n, [=](auto* s, double* to) {
    const double2 v = curand_normal2_double(s);
    to[0] = mean + stddev * v.x;
    to[1] = mean + stddev * v.y;
  });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t n, float mean,
                                              float stddev) {
  return generator->generate<float, 2>(out, n, [=](auto* s, float* to) {
    const float2 v = curand_log_normal2(s, mean, stddev);
    to[0] = v.x;
    to[1] = v.y;
  });
}
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, size_t n, double mean,
                                                    double stddev) {
  return generator->generate<double, 2>(out, n, [=](auto* s, double* to) {
    const double2 v = curand_log_normal2_double(s, mean, stddev);
    to[0] = v.x;
    to[1] = v.y;
  });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* out, size_t n, double lambda) {
  return generator->generate<unsigned, 1>(out, n, [=](auto* s, unsigned* to) { *to = curand_poisson(s, lambda); });
}
