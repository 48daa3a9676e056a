// Gaussian elimination with partial pivoting in double precision, then back substitution. Exercises: a pivot search by
// an argmax over shuffles of two values, row exchange, one launch per column, double-precision division and fma.
//
// deterministic: yes
#include "check.h"

namespace {

// One warp looks for the row with the largest magnitude in the column.
__global__ void find_pivot(const double* a, int n, int stride, int column, int* pivot) {
  double best = -1;
  int row = column;
  for (int r = column + threadIdx.x; r < n; r += 32) {
    const double magnitude = fabs(a[r * stride + column]);
    if (magnitude > best) best = magnitude, row = r;
  }
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(~0u, best, step);
    const int other_row = __shfl_xor_sync(~0u, row, step);
    if (other > best || (other == best && other_row < row)) best = other, row = other_row;
  }
  if (threadIdx.x == 0) *pivot = row;
}

__global__ void exchange_rows(double* a, int stride, int column, const int* pivot) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= stride || *pivot == column) return;
  const double kept = a[column * stride + c];
  a[column * stride + c] = a[*pivot * stride + c];
  a[*pivot * stride + c] = kept;
}

__global__ void factors(const double* a, double* factor, int n, int stride, int column) {
  const int r = column + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) factor[r] = a[r * stride + column] / a[column * stride + column];
}

__global__ void eliminate(double* a, const double* factor, int n, int stride, int column) {
  const int c = column + blockIdx.x * blockDim.x + threadIdx.x;
  const int r = column + 1 + blockIdx.y;
  if (c < stride) a[r * stride + c] = fma(-factor[r], a[column * stride + c], a[r * stride + c]);
}

__global__ void substitute_back(const double* a, double* x, int n, int stride) {
  for (int r = n - 1; r >= 0; --r) {
    double part = 0;
    for (int c = r + 1 + threadIdx.x; c < n; c += blockDim.x) part += a[r * stride + c] * x[c];
    for (int step = 16; step > 0; step /= 2) part += __shfl_down_sync(~0u, part, step);
    if (threadIdx.x == 0) x[r] = (a[r * stride + n] - part) / a[r * stride + r];
    __syncthreads();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 48, 1, 1024);
  const int stride = n + 1;  // the last column is the right-hand side
  Random random(15);
  std::vector<double> a(n * stride), x(n);
  for (auto& v : x) v = random.between(-10, 10);
  for (int r = 0; r < n; ++r) {
    double sum = 0;
    for (int c = 0; c < n; ++c) {
      a[r * stride + c] = random.between(-1, 1) * (r == c ? 1e-3 : 1.0);  // small diagonal: needs pivots
      sum += a[r * stride + c] * x[c];
    }
    a[r * stride + n] = sum;
  }
  DeviceArray<double> device_a(a), factor(n), solution(n);
  DeviceArray<int> pivot(1);
  const int blocks = (stride + 63) / 64;
  for (int column = 0; column + 1 < n; ++column) {
    find_pivot<<<1, 32>>>(device_a, n, stride, column, pivot);
    exchange_rows<<<blocks, 64>>>(device_a, stride, column, pivot);
    factors<<<(n + 63) / 64, 64>>>(device_a, factor, n, stride, column);
    eliminate<<<dim3(blocks, n - column - 1), 64>>>(device_a, factor, n, stride, column);
  }
  substitute_back<<<1, 32>>>(device_a, solution, n, stride);
  FINISH_KERNEL();
  EXPECT_NEAR(x, solution.download(), 1e-8, 1e-8, "solution");
  return PASS("n=%d", n);
}
