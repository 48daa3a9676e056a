// BLK: prices of European options by the formula of Black and Scholes (1973), computed again as their time runs out
// (a revaluation), with checkpoints of the prices ("GPM", ASPLOS'22, section 4.2). The program keeps the mean of each
// price over the revaluations.
//
//   blk [--options N] [--iterations N] [--interval N] …
//   blk --recover FILE                                      iterate.h says what all these programs do
// deterministic: yes
#include "iterate.h"

namespace {

struct Shape {
  uint32_t options, iterations, interval, system;
};
constexpr bench::Presets<Shape> kPresets = {{10000, 12, 3, 0}, {1 << 28, 10, 10, 0}, {40, 4, 1, 0}};

struct Option {
  float price, strike, years;
};
struct Prices {
  float call, put;
};
__host__ __device__ Option option_of(size_t i) {
  const uint64_t dice = bench::mix(i + 1);
  return {5.0f + static_cast<float>(dice % 2500) * 0.01f, 1.0f + static_cast<float>(dice / 2500 % 9900) * 0.01f,
          0.25f + static_cast<float>(dice / 24750000 % 975) * 0.01f};
}

__host__ __device__ float normal(float x) {
  return 0.5f * erfcf(-x * 0.70710678f);
}
__host__ __device__ Prices prices_of(const Option& option, float left) {
  const float rate = 0.02f, volatility = 0.3f, years = option.years * left, root = sqrtf(years);
  const float d1 =
      (logf(option.price / option.strike) + (rate + 0.5f * volatility * volatility) * years) / (volatility * root);
  const float d2 = d1 - volatility * root, later = option.strike * expf(-rate * years);
  return {option.price * normal(d1) - later * normal(d2), later * normal(-d2) - option.price * normal(-d1)};
}
// The fraction of an option's time that is left at revaluation i.
__host__ __device__ float left_at(uint32_t i, uint32_t iterations) {
  return 1.0f - static_cast<float>(i) / static_cast<float>(iterations + 1);
}

__global__ void revalue(float* call, float* put, uint32_t count, uint32_t iteration, uint32_t iterations) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Prices now = prices_of(option_of(i), left_at(iteration, iterations));
  call[i] += (now.call - call[i]) / static_cast<float>(iteration + 1);
  put[i] += (now.put - put[i]) / static_cast<float>(iteration + 1);
}

class BlackScholes {
 public:
  BlackScholes(const Shape& shape, const std::string&)
      : shape_(shape),
        call_(shape.options, [](size_t i) { return first_price(i, 1); }),
        put_(shape.options, [](size_t i) { return first_price(i, -1); }) {}
  std::vector<bench::Array> arrays() const { return {call_.array(), put_.array()}; }
  void begin() {
    call_.reset();
    put_.reset();
  }
  void step(uint32_t i) {
    revalue<<<bench::blocks_for(shape_.options, 256), 256>>>(call_, put_, shape_.options, i, shape_.iterations);
  }
  void check(uint32_t iterations) const {
    std::vector<float> call = call_.start(), put = put_.start();
    for (size_t i = 0; iterations != 0 && i < call.size(); ++i) {
      double sum_call = 0, sum_put = 0;
      for (uint32_t k = 0; k < iterations; ++k) {
        const Prices now = prices_of(option_of(i), left_at(k, shape_.iterations));
        sum_call += now.call;
        sum_put += now.put;
      }
      call[i] = static_cast<float>(sum_call / iterations);
      put[i] = static_cast<float>(sum_put / iterations);
    }
    EXPECT_NEAR(call, call_.now(), 1e-4, 1e-4, "call");
    EXPECT_NEAR(put, put_.now(), 1e-4, 1e-4, "put");
  }

 private:
  // The value before the first revaluation: the price if the option is exercised now.
  static float first_price(size_t i, float sign) {
    const Option option = option_of(i);
    return std::max(0.0f, sign * (option.price - option.strike));
  }
  const Shape shape_;
  bench::Values<float> call_, put_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of<BlackScholes>(bench::parse<Shape>(argc, argv, "blk.pool", kPresets,
                                                          {{"--options", &Shape::options, 1, 1 << 30},
                                                           {"--iterations", &Shape::iterations, 0, 1 << 20},
                                                           {"--interval", &Shape::interval, 1, 1 << 20}}),
                                      0x424c4b2d47504d31ull);
}
