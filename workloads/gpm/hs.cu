// HS: the temperatures of a chip, step by step, with checkpoints of them ("GPM", ASPLOS'22, section 4.2). The model is
// HotSpot's (Skadron et al. 2003): heat flows to the four neighbours and to the ambient air.
//
//   hs [--width N] [--height N] [--iterations N] [--interval N] …     cells; an iteration is two steps of time
//   hs --recover FILE                                                 iterate.h says what all these programs do
// deterministic: yes
#include "iterate.h"

namespace {

struct Shape {
  uint32_t width, height, iterations, interval, system;
};
constexpr bench::Presets<Shape> kPresets = {{96, 64, 12, 3, 0}, {16384, 16384, 10, 10, 0}, {7, 5, 4, 1, 0}};
constexpr float kAmbient = 80.0f;

__host__ __device__ float flow(const float* heat, const float* power, uint32_t width, uint32_t height, size_t i) {
  const size_t x = i % width, y = i / width;
  const float own = heat[i], north = heat[y > 0 ? i - width : i], south = heat[y + 1 < height ? i + width : i];
  const float west = heat[x > 0 ? i - 1 : i], east = heat[x + 1 < width ? i + 1 : i];
  return own + 0.1f * (power[i] + (north + south - 2 * own) + (west + east - 2 * own) + 0.02f * (kAmbient - own));
}
__global__ void heat_up(const float* from, float* to, const float* power, uint32_t width, uint32_t height) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size_t(width) * height) to[i] = flow(from, power, width, height, i);
}

class HotSpot {
 public:
  HotSpot(const Shape& shape, const std::string&)
      : shape_(shape),
        heat_(cells(), [](size_t i) { return 70.0f + static_cast<float>(bench::mix(i) % 2000) * 0.01f; }),
        power_(cells(), [](size_t i) { return static_cast<float>(bench::mix(i + 77) % 100) * 0.02f; }),
        next_(cells()) {
    power_.reset();
  }
  std::vector<bench::Array> arrays() const { return {heat_.array()}; }
  void begin() { heat_.reset(); }
  void step(uint32_t) {
    const unsigned blocks = bench::blocks_for(cells(), 256);
    heat_up<<<blocks, 256>>>(heat_, next_, power_, shape_.width, shape_.height);
    heat_up<<<blocks, 256>>>(next_, heat_, power_, shape_.width, shape_.height);
  }
  void check(uint32_t iterations) const {
    std::vector<float> heat = heat_.start(), next(cells());
    for (uint32_t step = 0; step < 2 * iterations; ++step) {
      for (size_t i = 0; i < cells(); ++i)
        next[i] = flow(heat.data(), power_.start().data(), shape_.width, shape_.height, i);
      heat.swap(next);
    }
    EXPECT_NEAR(heat, heat_.now(), 1e-5, 0, "temperature");
  }

 private:
  size_t cells() const { return size_t(shape_.width) * shape_.height; }
  const Shape shape_;
  bench::Values<float> heat_, power_;
  DeviceArray<float> next_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of<HotSpot>(bench::parse<Shape>(argc, argv, "hs.pool", kPresets,
                                                     {{"--width", &Shape::width, 1, 1 << 16},
                                                      {"--height", &Shape::height, 1, 1 << 16},
                                                      {"--iterations", &Shape::iterations, 0, 1 << 20},
                                                      {"--interval", &Shape::interval, 1, 1 << 20}}),
                                 0x48532d2d47504d31ull);
}
