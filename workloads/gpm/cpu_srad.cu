// SRAD by threads of the host alone: srad.cu's method, with the coefficients and the image in persistent memory.
//
//   cpu_srad [--width N] [--height N] [--iterations N] [--threads N] …
//   cpu_srad --recover FILE                finish the iterations, check
//   --each 1: each result is flushed and fenced by itself, as a thread of the CUDA kernel persists its own; else lines
//   are flushed when they are complete, and one fence follows
// The recovery relies on what srad.cu's does: a step reads one image and writes another plane; the state counts steps,
// and is durable behind their results. deterministic: yes

// build: --trace-host
#include "cpu.h"
#include "srad.h"

namespace {

constexpr uint64_t kMagic = 0x5352414443505531ull;

struct Shape {
  uint32_t width, height, iterations, threads, each;
  size_t pixels() const { return size_t(width) * height; }
  size_t plane_bytes() const { return bench::whole_lines(pixels() * sizeof(float)); }
};
constexpr bench::Presets<Shape> kPresets = {{96, 64, 4, 32, 0}, {1024, 131072, 1, 32, 0}, {9, 5, 2, 2, 0}};
using Options = bench::Options<Shape>;

struct alignas(64) Sums {
  double sum, squares;
};

// A thread's rows of the result of step `state`, durable.
template <class Pixel>
void compute_rows(const Shape& shape, float* to, unsigned thread, Pixel pixel) {
  const bench::Part rows = bench::part_of(shape.height, thread, shape.threads);
  for (size_t y = rows.begin; y < rows.end; ++y) {
    float* const row = to + y * shape.width;
    for (size_t x = 0; x < shape.width; ++x) {
      row[x] = pixel(y * shape.width + x, x, y);
      if (shape.each != 0) bench::persist_bytes(&row[x], sizeof(float));
    }
    if (shape.each == 0) bench::flush_bytes(row, shape.width * sizeof(float));
  }
  host_fence();
}

void diffuse(bench::CpuStore& store, const Shape& shape, bool stop_before_commit) {
  const auto plane = [&](uint64_t number) { return store.at<float>(number * shape.plane_bytes()); };
  std::vector<Sums> sums(shape.threads);
  host_barrier barrier(shape.threads);
  for (uint64_t state = store.state(); state <= 2ull * shape.iterations; ++state) {
    const uint64_t iteration = (state - 1) / 2;
    float *const from = plane(iteration % 2), *const c = plane(2), *const to = plane((iteration + 1) % 2);
    const bool commit = !stop_before_commit || state < 2ull * shape.iterations;
    const bench::Phase phase("iteration");
    const int status = host_parallel(shape.threads, [&](unsigned thread) {
      if (state == 0) {
        compute_rows(shape, plane(0), thread, [](size_t i, size_t, size_t) { return std::exp(bench::pixel_of(i)); });
      } else if (state % 2 == 1) {
        const bench::Part rows = bench::part_of(shape.height, thread, shape.threads);
        double sum = 0, squares = 0;
        for (size_t i = rows.begin * shape.width; i < rows.end * shape.width; ++i) {
          sum += from[i];
          squares += double(from[i]) * from[i];
        }
        sums[thread] = {sum, squares};
        barrier.wait();
        sum = squares = 0;
        for (const Sums& part : sums) {
          sum += part.sum;
          squares += part.squares;
        }
        const float q0 = bench::speckle_of(sum, squares, shape.pixels());
        compute_rows(shape, c, thread, [&](size_t i, size_t x, size_t y) {
          return bench::coefficient(from[i], bench::differences_at(from, shape.width, shape.height, i, x, y), q0);
        });
      } else {
        compute_rows(shape, to, thread, [&](size_t i, size_t x, size_t y) {
          return bench::diffused_at(from, c, shape.width, shape.height, i, x, y);
        });
      }
      barrier.wait();
      if (thread == 0 && commit) store.set_state(state + 1);
    });
    REQUIRE(status == 0, "the threads should have run");
    if (commit) gpm_acknowledge(store.state());
  }
}

void check_planes(const bench::CpuStore& store, const Shape& shape) {
  const auto plane = [&](size_t number) {
    std::vector<float> copy(shape.pixels());
    memcpy(copy.data(), store.at<float>(number * shape.plane_bytes()), shape.pixels() * sizeof(float));
    return copy;
  };
  bench::check_image(shape.width, shape.height, shape.iterations, plane(shape.iterations % 2).data(), plane(2).data());
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "cpu_srad.pool", kPresets,
                                              {{"--width", &Shape::width, 1, 1 << 20},
                                               {"--height", &Shape::height, 1, 1 << 20},
                                               {"--iterations", &Shape::iterations, 1, 1 << 20},
                                               {"--threads", &Shape::threads, 1, 64},
                                               {"--each", &Shape::each, 0, 1}});
  if (options.recovered.empty()) {
    const Shape& shape = options.shape;
    bench::CpuStore store(options, kMagic, 3 * shape.plane_bytes());
    diffuse(store, shape, options.stop_before_commit);
    if (options.stop_before_commit) return PASS("stopped before the last state");
    check_planes(store, shape);
    bench::print_phases({"iteration"});
    return PASS("%u x %u pixels, %u iterations by %u threads", shape.width, shape.height, shape.iterations,
                shape.threads);
  }
  bench::CpuStore store(options.recovered, kMagic);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  const uint64_t found = store.state();
  bench::expect_acknowledged(found, "steps");
  diffuse(store, shape, false);
  check_planes(store, shape);
  return PASS("recovered behind %llu of %u steps", static_cast<unsigned long long>(found), 2 * shape.iterations + 1);
}
