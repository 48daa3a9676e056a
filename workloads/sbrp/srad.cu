// SRAD: speckle-reducing anisotropic diffusion (Yu and Acton, 2002) of an image that lives in a persistent pool. After
// "SBRP" (ASPLOS'23, section 7.1): each thread has a pixel and each iteration two steps. The first persists the pixel's
// noise values (derivatives and diffusion coefficient) and, after an ofence, the pixel as it is now; the second
// persists the pixel's new value. Recovery is native: the same steps again, where a thread whose pixel is durable does
// nothing.
//
//   srad [--side N] [--iterations N] [--pool FILE]    create the pool, filter the image, check
//   srad --recover FILE                               finish the work, check
//   --stop-before-commit: all but the last change of state
//
// A pixel is one aligned word, value and stamp, and so never torn. A saved pixel with this iteration's stamp says that
// its noise values are durable too: that is what the ofence is for. The pool's state says which step is under way (0:
// loading, 2k + 1 and 2k + 2: the steps of iteration k); it changes between kernels, and a stream's order is a persist
// order. The second step may write the image in place, for it reads the saved pixels.
// deterministic: yes
#include "../cuda/speckle.h"
#include "recoverable.h"

namespace {

using recoverable::Header;
using recoverable::set_state;
using speckle::coefficient_of;
using speckle::diffused;

constexpr uint64_t kMagic = 0x5342525053523031ull;
constexpr uint32_t kThreads = 1024;
using Word = unsigned long long;

struct Shape {
  uint32_t side, iterations;
  uint32_t pixels() const { return side * side; }
  size_t words_bytes() const { return recoverable::whole_lines(pixels() * sizeof(Word)); }
  size_t bytes() const {
    return 2 * words_bytes() + recoverable::whole_lines(pixels() * sizeof(float4)) +
           recoverable::whole_lines(pixels() * sizeof(float));
  }
};
constexpr recoverable::Presets<Shape> kPresets = {{512, 2}, {512, 1}, {6, 2}};
using Options = recoverable::Options<Shape>;

// The parts of a pool: header, image, image as the first step saved it, derivatives to north, south, west and east,
// diffusion coefficients. Stamp k + 1: the image after k iterations. A value; the pool outlives it.
struct Work {
  Header* header;
  Word* image;
  Word* saved;
  float4* derivatives;
  float* coefficients;
};
Work work_in(Header* header, const Shape& shape) {
  char* at = reinterpret_cast<char*>(header + 1);
  char* noise = at + 2 * shape.words_bytes();
  return {header, reinterpret_cast<Word*>(at), reinterpret_cast<Word*>(at + shape.words_bytes()),
          reinterpret_cast<float4*>(noise),
          reinterpret_cast<float*>(noise + recoverable::whole_lines(shape.pixels() * sizeof(float4)))};
}

__host__ __device__ uint32_t stamp_of(Word pixel) {
  return static_cast<uint32_t>(pixel >> 32);
}
__device__ float value_of(Word pixel) {
  return __uint_as_float(static_cast<uint32_t>(pixel));
}
__device__ Word pixel_of(float value, uint32_t stamp) {
  return Word(stamp) << 32 | __float_as_uint(value);
}
float host_value_of(Word pixel) {
  const uint32_t bits = static_cast<uint32_t>(pixel);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

__global__ void load(Work work, const float* input, uint32_t pixels) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels || stamp_of(work.image[i]) != 0) return;
  work.image[i] = pixel_of(input[i], 1);  // @load
  ofence();
}

// Sum and sum of squares of each block's pixels, for the image's noise level.
__global__ void measure(const Word* image, uint32_t pixels, double2* totals) {
  __shared__ double2 held[kThreads];
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  const double value = i < pixels ? value_of(image[i]) : 0;
  held[t] = {value, value * value};
  for (uint32_t stride = kThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (t < stride) held[t] = {held[t].x + held[t + stride].x, held[t].y + held[t + stride].y};
  }
  if (t == 0) totals[blockIdx.x] = held[0];
}

// The first step.
__global__ void find_noise(Work work, uint32_t side, uint32_t stamp, float noise_level) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, row = i / side, column = i % side;
  if (i >= side * side || stamp_of(work.saved[i]) == stamp) return;  // its noise values are durable, too
  const float here = value_of(work.image[i]);
  const float4 to = {
      value_of(work.image[row > 0 ? i - side : i]) - here, value_of(work.image[row + 1 < side ? i + side : i]) - here,
      value_of(work.image[column > 0 ? i - 1 : i]) - here, value_of(work.image[column + 1 < side ? i + 1 : i]) - here};
  if (BUG == 2) work.saved[i] = pixel_of(here, stamp);           // @saved_early
  work.derivatives[i] = to;                                      // @derivatives
  work.coefficients[i] = coefficient_of(here, to, noise_level);  // @coefficients
  if (BUG != 1) ofence();
  if (BUG != 2) work.saved[i] = pixel_of(here, stamp);  // @saved
  ofence();
}

// The second step.
__global__ void diffuse(Work work, uint32_t side, uint32_t stamp) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, row = i / side, column = i % side;
  if (i >= side * side) return;
  if (BUG != 6 && stamp_of(work.image[i]) == stamp + 1) return;
  const float south = work.coefficients[row + 1 < side ? i + side : i];
  const float east = work.coefficients[column + 1 < side ? i + 1 : i];
  const float here = value_of(BUG == 6 ? work.image[i] : work.saved[i]);
  const float value = diffused(here, work.derivatives[i], work.coefficients[i], south, east);
  if (BUG == 4) {                                                // in two stores
    reinterpret_cast<uint32_t*>(&work.image[i])[1] = stamp + 1;  // @stamp_early
    reinterpret_cast<float*>(&work.image[i])[0] = value;         // @value
  } else {
    work.image[i] = pixel_of(value, stamp + 1);  // @pixel
  }
  ofence();
}

// The squared coefficient of variation of the image (q0 squared).
float noise_level_of(const std::vector<double2>& totals, uint32_t pixels) {
  double sum = 0, squares = 0;
  for (const double2& total : totals) {
    sum += total.x;
    squares += total.y;
  }
  return speckle::noise_level_of(sum, squares, pixels);
}

// From where the pool is to the end.
void filter(Work work, const Shape& shape, bool commit) {
  const uint32_t pixels = shape.pixels();
  const int blocks = recoverable::blocks_for(pixels, kThreads);
  const DeviceArray<float> input(speckle::noisy_image(shape.side));
  uint64_t state = work.header->state;
  const DeviceArray<Word> fresh(BUG == 5 ? pixels : 0, 0);
  if (BUG == 5 && state != 0) work.image = fresh;
  const uint64_t last = 2 * shape.iterations + 1;
  for (; state < last; ++state) {
    const uint32_t stamp = static_cast<uint32_t>((state + 1) / 2);
    if (BUG == 3) set_state<<<1, 1>>>(work.header, state + 1);
    if (state == 0) {
      load<<<blocks, kThreads>>>(work, input, pixels);
    } else if (state % 2 == 1) {
      const DeviceArray<double2> totals(static_cast<size_t>(blocks));
      measure<<<blocks, kThreads>>>(work.image, pixels, totals);
      find_noise<<<blocks, kThreads>>>(work, shape.side, stamp, noise_level_of(totals.download(), pixels));
    } else {
      diffuse<<<blocks, kThreads>>>(work, shape.side, stamp);
    }
    if (BUG != 3 && (commit || state + 1 < last)) set_state<<<1, 1>>>(work.header, state + 1);
    FINISH_KERNEL();
    if (commit || state + 1 < last) recoverable::acknowledge(state + 1);
  }
}

// Image, saved pixels and coefficients against the host's; the smallest change that a lost step makes is far above the
// tolerance, which is for contracted multiplications.
void check_work(const Work& work, const Shape& shape) {
  EXPECT(work.header->state == 2ull * shape.iterations + 1, "the state should be %u, is %llu", 2 * shape.iterations + 1,
         static_cast<unsigned long long>(work.header->state));
  const speckle::Filtered want = speckle::filter_on_host(shape.side, shape.iterations);
  for (uint32_t i = 0; i < shape.pixels(); ++i) {
    EXPECT(stamp_of(work.image[i]) == shape.iterations + 1 && stamp_of(work.saved[i]) == shape.iterations,
           "pixel %u should have stamps %u and %u, has %u and %u", i, shape.iterations + 1, shape.iterations,
           stamp_of(work.image[i]), stamp_of(work.saved[i]));
    EXPECT(check::close_to(want.image[i], host_value_of(work.image[i]), 2e-4, 0), "pixel %u should be %.9g, is %.9g", i,
           want.image[i], host_value_of(work.image[i]));
    EXPECT(check::close_to(want.saved[i], host_value_of(work.saved[i]), 2e-4, 0),
           "saved pixel %u should be %.9g, is %.9g", i, want.saved[i], host_value_of(work.saved[i]));
    EXPECT(check::close_to(want.coefficients[i], work.coefficients[i], 2e-3, 2e-3),
           "coefficient %u should be %.9g, is %.9g", i, want.coefficients[i], work.coefficients[i]);
  }
}

int run(const Options& options) {
  const Work work = work_in(recoverable::create_pool(options, kMagic), options.shape);
  filter(work, options.shape, !options.stop_before_commit);
  gpm_persist_end();
  if (options.stop_before_commit) return PASS("stopped before the last change of state");
  check_work(work, options.shape);
  return PASS("side=%u iterations=%u", options.shape.side, options.shape.iterations);
}

int recover(const Options& options) {
  Shape shape;
  Header* header = recoverable::reopen_pool(options.recovered, kMagic, &shape);
  if (header == nullptr) return PASS("the pool was not created yet");
  const Work work = work_in(header, shape);
  const uint64_t state = header->state;
  EXPECT(state <= 2ull * shape.iterations + 1, "the state should be at most %u, is %llu", 2 * shape.iterations + 1,
         static_cast<unsigned long long>(state));
  recoverable::expect_acknowledged(state, "steps");
  filter(work, shape, true);
  check_work(work, shape);
  return PASS("recovered: went on at step %llu of %u", static_cast<unsigned long long>(state),
              2 * shape.iterations + 1);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = recoverable::parse<Shape>(
      argc, argv, "srad.pool", kPresets, {{"--side", &Shape::side, 4096}, {"--iterations", &Shape::iterations, 1000}});
  return options.recovered.empty() ? run(options) : recover(options);
}
