// Speckle-reducing anisotropic diffusion (SRAD; Yu and Acton, 2002): its formulas for host and device, an image with
// speckle, and the filter on the host.
#pragma once
#include "check.h"

namespace speckle {

constexpr float kLambda = 0.5f;

/// The diffusion coefficient of a pixel. `to`: what the neighbours to north, south, west and east have more than it.
__host__ __device__ inline float coefficient_of(float here, const float4& to, float noise_level) {
  const float square = (to.x * to.x + to.y * to.y + to.z * to.z + to.w * to.w) / (here * here);
  const float laplacian = (to.x + to.y + to.z + to.w) / here;
  const float denominator = 1 + 0.25f * laplacian;
  const float q = (0.5f * square - laplacian * laplacian / 16) / (denominator * denominator);
  const float c = 1 / (1 + (q - noise_level) / (noise_level * (1 + noise_level)));
  return c < 0 ? 0 : c > 1 ? 1 : c;
}
/// The pixel's new value, by its own coefficient and those to south and east.
__host__ __device__ inline float diffused(float here, const float4& to, float own, float south, float east) {
  return here + kLambda / 4 * (own * to.x + south * to.y + own * to.z + east * to.w);
}

/// The squared coefficient of variation of the image (q0 squared), by the sums of its pixels and of their squares.
inline float noise_level_of(double sum, double squares, size_t pixels) {
  const double mean = sum / static_cast<double>(pixels);
  return static_cast<float>((squares / static_cast<double>(pixels) - mean * mean) / (mean * mean));
}
inline float noise_level_of(const std::vector<float>& image) {
  double sum = 0, squares = 0;
  for (float value : image) {
    sum += value;
    squares += double(value) * value;
  }
  return noise_level_of(sum, squares, image.size());
}

/// A few discs of different brightness under multiplicative speckle; values from 1 on.
inline std::vector<float> noisy_image(uint32_t side) {
  Random random(42);
  std::vector<float> image(size_t(side) * side);
  for (uint32_t i = 0; i < image.size(); ++i) {
    const float x = static_cast<float>(i % side) / side - 0.5f, y = static_cast<float>(i / side) / side - 0.5f;
    const float radius = std::sqrt(x * x + y * y);
    image[i] = (radius < 0.2f ? 2.5f : radius < 0.4f ? 1.5f : 2.0f) * random.between(0.7f, 1.3f);
  }
  return image;
}

/// After some iterations: the image, the image before the last one, and the last one's coefficients.
struct Filtered {
  std::vector<float> image, saved, coefficients;
};
inline Filtered filter_on_host(uint32_t side, uint32_t iterations) {
  const uint32_t pixels = side * side;
  Filtered now = {noisy_image(side), {}, std::vector<float>(pixels)};
  for (uint32_t k = 0; k < iterations; ++k) {
    const float noise_level = noise_level_of(now.image);
    now.saved = now.image;
    std::vector<float4> derivatives(pixels);
    const auto at = [&](uint32_t row, uint32_t column) { return now.saved[row * side + column]; };
    for (uint32_t i = 0; i < pixels; ++i) {
      const uint32_t row = i / side, column = i % side;
      const float here = now.saved[i];
      derivatives[i] = {at(row > 0 ? row - 1 : row, column) - here, at(row + 1 < side ? row + 1 : row, column) - here,
                        at(row, column > 0 ? column - 1 : column) - here,
                        at(row, column + 1 < side ? column + 1 : column) - here};
      now.coefficients[i] = coefficient_of(here, derivatives[i], noise_level);
    }
    for (uint32_t i = 0; i < pixels; ++i)
      now.image[i] = diffused(now.saved[i], derivatives[i], now.coefficients[i],
                              now.coefficients[i / side + 1 < side ? i + side : i],
                              now.coefficients[i % side + 1 < side ? i + 1 : i]);
  }
  return now;
}

}  // namespace speckle
