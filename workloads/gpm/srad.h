// The method of srad.cu and cpu_srad.cu: speckle-reducing anisotropic diffusion (Yu and Acton 2002), pixel by pixel,
// and its check.
#pragma once
#include <cmath>

#include "gpmbench.h"

namespace bench {

constexpr float kLambda = 0.5f;

__host__ __device__ inline float pixel_of(size_t i) {
  return static_cast<float>(bench::mix(i) >> 40) * 0x1p-24f * 2.0f - 1.0f;
}

// The differences of a pixel to its four neighbours; the image's edge mirrors.
struct Differences {
  float north, south, west, east;
};
/// Pixel i is the one at x, y.
__host__ __device__ inline Differences differences_at(const float* image, uint32_t width, uint32_t height, size_t i,
                                                      size_t x, size_t y) {
  const float own = image[i];
  return {image[y > 0 ? i - width : i] - own, image[y + 1 < height ? i + width : i] - own,
          image[x > 0 ? i - 1 : i] - own, image[x + 1 < width ? i + 1 : i] - own};
}
__host__ __device__ inline Differences differences(const float* image, uint32_t width, uint32_t height, size_t i) {
  return differences_at(image, width, height, i, i % width, i / width);
}
__host__ __device__ inline float coefficient(float own, const Differences& d, float q0) {
  const float gradient = (d.north * d.north + d.south * d.south + d.west * d.west + d.east * d.east) / (own * own);
  const float laplacian = (d.north + d.south + d.west + d.east) / own, divisor = 1.0f + 0.25f * laplacian;
  const float q = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (divisor * divisor);
  const float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
  return c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
}
__host__ __device__ inline float diffused_at(const float* image, const float* c, uint32_t width, uint32_t height,
                                             size_t i, size_t x, size_t y) {
  const Differences d = differences_at(image, width, height, i, x, y);
  const float south = c[y + 1 < height ? i + width : i], east = c[x + 1 < width ? i + 1 : i];
  return image[i] + 0.25f * kLambda * (c[i] * d.north + south * d.south + c[i] * d.west + east * d.east);
}
__host__ __device__ inline float diffused(const float* image, const float* c, uint32_t width, uint32_t height,
                                          size_t i) {
  return diffused_at(image, c, width, height, i, i % width, i / width);
}

inline float speckle_of(double sum, double squares, size_t pixels) {
  const double mean = sum / static_cast<double>(pixels), variance = squares / static_cast<double>(pixels) - mean * mean;
  return static_cast<float>(variance / (mean * mean));
}

/// Compares the image and the coefficients with those that one thread computes.
inline void check_image(uint32_t width, uint32_t height, uint32_t iterations, const float* found,
                        const float* found_c) {
  const size_t pixels = size_t(width) * height;
  std::vector<float> image(pixels), c(pixels), next(pixels);
  for (size_t i = 0; i < image.size(); ++i) image[i] = std::exp(pixel_of(i));
  for (uint32_t iteration = 0; iteration < iterations; ++iteration) {
    double sum = 0, squares = 0;
    for (const float value : image) {
      sum += value;
      squares += double(value) * value;
    }
    const float q0 = speckle_of(sum, squares, image.size());
    for (size_t i = 0; i < image.size(); ++i)
      c[i] = coefficient(image[i], differences(image.data(), width, height, i), q0);
    for (size_t i = 0; i < image.size(); ++i) next[i] = diffused(image.data(), c.data(), width, height, i);
    image.swap(next);
  }
  check::require_near(image, std::vector<float>(found, found + pixels), 1e-3, 1e-4, "pixel", __BASE_FILE__);
  if (iterations != 0)
    check::require_near(c, std::vector<float>(found_c, found_c + pixels), 1e-3, 1e-3, "coefficient", __BASE_FILE__);
}

}  // namespace bench
