// Monte Carlo with the device generators of curand_kernel.h: pi by hits, the moments of a normal distribution, and that
// sequences and offsets mean what they say. Exercises: XORWOW and Philox states, curand_uniform, curand_normal,
// curand4.
//
// deterministic: yes
#include <curand_kernel.h>

#include "check.h"

namespace {

constexpr unsigned long long kSeed = 20240229;

template <class State>
__global__ void throw_darts(unsigned long long* hits, int darts) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  curand_init(kSeed, id, 0, &state);
  unsigned long long mine = 0;
  for (int i = 0; i < darts; ++i) {
    const float x = curand_uniform(&state), y = curand_uniform(&state);  // in (0, 1]
    mine += x * x + y * y <= 1.0f;
  }
  atomicAdd(hits, mine);
}

__global__ void draw_normals(float* cells, int each) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(kSeed, id, 0, &state);
  for (int i = 0; i < each; i += 2) {
    const float2 pair = curand_normal2(&state);
    cells[id * each + i] = pair.x;
    cells[id * each + i + 1] = pair.y;
  }
}

// out[0..7] drawn one by one; out[8..11] drawn after skipping 4; out[12..15] drawn as one uint4 after skipping 4.
__global__ void draw_with_offsets(unsigned* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(kSeed, 5, 0, &state);
  for (int i = 0; i < 8; ++i) out[i] = curand(&state);
  curand_init(kSeed, 5, 4, &state);
  for (int i = 8; i < 12; ++i) out[i] = curand(&state);
  curand_init(kSeed, 5, 4, &state);
  const uint4 four = curand4(&state);
  out[12] = four.x, out[13] = four.y, out[14] = four.z, out[15] = four.w;
  curandState xorwow;
  curand_init(kSeed, 5, 0, &xorwow);
  for (int i = 16; i < 24; ++i) out[i] = curand(&xorwow);
  curand_init(kSeed, 5, 0, &xorwow);
  skipahead(4, &xorwow);
  for (int i = 24; i < 28; ++i) out[i] = curand(&xorwow);
}

template <class State>
double estimate_pi(int darts) {
  constexpr int kThreads = 512;
  DeviceArray<unsigned long long> hits(1, 0);
  throw_darts<State><<<kThreads / 64, 64>>>(hits, darts);
  FINISH_KERNEL();
  return 4.0 * hits.download()[0] / (static_cast<double>(darts) * kThreads);
}

}  // namespace

int main(int argc, char** argv) {
  const int darts = size_argument(argc, argv, 1, 100, 50, 1 << 20);
  const double pi = std::acos(-1.0);
  const double spread = 6 * std::sqrt(pi * (4 - pi) / (512.0 * darts));  // six standard deviations
  const double by_xorwow = estimate_pi<curandState>(darts), by_philox = estimate_pi<curandStatePhilox4_32_10_t>(darts);
  EXPECT(std::fabs(by_xorwow - pi) < spread, "pi by XORWOW should be within %g, is %.6f", spread, by_xorwow);
  EXPECT(std::fabs(by_philox - pi) < spread, "pi by Philox should be within %g, is %.6f", spread, by_philox);

  constexpr int kEach = 16, kThreads = 256;
  DeviceArray<float> cells(kEach * kThreads);
  draw_normals<<<4, kThreads / 4>>>(cells, kEach);
  FINISH_KERNEL();
  double sum = 0, squares = 0;
  for (float x : cells.download()) sum += x, squares += static_cast<double>(x) * x;
  const double count = kEach * kThreads, mean = sum / count, variance = squares / count - mean * mean;
  EXPECT(std::fabs(mean) < 6 / std::sqrt(count), "the mean should be near 0, is %g", mean);
  EXPECT(std::fabs(variance - 1) < 6 * std::sqrt(2 / count), "the variance should be near 1, is %g", variance);

  DeviceArray<unsigned> drawn(28);
  draw_with_offsets<<<1, 1>>>(drawn);
  FINISH_KERNEL();
  const auto d = drawn.download();
  for (int i = 0; i < 4; ++i) {
    EXPECT(d[8 + i] == d[4 + i], "Philox at offset 4, draw %d, should be %u, is %u", i, d[4 + i], d[8 + i]);
    EXPECT(d[12 + i] == d[4 + i], "curand4 at offset 4, word %d, should be %u, is %u", i, d[4 + i], d[12 + i]);
    EXPECT(d[24 + i] == d[20 + i], "XORWOW skipped by 4, draw %d, should be %u, is %u", i, d[20 + i], d[24 + i]);
  }
  return PASS("darts=%d pi=%.6f and %.6f", darts * 512, by_xorwow, by_philox);
}
