// Blocked LU factorisation without pivoting: diagonal block, its row and column of blocks, then the trailing matrix.
// Exercises: three cooperating kernels over a shrinking grid, shared tiles, a loop of launches; checked by L * U = A.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kTile = 16;

// One block of kTile threads: thread t owns row t of the diagonal tile.
__global__ void factor_diagonal(float* a, int n, int start) {
  __shared__ float tile[kTile][kTile + 1];
  const int t = threadIdx.x;
  for (int c = 0; c < kTile; ++c) tile[c][t] = a[(start + c) * n + start + t];
  __syncthreads();
  for (int k = 0; k < kTile; ++k) {
    if (t > k) {
      const float factor = tile[t][k] / tile[k][k];
      tile[t][k] = factor;
      for (int c = k + 1; c < kTile; ++c) tile[t][c] -= factor * tile[k][c];
    }
    __syncthreads();
  }
  for (int c = 0; c < kTile; ++c) a[(start + c) * n + start + t] = tile[c][t];
}

// Block b solves the b-th tile right of the diagonal (threads below kTile) and the b-th tile below it (the others).
__global__ void solve_border(float* a, int n, int start) {
  __shared__ float diagonal[kTile][kTile + 1];
  const int t = threadIdx.x % kTile;
  const bool right = threadIdx.x < kTile;
  for (int r = threadIdx.x / kTile; r < kTile; r += 2) diagonal[r][t] = a[(start + r) * n + start + t];
  __syncthreads();
  const int other = start + (blockIdx.x + 1) * kTile + t;
  float cells[kTile];
  if (right) {  // one column of U
    for (int r = 0; r < kTile; ++r) {
      float x = a[(start + r) * n + other];
      for (int k = 0; k < r; ++k) x -= diagonal[r][k] * cells[k];
      cells[r] = x;
    }
    for (int r = 0; r < kTile; ++r) a[(start + r) * n + other] = cells[r];
  } else {  // one row of L
    for (int c = 0; c < kTile; ++c) {
      float x = a[other * n + start + c];
      for (int k = 0; k < c; ++k) x -= cells[k] * diagonal[k][c];
      cells[c] = x / diagonal[c][c];
    }
    for (int c = 0; c < kTile; ++c) a[other * n + start + c] = cells[c];
  }
}

__global__ void update_trailing(float* a, int n, int start) {
  __shared__ float lower[kTile][kTile], upper[kTile][kTile];
  const int row = start + (blockIdx.y + 1) * kTile + threadIdx.y;
  const int column = start + (blockIdx.x + 1) * kTile + threadIdx.x;
  lower[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
  upper[threadIdx.y][threadIdx.x] = a[(start + threadIdx.y) * n + column];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < kTile; ++k) sum += lower[threadIdx.y][k] * upper[k][threadIdx.x];
  a[row * n + column] -= sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int tiles = size_argument(argc, argv, 1, 5, 1, 128);
  const int n = tiles * kTile;
  Random random(14);
  std::vector<float> a(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = random.between(-1, 1) + (i / n == i % n ? n : 0);  // diagonally dominant

  DeviceArray<float> device_a(a);
  for (int tile = 0; tile < tiles; ++tile) {
    const int start = tile * kTile, rest = tiles - tile - 1;
    factor_diagonal<<<1, kTile>>>(device_a, n, start);
    if (rest == 0) break;
    solve_border<<<rest, 2 * kTile>>>(device_a, n, start);
    update_trailing<<<dim3(rest, rest), dim3(kTile, kTile)>>>(device_a, n, start);
  }
  FINISH_KERNEL();
  const std::vector<float> lu = device_a.download();
  std::vector<float> product(n * n);
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      double sum = r <= c ? lu[r * n + c] : 0.0;  // the unit diagonal of L times U
      for (int k = 0; k < r && k <= c; ++k) sum += static_cast<double>(lu[r * n + k]) * lu[k * n + c];
      product[r * n + c] = static_cast<float>(sum);
    }
  }
  EXPECT_NEAR(a, product, 1e-5, 1e-4, "L*U");
  return PASS("n=%d", n);
}
