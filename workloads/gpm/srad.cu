// SRAD: speckle-reducing anisotropic diffusion of an image, with the diffusion coefficients and the image in persistent
// memory ("GPM", ASPLOS'22, section 4.3; the method is that of Yu and Acton 2002). Two kernels an iteration:
// coefficients, then pixels.
//
//   srad [--width N] [--height N] [--iterations N] …
//        [--published 1]                   as the published program, for measurements: the differences of each pixel
//        are
//                                          persistent as well, and only they are fenced. A crash cannot be recovered
//   srad --recover FILE                    finish the iterations, check
//   --stop-before-commit: all but the last state
//
// What the recovery relies on. Iteration i reads image i % 2 and writes the other one; so either kernel may be run
// again. The state counts kernels, and is stored by the block that ends last, when the results of all blocks are
// durable. deterministic: yes
#include "srad.h"
#include "system.h"

namespace {

using bench::coefficient;
using bench::differences;
using bench::diffused;
using bench::Phase;
using bench::pixel_of;
using bench::speckle_of;
using bench::Store;

constexpr uint64_t kMagic = 0x535241442d474d31ull;
constexpr unsigned kThreads = 256;

struct Shape {
  uint32_t width, height, iterations, system, published;
  size_t pixels() const { return size_t(width) * height; }
  size_t plane_bytes() const { return bench::whole_lines(pixels() * sizeof(float)); }
  size_t bytes() const { return (published != 0 ? 6 : 3) * plane_bytes(); }
  unsigned blocks() const { return bench::blocks_for(pixels(), kThreads); }
};
constexpr bench::Presets<Shape> kPresets = {{96, 64, 4, 0, 0}, {1024, 131072, 1, 0, 0}, {9, 5, 2, 0, 0}};
using Options = bench::Options<Shape>;

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

// Runs kernel number `first` and those behind it. Kernel 0 loads the image. Each iteration has two kernels.
void diffuse(Store& store, const Shape& shape, uint64_t first, bool recovers, bool stop_before_commit) {
  const bool fence = bench::kernels_persist(store.system());
  const auto plane = [&](uint64_t number) { return store.kernels<float>(number * shape.plane_bytes()); };
  float* const c = plane(2);
  DeviceArray<double2> sums(shape.blocks());
  for (uint64_t state = first; state <= 2ull * shape.iterations; ++state) {
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

// --published. The planes of the differences, and of the coefficients.
struct Differences {
  float *north, *south, *west, *east, *c;
};
// The pixel of the thread, in blocks of 32 x 32 pixels; the number of pixels if there is none.
__device__ size_t my_pixel(uint32_t width, uint32_t height) {
  const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  return x < width && y < height ? size_t(y) * width + x : size_t(width) * height;
}
__global__ void store_differences(const float* image, Differences to, uint32_t width, uint32_t height, float q0,
                                  bool fence) {
  const size_t i = my_pixel(width, height);
  if (i == size_t(width) * height) return;
  const bench::Differences mine = differences(image, width, height, i);
  to.north[i] = mine.north;
  to.south[i] = mine.south;
  to.west[i] = mine.west;
  to.east[i] = mine.east;
  if (fence) gpm_persist();
  to.c[i] = coefficient(image[i], mine, q0);
}
__global__ void store_diffused(const float* image, Differences from, float* to, uint32_t width, uint32_t height) {
  const size_t i = my_pixel(width, height);
  if (i == size_t(width) * height) return;
  const float own = from.c[i], south = from.c[i / width + 1 < height ? i + width : i],
              east = from.c[i % width + 1 < width ? i + 1 : i];
  to[i] = image[i] + 0.25f * bench::kLambda *
                         (own * from.north[i] + south * from.south[i] + own * from.west[i] + east * from.east[i]);
}
void diffuse_as_published(Store& store, const Shape& shape) {
  const auto plane = [&](uint64_t number) { return store.kernels<float>(number * shape.plane_bytes()); };
  const Differences planes = {plane(1), plane(2), plane(3), plane(4), plane(5)};
  const bool fence = bench::kernels_persist(store.system());
  DeviceArray<float> image(shape.pixels());
  DeviceArray<double2> sums(shape.blocks());
  DeviceArray<unsigned> arrivals(1, 0);
  DeviceArray<uint64_t> state(1);
  load_image<<<shape.blocks(), kThreads>>>(image, shape.pixels(), state, arrivals, false);
  for (uint32_t iteration = 0; iteration < shape.iterations; ++iteration) {
    sum_image<<<shape.blocks(), kThreads>>>(image, shape.pixels(), sums);
    double sum = 0, squares = 0;
    for (const double2& part : sums.download()) {
      sum += part.x;
      squares += part.y;
    }
    const float q0 = speckle_of(sum, squares, shape.pixels());
    const dim3 threads(32, 32), blocks((shape.width + 31) / 32, (shape.height + 31) / 32);
    {
      const Phase phase("iteration");
      store_differences<<<blocks, threads>>>(image, planes, shape.width, shape.height, q0, fence);
      store_diffused<<<blocks, threads>>>(image, planes, plane(0), shape.width, shape.height);
      store.persist_results(0, shape.bytes());
    }
    CUDA(cudaMemcpy(image, plane(0), shape.pixels() * sizeof(float), cudaMemcpyDeviceToDevice));
  }
  FINISH_KERNEL();
}

void check_planes(const Store& store, const Shape& shape) {
  const auto plane = [&](size_t number) { return store.host<float>(number * shape.plane_bytes()); };
  const bool published = shape.published != 0;
  bench::check_image(shape.width, shape.height, shape.iterations, plane(published ? 0 : shape.iterations % 2),
                     plane(published ? 5 : 2));
}

int run(Options options) {
  options.shape.system = static_cast<uint32_t>(options.system);
  const Shape& shape = options.shape;
  Store store(options, kMagic, shape.bytes());
  store.begin_work();
  if (shape.published != 0)
    diffuse_as_published(store, shape);
  else
    diffuse(store, shape, 0, false, options.stop_before_commit);
  store.end();
  if (options.stop_before_commit) return PASS("stopped before the last state");
  check_planes(store, shape);
  bench::print_phases({"iteration"});
  return PASS("%s: %u x %u pixels, %u iterations", bench::kSystemNames[shape.system], shape.width, shape.height,
              shape.iterations);
}

int recover(const Options& options) {
  Store store(options.recovered, kMagic, options.system, true, options.ddio);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  bench::require_system(options.recovered, shape.system, options.system);
  if (shape.published != 0) {
    fprintf(stderr, "%s: is of a run with --published 1, which cannot be recovered\n", options.recovered.c_str());
    return 2;
  }
  const uint64_t found = BUG == 4 ? 0 : store.state();
  bench::expect_acknowledged(found, "kernels");
  diffuse(store, shape, found, true, false);
  check_planes(store, shape);
  bench::print_phases({"iteration"});
  return PASS("recovered behind %llu of %u kernels", static_cast<unsigned long long>(found), 2 * shape.iterations + 1);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "srad.pool", kPresets,
                                              {{"--width", &Shape::width, 1, 1 << 20},
                                               {"--height", &Shape::height, 1, 1 << 20},
                                               {"--iterations", &Shape::iterations, 1, 1 << 20},
                                               {"--published", &Shape::published, 0, 1}});
  return options.recovered.empty() ? run(options) : recover(options);
}
