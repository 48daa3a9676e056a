// SRADv2: speckle-reducing anisotropic diffusion of an image in two kernels an iteration, each on tiles in shared
// memory: derivatives and diffusion coefficients first, then the new image. After the description of Rodinia's srad_v2;
// one of the programs without synchronisation inside a kernel of Table 2.4 (Sinclair's thesis, 2017).
//
// deterministic: yes
#include "../cuda/speckle.h"

namespace {

constexpr int kTile = 16;

struct Derivatives {
  float *north, *south, *west, *east;
};

__global__ void find_noise(const float* image, Derivatives to, float* coefficients, int side, float noise_level) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  const auto at = [&](int r, int c) { return image[min(max(r, 0), side - 1) * side + min(max(c, 0), side - 1)]; };
  tile[y][x] = at(row, column);
  if (threadIdx.y == 0) tile[0][x] = at(row - 1, column);
  if (threadIdx.y == kTile - 1) tile[y + 1][x] = at(row + 1, column);
  if (threadIdx.x == 0) tile[y][0] = at(row, column - 1);
  if (threadIdx.x == kTile - 1) tile[y][x + 1] = at(row, column + 1);
  __syncthreads();
  if (row >= side || column >= side) return;
  const float here = tile[y][x];
  const float4 more = {tile[y - 1][x] - here, tile[y + 1][x] - here, tile[y][x - 1] - here, tile[y][x + 1] - here};
  const int i = row * side + column;
  coefficients[i] = speckle::coefficient_of(here, more, noise_level);
  to.north[i] = more.x;
  to.south[i] = more.y;
  to.west[i] = more.z;
  to.east[i] = more.w;
}

__global__ void diffuse(float* image, Derivatives to, const float* coefficients, int side) {
  __shared__ float tile[kTile + 1][kTile + 1];
  const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  const int x = threadIdx.x, y = threadIdx.y;
  const auto at = [&](int r, int c) { return coefficients[min(r, side - 1) * side + min(c, side - 1)]; };
  tile[y][x] = at(row, column);
  if (y == kTile - 1) tile[y + 1][x] = at(row + 1, column);
  if (x == kTile - 1) tile[y][x + 1] = at(row, column + 1);
  __syncthreads();
  if (row >= side || column >= side) return;
  const int i = row * side + column;
  const float4 more = {to.north[i], to.south[i], to.west[i], to.east[i]};
  image[i] = speckle::diffused(image[i], more, tile[y][x], tile[y + 1][x], tile[y][x + 1]);
}

}  // namespace

int main(int argc, char** argv) {
  const int side = size_argument(argc, argv, 1, 40, 2, 4096);
  const int iterations = size_argument(argc, argv, 2, 2, 1, 1000);
  const size_t pixels = static_cast<size_t>(side) * side;
  const DeviceArray<float> image(speckle::noisy_image(side)), coefficients(pixels);
  const DeviceArray<float> north(pixels), south(pixels), west(pixels), east(pixels);
  const Derivatives to = {north, south, west, east};
  const dim3 blocks((side + kTile - 1) / kTile, (side + kTile - 1) / kTile), threads(kTile, kTile);
  for (int k = 0; k < iterations; ++k) {
    find_noise<<<blocks, threads>>>(image, to, coefficients, side, speckle::noise_level_of(image.download()));
    diffuse<<<blocks, threads>>>(image, to, coefficients, side);
  }
  FINISH_KERNEL();
  const speckle::Filtered want = speckle::filter_on_host(side, iterations);
  EXPECT_NEAR(want.coefficients, coefficients.download(), 2e-4, 2e-4, "coefficient");
  EXPECT_NEAR(want.image, image.download(), 2e-4, 0, "pixel");
  return PASS("%dx%d iterations=%d", side, side, iterations);
}
