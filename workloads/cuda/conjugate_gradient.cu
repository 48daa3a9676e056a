// Conjugate gradients on a sparse matrix in CSR form (the 2D Laplacian plus identity), one warp a row for the product.
// Exercises: SpMV with shuffles, __ldg, dot products with double atomicAdd, scalars that stay in device memory.
//
// deterministic: no
// copies: what comes to the host depends on who came first
#include "check.h"

namespace {

__global__ void multiply(const int* starts, const int* columns, const double* values, const double* x, double* y,
                         int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  double sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) sum += values[i] * __ldg(&x[columns[i]]);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}

__global__ void dot(const double* x, const double* y, double* result, int n) {
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * y[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(result, sum);  // the order of the additions is not fixed
}

// x += alpha p and r -= alpha Ap, where alpha = rr / pAp.
__global__ void advance(double* x, double* r, const double* p, const double* ap, const double* rr, const double* pap,
                        int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double alpha = *rr / *pap;
  x[i] += alpha * p[i];
  r[i] -= alpha * ap[i];
}

__global__ void turn(double* p, const double* r, const double* new_rr, const double* old_rr, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = r[i] + *new_rr / *old_rr * p[i];
}

}  // namespace

int main(int argc, char** argv) {
  const int side = size_argument(argc, argv, 1, 16, 2, 1024);
  const int n = side * side, most_rounds = 60;
  std::vector<int> starts = {0}, columns;
  std::vector<double> values;
  for (int i = 0; i < n; ++i) {
    const int x = i % side, y = i / side;
    const auto put = [&](int column, double value) { columns.push_back(column), values.push_back(value); };
    if (y > 0) put(i - side, -1);
    if (x > 0) put(i - 1, -1);
    put(i, 5);
    if (x + 1 < side) put(i + 1, -1);
    if (y + 1 < side) put(i + side, -1);
    starts.push_back(static_cast<int>(columns.size()));
  }
  Random random(17);
  std::vector<double> want(n), b(n);
  for (auto& v : want) v = random.between(-1, 1);
  for (int i = 0; i < n; ++i)
    for (int k = starts[i]; k < starts[i + 1]; ++k) b[i] += values[k] * want[columns[k]];

  DeviceArray<int> device_starts(starts), device_columns(columns);
  DeviceArray<double> device_values(values), x(n, 0), r(b), p(b), ap(n), scalars(2 * most_rounds + 3, 0);
  const int blocks = (n + 127) / 128;
  double *rr = scalars, *pap = scalars + most_rounds + 1;  // one slot a round, all zero before
  dot<<<4, 128>>>(r, r, rr, n);
  double residual = 1;
  int round = 0;
  for (; round < most_rounds && residual > 1e-20; ++round) {
    multiply<<<(n + 3) / 4, 128>>>(device_starts, device_columns, device_values, p, ap, n);
    dot<<<4, 128>>>(p, ap, pap + round, n);
    advance<<<blocks, 128>>>(x, r, p, ap, rr + round, pap + round, n);
    dot<<<4, 128>>>(r, r, rr + round + 1, n);
    turn<<<blocks, 128>>>(p, r, rr + round + 1, rr + round, n);
    CUDA(cudaMemcpy(&residual, rr + round + 1, sizeof(double), cudaMemcpyDeviceToHost));
  }
  FINISH_KERNEL();
  EXPECT(residual <= 1e-20, "the residual should fall to 1e-20 within %d rounds, is %g", most_rounds, residual);
  EXPECT_NEAR(want, x.download(), 1e-9, 1e-9, "solution");
  return PASS("unknowns=%d", n);
}
