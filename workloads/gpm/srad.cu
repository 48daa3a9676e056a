// SRAD: speckle-reducing anisotropic diffusion of an image, with the diffusion coefficients and the image in persistent
// memory ("GPM", ASPLOS'22, section 4.3). The method is that of Yu and Acton, 2002. An iteration has two kernels: the
// first computes the coefficients, the second the pixels.
//
//   srad [--width N] [--height N] [--iterations N] …
//   srad --recover FILE                    finish the iterations, check
//   --stop-before-commit: all but the last state
//
// What the recovery relies on. Iteration i reads image i % 2 and writes the other image. So each kernel may be run
// again. The state counts kernels. The block that ends last stores it, when the results of all blocks are durable.
//
// deterministic: yes
#include "system.h"

namespace {

using bench::Phase;
using bench::Store;

constexpr uint64_t kMagic = 0x535241442d474d31ull;
constexpr unsigned kThreads = 256;
constexpr float kLambda = 0.5f;

struct Shape {
  uint32_t width, height, iterations, system;
  size_t pixels() const { return size_t(width) * height; }
  size_t plane_bytes() const { return bench::whole_lines(pixels() * sizeof(float)); }
  size_t bytes() const { return 3 * plane_bytes(); }
  unsigned blocks() const { return bench::blocks_for(pixels(), kThreads); }
};
constexpr bench::Presets<Shape> kPresets = {{96, 64, 4, 0}, {1024, 131072, 1, 0}, {9, 5, 2, 0}};
using Options = bench::Options<Shape>;

__host__ __device__ float pixel_of(size_t i) {
  return static_cast<float>(bench::mix(i) >> 40) * 0x1p-24f * 2.0f - 1.0f;
}

// Sums for the statistics of the whole image. Each block stores its two sums; the host adds them in order.
__global__ void sum_image(const float* image, size_t pixels, double2* sums) {
  __shared__ double2 shared[kThreads];
  const size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x;
  const double value = i < pixels ? static_cast<double>(image[i]) : 0.0;
  shared[threadIdx.x] = {value, value * value};
  for (unsigned stride = kThreads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) {
      shared[threadIdx.x].x += shared[threadIdx.x + stride].x;
      shared[threadIdx.x].y += shared[threadIdx.x + stride].y;
    }
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = shared[0];
}

// The differences of a pixel to its four neighbours. The image is mirrored at its edges.
struct Differences {
  float north, south, west, east;
};
__host__ __device__ Differences differences(const float* image, uint32_t width, uint32_t height, size_t i) {
  const size_t x = i % width, y = i / width;
  const float own = image[i];
  return {image[y > 0 ? i - width : i] - own, image[y + 1 < height ? i + width : i] - own,
          image[x > 0 ? i - 1 : i] - own, image[x + 1 < width ? i + 1 : i] - own};
}
__host__ __device__ float coefficient(float own, const Differences& d, float q0) {
  const float gradient = (d.north * d.north + d.south * d.south + d.west * d.west + d.east * d.east) / (own * own);
  const float laplacian = (d.north + d.south + d.west + d.east) / own, divisor = 1.0f + 0.25f * laplacian;
  const float q = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (divisor * divisor);
  const float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
  return c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
}
__host__ __device__ float diffused(const float* image, const float* c, uint32_t width, uint32_t height, size_t i) {
  const size_t x = i % width, y = i / width;
  const Differences d = differences(image, width, height, i);
  const float south = c[y + 1 < height ? i + width : i], east = c[x + 1 < width ? i + 1 : i];
  return image[i] + 0.25f * kLambda * (c[i] * d.north + south * d.south + c[i] * d.west + east * d.east);
}

// Stores the state, behind the results of all blocks.
__device__ void finish(uint64_t* state, uint64_t next, unsigned* arrivals, bool fence) {
  if (BUG == 2 && blockIdx.x == 0 && threadIdx.x == 0) *state = next;  // @state_early
  if (BUG != 1 && fence) gpm_persist();
  if (!bench::last_block(arrivals) || threadIdx.x != 0 || BUG == 2) return;
  *state = next;  // @state_of_kernel
  if (fence) gpm_persist();
}

__global__ void load_image(float* image, size_t pixels, uint64_t* state, unsigned* arrivals, bool fence) {
  const size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i < pixels) image[i] = std::exp(pixel_of(i));  // @load
  finish(state, 1, arrivals, fence);
}
__global__ void store_coefficients(const float* image, float* c, uint32_t width, uint32_t height, float q0,
                                   uint64_t* state, uint64_t next, unsigned* arrivals, bool fence) {
  const size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i < size_t(width) * height)
    c[i] = coefficient(image[i], differences(image, width, height, i), q0);  // @coefficient
  finish(state, next, arrivals, fence);
}
__global__ void store_pixels(const float* image, const float* c, float* to, uint32_t width, uint32_t height,
                             uint64_t* state, uint64_t next, unsigned* arrivals, bool fence) {
  const size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i < size_t(width) * height) to[i] = diffused(image, c, width, height, i);  // @pixel
  finish(state, next, arrivals, fence);
}

float speckle_of(double sum, double squares, size_t pixels) {
  const double mean = sum / static_cast<double>(pixels), variance = squares / static_cast<double>(pixels) - mean * mean;
  return static_cast<float>(variance / (mean * mean));
}

// Runs kernel number `state` and those behind it. Kernel 0 loads the image. Each iteration has two kernels.
void diffuse(Store& store, const Shape& shape, bool recovers, bool stop_before_commit) {
  const bool fence = bench::kernels_persist(store.system());
  const auto plane = [&](uint64_t number) { return store.kernels<float>(number * shape.plane_bytes()); };
  float* const c = plane(2);
  DeviceArray<double2> sums(shape.blocks());
  for (uint64_t state = store.state(); state <= 2ull * shape.iterations; ++state) {
    DeviceArray<unsigned> arrivals(1, stop_before_commit && state == 2ull * shape.iterations ? 0x7f : 0);
    uint64_t* const at = store.state_for_kernels();
    const uint64_t iteration = (state - 1) / 2;
    float *const from = plane(BUG == 3 && recovers ? 0 : iteration % 2), *const to = plane((iteration + 1) % 2);
    const Phase phase("iteration");
    if (state == 0) {
      load_image<<<shape.blocks(), kThreads>>>(plane(0), shape.pixels(), at, arrivals, fence);
      store.persist_results(0, shape.plane_bytes());
    } else if (state % 2 == 1) {
      sum_image<<<shape.blocks(), kThreads>>>(from, shape.pixels(), sums);
      double sum = 0, squares = 0;
      for (const double2& part : sums.download()) {
        sum += part.x;
        squares += part.y;
      }
      store_coefficients<<<shape.blocks(), kThreads>>>(
          from, c, shape.width, shape.height, speckle_of(sum, squares, shape.pixels()), at, state + 1, arrivals, fence);
      store.persist_results(2 * shape.plane_bytes(), shape.plane_bytes());
    } else {
      store_pixels<<<shape.blocks(), kThreads>>>(from, c, to, shape.width, shape.height, at, state + 1, arrivals,
                                                 fence);
      store.persist_results((iteration + 1) % 2 * shape.plane_bytes(), shape.plane_bytes());
    }
    store.persist_state(state + 1);
    FINISH_KERNEL();
    gpm_acknowledge(store.state());
  }
}

void check_image(const Store& store, const Shape& shape) {
  std::vector<float> image(shape.pixels()), c(shape.pixels()), next(shape.pixels());
  for (size_t i = 0; i < image.size(); ++i) image[i] = std::exp(pixel_of(i));
  for (uint32_t iteration = 0; iteration < shape.iterations; ++iteration) {
    double sum = 0, squares = 0;
    for (const float value : image) {
      sum += value;
      squares += double(value) * value;
    }
    const float q0 = speckle_of(sum, squares, image.size());
    for (size_t i = 0; i < image.size(); ++i)
      c[i] = coefficient(image[i], differences(image.data(), shape.width, shape.height, i), q0);
    for (size_t i = 0; i < image.size(); ++i) next[i] = diffused(image.data(), c.data(), shape.width, shape.height, i);
    image.swap(next);
  }
  const auto plane = [&](size_t number) {
    const float* from = store.host<float>(number * shape.plane_bytes());
    return std::vector<float>(from, from + shape.pixels());
  };
  EXPECT_NEAR(image, plane(shape.iterations % 2), 1e-3, 1e-4, "pixel");
  if (shape.iterations != 0) EXPECT_NEAR(c, plane(2), 1e-3, 1e-3, "coefficient");
}

int run(Options options) {
  options.shape.system = static_cast<uint32_t>(options.system);
  const Shape& shape = options.shape;
  Store store(options, kMagic, shape.bytes());
  store.begin_work();
  diffuse(store, shape, false, options.stop_before_commit);
  store.end();
  if (options.stop_before_commit) return PASS("stopped before the last state");
  check_image(store, shape);
  bench::print_phases({"iteration"});
  return PASS("%s: %u x %u pixels, %u iterations", bench::kSystemNames[shape.system], shape.width, shape.height,
              shape.iterations);
}

int recover(const Options& options) {
  Store store(options.recovered, kMagic, options.system);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  bench::require_system(options.recovered, shape.system, options.system);
  const uint64_t found = store.state();
  bench::expect_acknowledged(found, "kernels");
  diffuse(store, shape, true, false);
  check_image(store, shape);
  bench::print_phases({"iteration"});
  return PASS("recovered behind %llu of %u kernels", static_cast<unsigned long long>(found), 2 * shape.iterations + 1);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "srad.pool", kPresets,
                                              {{"--width", &Shape::width, 1, 1 << 20},
                                               {"--height", &Shape::height, 1, 1 << 20},
                                               {"--iterations", &Shape::iterations, 1, 1 << 20}});
  return options.recovered.empty() ? run(options) : recover(options);
}
