// Cholesky factorisation of a batch of small positive definite matrices, one warp a matrix, then two triangular solves.
// Exercises: double-precision sqrt and division, __syncwarp as the only barrier, several warps a block on private data.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kOrder = 12;
constexpr int kCells = kOrder * kOrder;
constexpr int kWarps = 4;

__global__ void solve(const double* matrices, const double* right_sides, double* solutions, int count) {
  __shared__ double storage[kWarps][kCells + kOrder];
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int which = blockIdx.x * kWarps + warp;
  if (which >= count) return;
  double* a = storage[warp];
  double* x = a + kCells;
  for (int i = lane; i < kCells; i += 32) a[i] = matrices[which * kCells + i];
  if (lane < kOrder) x[lane] = right_sides[which * kOrder + lane];
  __syncwarp();

  for (int k = 0; k < kOrder; ++k) {
    if (lane == k) a[k * kOrder + k] = sqrt(a[k * kOrder + k]);
    __syncwarp();
    if (lane > k && lane < kOrder) a[lane * kOrder + k] /= a[k * kOrder + k];
    __syncwarp();
    if (lane > k && lane < kOrder)
      for (int c = k + 1; c <= lane; ++c) a[lane * kOrder + c] -= a[lane * kOrder + k] * a[c * kOrder + k];
    __syncwarp();
  }
  for (int k = 0; k < kOrder; ++k) {  // L y = b
    if (lane == k) x[k] /= a[k * kOrder + k];
    __syncwarp();
    if (lane > k && lane < kOrder) x[lane] -= a[lane * kOrder + k] * x[k];
    __syncwarp();
  }
  for (int k = kOrder - 1; k >= 0; --k) {  // L^T x = y
    if (lane == k) x[k] /= a[k * kOrder + k];
    __syncwarp();
    if (lane < k) x[lane] -= a[k * kOrder + lane] * x[k];
    __syncwarp();
  }
  if (lane < kOrder) solutions[which * kOrder + lane] = x[lane];
}

}  // namespace

int main(int argc, char** argv) {
  const int count = size_argument(argc, argv, 1, 50, 1, 1 << 16);
  Random random(16);
  std::vector<double> matrices(count * kCells), right_sides(count * kOrder), want(count * kOrder);
  for (int m = 0; m < count; ++m) {
    double root[kCells];
    for (auto& v : root) v = random.between(-1, 1);
    for (int r = 0; r < kOrder; ++r) {
      for (int c = 0; c < kOrder; ++c) {  // root * root^T + identity is positive definite
        double sum = r == c;
        for (int k = 0; k < kOrder; ++k) sum += root[r * kOrder + k] * root[c * kOrder + k];
        matrices[m * kCells + r * kOrder + c] = sum;
      }
      want[m * kOrder + r] = random.between(-3, 3);
    }
    for (int r = 0; r < kOrder; ++r)
      for (int c = 0; c < kOrder; ++c)
        right_sides[m * kOrder + r] += matrices[m * kCells + r * kOrder + c] * want[m * kOrder + c];
  }
  DeviceArray<double> device_matrices(matrices), device_sides(right_sides), solutions(want.size(), 0xff);
  solve<<<(count + kWarps - 1) / kWarps, dim3(32, kWarps)>>>(device_matrices, device_sides, solutions, count);
  FINISH_KERNEL();
  EXPECT_NEAR(want, solutions.download(), 1e-10, 1e-10, "solution");
  return PASS("matrices=%d order=%d", count, kOrder);
}
