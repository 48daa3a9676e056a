// Matrix product with shared tiles; sizes need not be multiples of the tile. Exercises: 2D blocks, static shared tiles,
// __restrict__, #pragma unroll, fma; the result is compared bit by bit with fmaf in the same order on the host.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kTile = 16;

__global__ void multiply(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int rows,
                         int inner, int columns) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < inner; start += kTile) {
    const int at_a = start + threadIdx.x, at_b = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < rows && at_a < inner ? a[row * inner + at_a] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] = at_b < inner && column < columns ? b[at_b * columns + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum = fmaf(tile_a[threadIdx.y][k], tile_b[k][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int rows = size_argument(argc, argv, 1, 75, 1, 2048);
  const int inner = size_argument(argc, argv, 2, 90, 1, 2048);
  const int columns = size_argument(argc, argv, 3, 61, 1, 2048);
  Random random(9);
  std::vector<float> a(rows * inner), b(inner * columns), want(rows * columns);
  for (auto& x : a) x = random.between(-1, 1);
  for (auto& x : b) x = random.between(-1, 1);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      float sum = 0;
      for (int k = 0; k < inner; ++k) sum = std::fmaf(a[r * inner + k], b[k * columns + c], sum);
      want[r * columns + c] = sum;
    }
  }
  DeviceArray<float> device_a(a), device_b(b), device_c(want.size(), 0xff);
  const dim3 blocks((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  multiply<<<blocks, dim3(kTile, kTile)>>>(device_a, device_b, device_c, rows, inner, columns);
  FINISH_KERNEL();
  EXPECT_SAME(want, device_c.download(), "product");
  return PASS("%dx%dx%d", rows, inner, columns);
}
